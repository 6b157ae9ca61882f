// How blobs are stored: as one zstd frame, made in one go of small ones, on the way to a file of large ones.
import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createZstdCompress, zstdCompressSync } from 'node:zlib';
import { translate } from './faults.ts';

/** Compressed bytes leave the compressor in pieces of this size. */
const chunkSize = 256 * 1024;

export function packWhole(bytes: Uint8Array): Buffer {
  // Told the size, zstd makes tables to fit: for a few kilobytes, twice as fast.
  return zstdCompressSync(bytes, { pledgedSrcSize: bytes.byteLength });
}

export interface PackedFile {
  readonly digest: string;
  readonly bytes: number;
  readonly storedBytes: number;
}

/** Writes the pieces to a new file, compressed and on disk when it resolves. A failure leaves no file. */
export async function packFile(pieces: AsyncIterable<Uint8Array>, path: string): Promise<PackedFile> {
  const meter = new Meter();
  try {
    const storedBytes = await writeNew(path, compressed(meter.measure(pieces)));
    return { digest: meter.digest(), bytes: meter.bytes, storedBytes };
  } catch (error) {
    await rm(path, { force: true }).catch(() => {});
    throw meter.failed ? meter.failure : translate(error, path);
  }
}

/** Hashes and counts what passes, and remembers when it was the source that failed: that is not the store's to explain. */
class Meter {
  bytes = 0;
  failed = false;
  failure: unknown;
  readonly #hash = createHash('sha256');

  async *measure(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const source = pieces[Symbol.asyncIterator]();
    try {
      for (let next = await this.#next(source); !next.done; next = await this.#next(source)) {
        this.#hash.update(next.value);
        this.bytes += next.value.byteLength;
        yield next.value;
      }
    } finally {
      if (!this.failed) await source.return?.();
    }
  }

  digest(): string {
    return this.#hash.digest('hex');
  }

  async #next(source: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
    try {
      return await source.next();
    } catch (error) {
      this.failed = true;
      this.failure = error;
      throw error;
    }
  }
}

function compressed(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const compressor = createZstdCompress({ chunkSize });
  // Whoever reads the compressor meets the error there.
  pipeline(Readable.from(pieces, { objectMode: false }), compressor, () => {});
  return compressor;
}

async function writeNew(path: string, pieces: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(pieces);
    await file.sync();
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}
