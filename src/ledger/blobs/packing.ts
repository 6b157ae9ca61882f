// Packs blobs for a store and unpacks them: gathers the content, compresses it as one zstd frame and hashes it; decompresses it
// again, and compares the digest before the last piece is returned.
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { pipeline, Readable, type Transform } from 'node:stream';
import { createZstdCompress, createZstdDecompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { IcecoreError } from '../../../schemas/errors.ts';
import { messageOf } from '../../base/folders.ts';
import { sha256 } from '../identity/ids.ts';
import { type BlobSource, type Packed, wholeBytes } from './blobs.ts';
import { BlobDamaged, blobTooLarge, translated } from './errors.ts';

/** The size of input pieces; compressed and decompressed pieces have half that size. */
const pieceBytes = 512 * 1024;
const chunkSize = pieceBytes / 2;

/**
 * A buffer if the content is small, otherwise pieces of a good size. The content is copied once, so that the hashed and the
 * compressed bytes are the same even if the caller reuses its buffer meanwhile.
 */
export async function gather(source: BlobSource): Promise<Buffer | AsyncIterable<Buffer>> {
  const content = typeof source === 'string' ? Buffer.from(source) : source;
  if (content instanceof Uint8Array && content.byteLength <= wholeBytes) return Buffer.from(content);
  const pieces = fullPieces(content instanceof Uint8Array ? [content] : content);
  const first = await pieces.next();
  if (first.done) return Buffer.alloc(0);
  // The only piece that is not full is the last.
  return first.value.byteLength <= wholeBytes ? first.value : withFirst(first, pieces);
}

/** All pieces except the last are full. */
async function* fullPieces(
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer, undefined> {
  let piece = Buffer.allocUnsafe(pieceBytes);
  let filled = 0;
  for await (const chunk of source) {
    for (let at = 0; at < chunk.byteLength; ) {
      const taken = Math.min(chunk.byteLength - at, pieceBytes - filled);
      piece.set(chunk.subarray(at, at + taken), filled);
      at += taken;
      filled += taken;
      if (filled < pieceBytes) continue;
      yield piece;
      piece = Buffer.allocUnsafe(pieceBytes);
      filled = 0;
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
}

/** All pieces, including the one that was already taken. */
export async function* withFirst<Piece>(
  first: IteratorResult<Piece, undefined>,
  rest: AsyncIterator<Piece, undefined>,
): AsyncGenerator<Piece> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

export function packWhole(bytes: Uint8Array): Buffer {
  // If zstd knows the size, it allocates smaller tables, which is twice as fast for a few kilobytes.
  return zstdCompressSync(bytes, { pledgedSrcSize: bytes.byteLength });
}

/** Writes the pieces to a new file, compressed and on disk when it resolves. */
export async function packFile(
  pieces: AsyncIterable<Uint8Array>,
  path: string,
): Promise<{ readonly digest: string; readonly bytes: number; readonly storedBytes: number }> {
  const hash = createHash('sha256');
  let bytes = 0;
  async function* measured(): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      hash.update(piece);
      bytes += piece.byteLength;
      yield piece;
    }
  }
  const storedBytes = await writeNew(path, through(measured(), createZstdCompress({ chunkSize })));
  return { digest: hash.digest('hex'), bytes, storedBytes };
}

/** Errors of either side surface where the result is read; a reader that stops also ends the source. */
function through(pieces: AsyncIterable<Uint8Array>, transform: Transform): AsyncIterable<Uint8Array> {
  pipeline(Readable.from(pieces, { objectMode: false }), transform, () => {});
  return transform;
}

/** Writes a new file, on disk when it resolves; returns the number of bytes. Errors of the source are passed on unchanged. */
export async function writeNew(
  path: string,
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<number> {
  const file = await translated(path, open(path, 'wx'));
  let bytes = 0;
  try {
    for await (const piece of content) {
      await translated(path, file.writeFile(piece));
      bytes += piece.byteLength;
    }
    await translated(path, file.sync());
    return bytes;
  } finally {
    await file.close();
  }
}

export interface Expected {
  readonly digest: string;
  /** The location, for messages. */
  readonly place: string;
}

/** Throws BlobDamaged; the last piece is withheld until everything is verified. */
export async function* unpack(expected: Expected, packed: Packed): AsyncGenerator<Uint8Array> {
  const whole = packed instanceof Uint8Array ? unpackSmall(expected, packed) : null;
  if (whole === null) yield* unpackPieces(expected, packed instanceof Uint8Array ? Readable.from([packed]) : packed);
  else if (whole.byteLength > 0) yield whole;
}

/** A blob that is loaded as a whole is a text; a small compressed blob may expand to more than fits into memory. */
const mostInMemory = 256 * 1024 * 1024;

/** Throws BlobDamaged, and BlobTooLarge if the content does not fit. */
export async function unpackWhole(expected: Expected, packed: Packed, most = mostInMemory): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of unpack(expected, packed)) {
    bytes += piece.byteLength;
    if (bytes > most) throw blobTooLarge(expected.digest, expected.place, most);
    pieces.push(piece);
  }
  return pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
}

/** Null: the content expands a lot and has to be unpacked in pieces. */
function unpackSmall(expected: Expected, packed: Uint8Array): Buffer | null {
  let bytes: Buffer;
  try {
    bytes = zstdDecompressSync(packed, { maxOutputLength: 4 * wholeBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return null;
    throw undecodable(expected, error);
  }
  requireDigestOf(expected, sha256(bytes));
  return bytes;
}

async function* unpackPieces(expected: Expected, packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let last: Uint8Array | null = null;
  try {
    for await (const piece of through(packed, createZstdDecompress({ chunkSize }))) {
      hash.update(piece);
      if (last !== null) yield last;
      last = piece;
    }
  } catch (error) {
    throw error instanceof IcecoreError ? error : undecodable(expected, error);
  }
  requireDigestOf(expected, hash.digest('hex'));
  if (last !== null) yield last;
}

function requireDigestOf({ digest, place }: Expected, found: string): void {
  if (found !== digest) throw new BlobDamaged(digest, place, `was altered: its bytes hash to ${found}`);
}

function undecodable({ digest, place }: Expected, error: unknown): BlobDamaged {
  return new BlobDamaged(digest, place, `cannot be decompressed: ${messageOf(error)}`, error);
}
