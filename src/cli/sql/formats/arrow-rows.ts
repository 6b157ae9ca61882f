// Rows of a vector that go into a batch, and what is copied for them. DuckDB and Arrow lay out numbers and the bits of
// what is NULL alike, so that most is copied as it is.
import { bytesOf, isValid, type RawVector, validityOf } from './vectors.ts';

export interface Rows {
  readonly from: number;
  readonly length: number;
  /** Rows in any order; null: all from `from` on. */
  readonly picked: Int32Array | null;
}

export interface Taking {
  /** How many rows the vector has. */
  readonly count: number;
  readonly rows: Rows;
  /** So many bytes at most may texts have together. */
  readonly most: number;
}

export function rowAt({ from, picked }: Rows, i: number): number {
  return picked === null ? from + i : (picked[i] ?? 0);
}

/** A bit a row, 0 where it is NULL; null where none is. */
export function nullBits(vector: RawVector, { count, rows }: Taking): Uint8Array | null {
  const validity = validityOf(vector, count);
  if (validity === null) return null;
  const { from, length, picked } = rows;
  if (picked === null && from % 8 === 0) return copied(validity, from / 8, Math.ceil(length / 8));
  return bitsOf(length, (i) => isValid(validity, rowAt(rows, i)));
}

export function bitsOf(length: number, isSet: (i: number) => boolean): Uint8Array {
  const bits = new Uint8Array(Math.ceil(length / 8));
  for (let i = 0; i < length; i++) if (isSet(i)) bits[i >> 3] = (bits[i >> 3] ?? 0) | (1 << (i & 7));
  return bits;
}

/** The rows' values of so many bytes each, in memory of their own. */
export function fixedBytes(vector: RawVector, { count, rows }: Taking, width: number): Uint8Array {
  const { from, length, picked } = rows;
  if (length === 0) return new Uint8Array(0);
  const bytes = bytesOf(vector, count * width);
  if (picked === null) return copied(bytes, from * width, length * width);
  return width % 4 === 0 ? pickedWords(bytes, picked, width / 4) : pickedBytes(bytes, picked, width);
}

/** A Buffer's own `slice` would not copy, and what is not copied dies with its chunk. */
function copied(bytes: Uint8Array, from: number, length: number): Uint8Array {
  return new Uint8Array(bytes.subarray(from, from + length));
}

function pickedWords(bytes: Uint8Array, picked: Int32Array, words: number): Uint8Array {
  const all = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  const some = new Uint32Array(picked.length * words);
  picked.forEach((row, i) => {
    for (let word = 0; word < words; word++) some[i * words + word] = all[row * words + word] ?? 0;
  });
  return new Uint8Array(some.buffer);
}

function pickedBytes(bytes: Uint8Array, picked: Int32Array, width: number): Uint8Array {
  const some = new Uint8Array(picked.length * width);
  picked.forEach((row, i) => {
    for (let byte = 0; byte < width; byte++) some[i * width + byte] = bytes[row * width + byte] ?? 0;
  });
  return some;
}
