// Bytes handed in, in whatever form, made into one small buffer or into pieces of a good size. All is copied, once: what
// is hashed and what is compressed later are the same bytes, also when the caller fills its buffer anew meanwhile.
import type { BlobSource } from './blobs.ts';
import { wholeBytes } from './shelf.ts';

const pieceBytes = 512 * 1024;

export type Gathered = Buffer | AsyncIterable<Buffer>;

/** A buffer when all of it is small. */
export async function gather(source: BlobSource): Promise<Gathered> {
  if (typeof source === 'string') return gatherBytes(Buffer.from(source));
  return source instanceof Uint8Array ? gatherBytes(source) : gatherStream(source);
}

function gatherBytes(bytes: Uint8Array): Gathered {
  return bytes.byteLength <= wholeBytes ? Buffer.from(bytes) : cut(bytes);
}

async function* cut(bytes: Uint8Array): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.byteLength; at += pieceBytes) yield Buffer.from(bytes.subarray(at, at + pieceBytes));
}

async function gatherStream(source: AsyncIterable<Uint8Array>): Promise<Gathered> {
  const pieces = collectPieces(source);
  const first = await pieces.next();
  if (first.done) return Buffer.alloc(0);
  // A piece that is not full is the only one.
  return first.value.byteLength <= wholeBytes ? first.value : resume(first.value, pieces);
}

/** All pieces but the last are full. */
async function* collectPieces(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, undefined> {
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

async function* resume(first: Buffer, rest: AsyncGenerator<Buffer, undefined>): AsyncGenerator<Buffer> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
