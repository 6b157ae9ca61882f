// Out of a store again: decompressed, and held against the digest before the last of it is handed out.
import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { createZstdDecompress, zstdDecompressSync } from 'node:zlib';
import { IcecoreError } from '../../../schemas/errors.ts';
import { sha256 } from '../identity/ids.ts';
import { BlobDamaged, BlobTooLarge } from './errors.ts';
import { type Packed, wholeBytes } from './shelf.ts';

const chunkSize = 256 * 1024;

export interface Wanted {
  readonly digest: string;
  /** For messages: where it lies. */
  readonly place: string;
}

/** Throws BlobDamaged; the last piece is not handed out before all are checked. */
export async function* unpack(wanted: Wanted, packed: Packed): AsyncGenerator<Uint8Array> {
  const whole = packed instanceof Uint8Array ? unpackSmall(wanted, packed) : null;
  if (whole === null) yield* unpackPieces(wanted, packed instanceof Uint8Array ? Readable.from([packed]) : packed);
  else if (whole.byteLength > 0) yield whole;
}

/** What is held in memory as a whole is a text: little that was compressed may come to more than fits there. */
const mostHeld = 256 * 1024 * 1024;

/** Throws BlobDamaged, and BlobTooLarge where more comes out than can be held. */
export async function unpackWhole(wanted: Wanted, packed: Packed, most = mostHeld): Promise<Uint8Array> {
  const whole = packed instanceof Uint8Array ? unpackSmall(wanted, packed) : null;
  if (whole !== null) return whole;
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of unpack(wanted, packed)) {
    bytes += piece.byteLength;
    if (bytes > most) throw new BlobTooLarge(wanted.digest, wanted.place, most);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Is what is stored what the digest says? It is read to its end. */
export async function isSound(wanted: Wanted, fetch: () => Promise<Packed | null>): Promise<boolean> {
  try {
    const packed = await fetch();
    if (packed === null) return false;
    const pieces = unpack(wanted, packed);
    for (let next = await pieces.next(); !next.done; ) next = await pieces.next();
    return true;
  } catch (error) {
    if (error instanceof BlobDamaged) return false;
    throw error;
  }
}

/** Null when much comes out of little: that goes in pieces. */
function unpackSmall(wanted: Wanted, packed: Uint8Array): Buffer | null {
  let bytes: Buffer;
  try {
    bytes = zstdDecompressSync(packed, { maxOutputLength: 4 * wholeBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return null;
    throw undecodable(wanted, error);
  }
  requireDigestOf(wanted, sha256(bytes));
  return bytes;
}

async function* unpackPieces(wanted: Wanted, packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let held: Uint8Array | null = null;
  for await (const piece of decompressed(wanted, packed)) {
    hash.update(piece);
    if (held !== null) yield held;
    held = piece;
  }
  requireDigestOf(wanted, hash.digest('hex'));
  if (held !== null) yield held;
}

async function* decompressed(wanted: Wanted, packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decompressor = createZstdDecompress({ chunkSize });
  // An error of either is met where the decompressor is read; whoever stops reading it ends the source, too.
  pipeline(Readable.from(packed, { objectMode: false }), decompressor, () => {});
  try {
    yield* decompressor;
  } catch (error) {
    throw error instanceof IcecoreError ? error : undecodable(wanted, error);
  }
}

function requireDigestOf(wanted: Wanted, found: string): void {
  if (found === wanted.digest) return;
  throw new BlobDamaged(wanted.digest, wanted.place, `was altered: its bytes hash to ${found}`);
}

function undecodable(wanted: Wanted, error: unknown): BlobDamaged {
  const said = error instanceof Error ? error.message : String(error);
  return new BlobDamaged(wanted.digest, wanted.place, `cannot be decompressed: ${said}`, error);
}
