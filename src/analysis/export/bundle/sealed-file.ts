// The outside of a bundle: one frame of zstd, which any zstd unpacks, and behind it a frame that any zstd skips, with the
// SHA-256 of every byte before it. So no byte of the file can change unnoticed, also none that a decompressor would pass over.
import { createHash, timingSafeEqual } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { BundleRefused, NoBundle } from './errors.ts';

const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 32, 0, 0, 0]);
const sealBytes = skippable.length + 32;
const magic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** How much of a file was taken in, and its digest once it was taken in whole. */
export interface Taken {
  bytes: number;
  sha256: string | null;
}

/** The file, and in `made` what it came to. */
export async function* sealed(tar: AsyncIterable<Uint8Array>, made: Taken): AsyncGenerator<Uint8Array> {
  const packer = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  const inner = createHash('sha256');
  const whole = createHash('sha256');
  const give = (piece: Uint8Array): Uint8Array => {
    made.bytes += piece.byteLength;
    whole.update(piece);
    return piece;
  };
  for await (const piece of through(tar, packer)) {
    inner.update(piece);
    yield give(piece);
  }
  yield give(Buffer.concat([skippable, inner.digest()]));
  made.sha256 = whole.digest('hex');
}

/** What is inside. Throws NoBundle at once, and BundleRefused at the end at the latest. */
export async function* unsealed(file: AsyncIterable<Uint8Array>, taken: Taken): AsyncGenerator<Uint8Array> {
  try {
    yield* through(withoutSeal(file, taken), createZstdDecompress());
    // What was packed may be over before the file is.
    if (taken.sha256 === null) throw new BundleRefused('the file', 'there are bytes after its end');
  } catch (error) {
    if (!isOfZlib(error)) throw error;
    throw new BundleRefused('the file', `it cannot be unpacked (${error.message})`, { cause: error });
  }
}

/** Everything but the seal, which is compared when the rest has gone by. */
async function* withoutSeal(file: AsyncIterable<Uint8Array>, taken: Taken): AsyncGenerator<Uint8Array> {
  const inner = createHash('sha256');
  const whole = createHash('sha256');
  let kept = Buffer.alloc(0);
  let isBegun = false;
  for await (const piece of file) {
    whole.update(piece);
    const all = Buffer.concat([kept, piece]);
    const ready = Math.max(0, all.length - sealBytes);
    kept = Buffer.from(all.subarray(ready));
    if (ready === 0) continue;
    const given = all.subarray(0, ready);
    if (!isBegun && ready < magic.length && magic.subarray(0, ready).equals(given)) {
      kept = all;
      continue;
    }
    if (!isBegun) requireMagic(given);
    isBegun = true;
    taken.bytes += given.length;
    inner.update(given);
    yield given;
  }
  if (!isBegun) throw new NoBundle(kept.length === 0 ? 'it is empty' : 'it is too short');
  taken.bytes += kept.length;
  requireSeal(kept, inner.digest());
  taken.sha256 = whole.digest('hex');
}

function requireMagic(beginning: Buffer): void {
  if (!beginning.subarray(0, magic.length).equals(magic)) throw new NoBundle('it does not begin as one');
}

function requireSeal(found: Buffer, digest: Buffer): void {
  if (!found.subarray(0, skippable.length).equals(skippable))
    throw new BundleRefused('the file', 'it does not end as a bundle does: it was cut off, or something was added');
  if (!timingSafeEqual(found.subarray(skippable.length), digest))
    throw new BundleRefused('the file', 'its bytes are not those that were written: one at least was altered');
}

async function* through(
  source: AsyncIterable<Uint8Array>,
  transform: ReturnType<typeof createZstdCompress> | ReturnType<typeof createZstdDecompress>,
): AsyncGenerator<Uint8Array> {
  const settled = pipeline(Readable.from(source, { objectMode: false }), transform);
  // Whoever reads meets its fault; whoever stops reading needs none.
  settled.catch(() => undefined);
  try {
    for await (const piece of transform) yield piece as Uint8Array;
    // The last word is the source's: it may refuse what it handed over when it comes to its end.
    await settled;
  } finally {
    transform.destroy();
  }
}

function isOfZlib(error: unknown): error is Error {
  return (
    error instanceof Error && /^(?:ZSTD_|Z_|ERR_ZSTD|ERR_ZLIB)/.test(String((error as NodeJS.ErrnoException).code))
  );
}
