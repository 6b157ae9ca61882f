// The bytes of DuckDB's vectors. Its Node package hands out values one by one, loses fields of a STRUCT that share a name,
// and keeps the bytes to itself; the binding below it does neither. It is asked for through that package, so that both are
// of one version.
import { createRequire } from 'node:module';
import type { DuckDBDataChunk, DuckDBVector } from '@duckdb/node-api';

export type RawVector = Parameters<typeof DuckDBVector.create>[0];

interface Bindings {
  data_chunk_get_vector(chunk: DuckDBDataChunk['chunk'], index: number): RawVector;
  vector_get_data(vector: RawVector, length: number): Uint8Array;
  vector_get_validity(vector: RawVector, length: number): Uint8Array | null;
  get_data_from_pointer(buffer: ArrayBufferLike, place: number, length: number): Uint8Array;
  list_vector_get_child(vector: RawVector): RawVector;
  list_vector_get_size(vector: RawVector): number;
  array_vector_get_child(vector: RawVector): RawVector;
  struct_vector_get_child(vector: RawVector, index: number): RawVector;
}

const asking = createRequire(import.meta.url);
const bindings = createRequire(asking.resolve('@duckdb/node-api'))('@duckdb/node-bindings') as Bindings;

export function columnOf(chunk: DuckDBDataChunk, index: number): RawVector {
  return bindings.data_chunk_get_vector(chunk.chunk, index);
}

/** So many bytes of what the vector holds, valid as long as its chunk. */
export function bytesOf(vector: RawVector, length: number): Uint8Array {
  return bindings.vector_get_data(vector, length);
}

/** A text is a piece of so many bytes: its length, then itself where it has room there, or else where it is. */
const piece = { bytes: 16, text: 4, room: 12, pointer: 8 };

export interface Pieces {
  lengthAt(row: number): number;
  bytesAt(row: number): Uint8Array;
}

/** Texts or bytes as they are, valid as long as their chunk. */
export function piecesOf(vector: RawVector, count: number): Pieces {
  const bytes = bytesOf(vector, count * piece.bytes);
  const lengths = new Uint32Array(bytes.buffer, bytes.byteOffset, (count * piece.bytes) / 4);
  const lengthAt = (row: number): number => lengths[(row * piece.bytes) / 4] ?? 0;
  return {
    lengthAt,
    bytesAt(row) {
      const [place, length] = [row * piece.bytes, lengthAt(row)];
      if (length <= piece.room) return bytes.subarray(place + piece.text, place + piece.text + length);
      const pointer = bytes.byteOffset + place + piece.pointer;
      return bindings.get_data_from_pointer(bytes.buffer, pointer, length);
    },
  };
}

/** Each row's text, null where it is NULL. The package's own would lose a byte order mark at the beginning. */
export function stringsOf(vector: RawVector, count: number): (row: number) => string | null {
  const validity = validityOf(vector, count);
  const { bytesAt } = piecesOf(vector, count);
  return (row) => {
    if (!isValid(validity, row)) return null;
    const bytes = bytesAt(row);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  };
}

/** A bit for each of so many rows, 0 where it is NULL; null where none is. */
export function validityOf(vector: RawVector, count: number): Uint8Array | null {
  return bindings.vector_get_validity(vector, Math.ceil(count / 64) * 8);
}

export function isValid(validity: Uint8Array | null, row: number): boolean {
  return validity === null || ((validity[row >> 3] ?? 0) & (1 << (row & 7))) !== 0;
}

export interface Lists {
  readonly items: RawVector;
  /** How many items all lists have together. */
  readonly itemCount: number;
  /** For each row the place of its first item and how many it has. */
  readonly entries: BigUint64Array;
}

export function listsOf(vector: RawVector, count: number): Lists {
  const bytes = bytesOf(vector, count * 16);
  return {
    items: bindings.list_vector_get_child(vector),
    itemCount: bindings.list_vector_get_size(vector),
    entries: new BigUint64Array(bytes.buffer, bytes.byteOffset, count * 2),
  };
}

export function arrayItemsOf(vector: RawVector): RawVector {
  return bindings.array_vector_get_child(vector);
}

export function fieldOf(vector: RawVector, index: number): RawVector {
  return bindings.struct_vector_get_child(vector, index);
}
