// A vector of DuckDB as a column of Arrow. DuckDB and Arrow store numbers, times and validity bits alike, so most data is copied directly. DuckDB's
// Node package only returns single values; the lower-level binding gives access to the bytes. Types without a usual Arrow equivalent become text.
import { createRequire } from 'node:module';
import { type DuckDBDataChunk, type DuckDBType, DuckDBTypeId, type DuckDBVector } from '@duckdb/node-api';
import * as arrow from 'apache-arrow';
import { apart } from '../../../projections/query/scratch.ts';
import { fieldNames } from './json.ts';

export interface Rows {
  readonly from: number;
  readonly length: number;
}

/** A part of a vector with `count` values, whose texts may have `most` bytes together. */
interface Part extends Rows {
  /** Rows in any order; null: all rows starting at `from`. */
  readonly picked: Int32Array | null;
  readonly count: number;
  readonly most: number;
}

export interface ArrowColumn {
  readonly type: arrow.DataType;
  /** The rows of the part, copied. */
  data(vector: RawVector, part: Part): arrow.Data;
}

export class TooLong extends Error {
  override readonly name = 'TooLong';
}

export const decimalDigits = 38;
const decimalBytes = 16;

const plainTypes: Readonly<Partial<Record<DuckDBTypeId, readonly [type: () => arrow.DataType, bytes: number]>>> = {
  [DuckDBTypeId.TINYINT]: [() => new arrow.Int8(), 1],
  [DuckDBTypeId.SMALLINT]: [() => new arrow.Int16(), 2],
  [DuckDBTypeId.INTEGER]: [() => new arrow.Int32(), 4],
  [DuckDBTypeId.BIGINT]: [() => new arrow.Int64(), 8],
  [DuckDBTypeId.UTINYINT]: [() => new arrow.Uint8(), 1],
  [DuckDBTypeId.USMALLINT]: [() => new arrow.Uint16(), 2],
  [DuckDBTypeId.UINTEGER]: [() => new arrow.Uint32(), 4],
  [DuckDBTypeId.UBIGINT]: [() => new arrow.Uint64(), 8],
  [DuckDBTypeId.FLOAT]: [() => new arrow.Float32(), 4],
  [DuckDBTypeId.DOUBLE]: [() => new arrow.Float64(), 8],
  [DuckDBTypeId.HUGEINT]: [() => new arrow.Decimal(0, decimalDigits, 8 * decimalBytes), decimalBytes],
  [DuckDBTypeId.DATE]: [() => new arrow.DateDay(), 4],
  [DuckDBTypeId.TIME]: [() => new arrow.TimeMicrosecond(), 8],
  [DuckDBTypeId.TIME_NS]: [() => new arrow.TimeNanosecond(), 8],
  [DuckDBTypeId.TIMESTAMP]: [() => new arrow.TimestampMicrosecond(), 8],
  [DuckDBTypeId.TIMESTAMP_S]: [() => new arrow.TimestampSecond(), 8],
  [DuckDBTypeId.TIMESTAMP_MS]: [() => new arrow.TimestampMillisecond(), 8],
  [DuckDBTypeId.TIMESTAMP_NS]: [() => new arrow.TimestampNanosecond(), 8],
  [DuckDBTypeId.TIMESTAMP_TZ]: [() => new arrow.TimestampMicrosecond('UTC'), 8],
};

const byteTypes: ReadonlySet<DuckDBTypeId> = new Set([DuckDBTypeId.BLOB, DuckDBTypeId.GEOMETRY]);

/** The JSON text of a union says more than DuckDB's own text. */
export const isTagged = ({ typeId }: DuckDBType): boolean => typeId === DuckDBTypeId.UNION;

/** Whether Arrow stores its values directly. */
export function isKept(type: DuckDBType): boolean {
  switch (type.typeId) {
    case DuckDBTypeId.LIST:
    case DuckDBTypeId.ARRAY:
      return isKept(type.valueType);
    case DuckDBTypeId.MAP:
      return isKept(type.keyType) && isKept(type.valueType);
    case DuckDBTypeId.STRUCT:
      return type.entryTypes.every(isKept);
    case DuckDBTypeId.UNION:
    case DuckDBTypeId.HUGEINT:
      return false;
    default:
      return type.typeId === DuckDBTypeId.VARCHAR || arrowLeaf(type) === String(type);
  }
}

/** The type of values in the scratch table; types without an Arrow equivalent become text. */
export function arrowLeaf(type: DuckDBType): string {
  const { typeId } = type;
  if (type.typeId === DuckDBTypeId.DECIMAL) return `DECIMAL(${decimalDigits}, ${type.scale})`;
  if (typeId === DuckDBTypeId.VARIANT) return 'JSON';
  const isSame = plainTypes[typeId] !== undefined || byteTypes.has(typeId) || typeId === DuckDBTypeId.BOOLEAN;
  return isSame ? String(type) : 'VARCHAR';
}

export function arrowColumn(type: DuckDBType): ArrowColumn {
  switch (type.typeId) {
    case DuckDBTypeId.LIST:
      return listColumn(arrowColumn(type.valueType));
    case DuckDBTypeId.ARRAY:
      return arrayColumn(type.length, arrowColumn(type.valueType));
    case DuckDBTypeId.MAP:
      return mapColumn(arrowColumn(type.keyType), arrowColumn(type.valueType));
    case DuckDBTypeId.STRUCT:
      return structColumn(apart(fieldNames(type.entryNames)), type.entryTypes.map(arrowColumn));
    case DuckDBTypeId.DECIMAL:
      return plainColumn(new arrow.Decimal(type.scale, type.width, 8 * decimalBytes), decimalBytes);
    case DuckDBTypeId.BOOLEAN:
      return booleanColumn();
    default: {
      const [plain, bytes] = plainTypes[type.typeId] ?? [null, 0];
      if (plain !== null) return plainColumn(plain(), bytes);
      return bytesColumn(byteTypes.has(type.typeId) ? new arrow.Binary() : new arrow.Utf8());
    }
  }
}

/** The library counts the NULLs itself when needed. */
const unknown = -1;

/** A type with the same fixed width in both. */
function plainColumn(type: arrow.DataType, width: number): ArrowColumn {
  return {
    type,
    data(vector, part) {
      const values = new type.ArrayType(fixedBytes(vector, part, width).buffer);
      const nulls = nullBits(vector, part);
      return new arrow.Data(type, 0, part.length, nulls === null ? 0 : unknown, {
        [arrow.BufferType.DATA]: values,
        ...(nulls === null ? {} : { [arrow.BufferType.VALIDITY]: nulls }),
      });
    },
  };
}

/** Arrow stores bits, DuckDB bytes. */
function booleanColumn(): ArrowColumn {
  const type = new arrow.Bool();
  return {
    type,
    data(vector, part) {
      const { length } = part;
      const bytes = fixedBytes(vector, part, 1);
      const data = bitsOf(length, (i) => bytes[i] !== 0);
      return arrow.makeData({ type, length, nullBitmap: nullBits(vector, part), data });
    },
  };
}

/** Texts or bytes, stored one after the other. */
function bytesColumn(type: arrow.Utf8 | arrow.Binary): ArrowColumn {
  return {
    type,
    data(vector, part) {
      const { length, count } = part;
      const { lengthAt, bytesAt } = piecesOf(vector, count);
      const valueOffsets = offsetsOf(vector, part, lengthAt);
      const data = new Uint8Array(valueOffsets[length] ?? 0);
      for (let i = 0; i < length; i++) {
        const place = valueOffsets[i] ?? 0;
        if (place < (valueOffsets[i + 1] ?? 0)) data.set(bytesAt(rowAt(part, i)), place);
      }
      const props = { length, nullBitmap: nullBits(vector, part), valueOffsets, data };
      return type instanceof arrow.Utf8 ? arrow.makeData({ type, ...props }) : arrow.makeData({ type, ...props });
    },
  };
}

/** DuckDB's string layout: the length, then the text itself if it is short, else a pointer to it. */
const piece = { bytes: 16, text: 4, room: 12, pointer: 8 };

/** Texts or bytes without copying, valid as long as their chunk. */
function piecesOf(vector: RawVector, count: number) {
  const bytes = bindings.vector_get_data(vector, count * piece.bytes);
  const lengths = new Uint32Array(bytes.buffer, bytes.byteOffset, (count * piece.bytes) / 4);
  const lengthAt = (row: number): number => lengths[(row * piece.bytes) / 4] ?? 0;
  const bytesAt = (row: number): Uint8Array => {
    const [place, length] = [row * piece.bytes, lengthAt(row)];
    if (length <= piece.room) return bytes.subarray(place + piece.text, place + piece.text + length);
    return bindings.get_data_from_pointer(bytes.buffer, bytes.byteOffset + place + piece.pointer, length);
  };
  return { lengthAt, bytesAt };
}

function rowAt({ from, picked }: Part, i: number): number {
  return picked === null ? from + i : (picked[i] ?? 0);
}

/** The offsets of all values and the end of the last; NULL has length 0. */
function offsetsOf(vector: RawVector, part: Part, lengthAt: (row: number) => number): Int32Array {
  const validity = validityOf(vector, part.count);
  const offsets = new Int32Array(part.length + 1);
  let end = 0;
  for (let i = 0; i < part.length; i++) {
    const row = rowAt(part, i);
    if (isValid(validity, row)) end += lengthAt(row);
    if (end > part.most) throw new TooLong();
    offsets[i + 1] = end;
  }
  return offsets;
}

/** The items of all rows in order. They are usually stored in row order and copied as a whole. */
function listed(vector: RawVector, part: Part) {
  const bytes = bindings.vector_get_data(vector, part.count * 16);
  const entries = new BigUint64Array(bytes.buffer, bytes.byteOffset, part.count * 2);
  const valueOffsets = offsetsOf(vector, part, (row) => Number(entries[2 * row + 1]));
  const length = valueOffsets[part.length] ?? 0;
  const picked = new Int32Array(length);
  for (let i = 0; i < part.length; i++) {
    const [begin = 0, end = 0] = [valueOffsets[i], valueOffsets[i + 1]];
    if (begin === end) continue;
    const first = Number(entries[2 * rowAt(part, i)]);
    for (let item = begin; item < end; item++) picked[item] = first + item - begin;
  }
  const from = picked[0] ?? 0;
  const count = bindings.list_vector_get_size(vector);
  const isWhole = picked.every((item, i) => item === from + i);
  const inner = { from, length, picked: isWhole ? null : picked, count, most: part.most };
  return { items: bindings.list_vector_get_child(vector), valueOffsets, inner };
}

function listColumn(item: ArrowColumn): ArrowColumn {
  const type = new arrow.List(new arrow.Field('item', item.type, true));
  return {
    type,
    data(vector, part) {
      const { items, valueOffsets, inner } = listed(vector, part);
      const child = item.data(items, inner);
      return arrow.makeData({ type, length: part.length, nullBitmap: nullBits(vector, part), valueOffsets, child });
    },
  };
}

function mapColumn(key: ArrowColumn, value: ArrowColumn): ArrowColumn {
  const entries = new arrow.Struct([
    new arrow.Field('key', key.type, false),
    new arrow.Field('value', value.type, true),
  ]);
  const type = new arrow.Map_(new arrow.Field('entries', entries, false));
  return {
    type,
    data(vector, part) {
      const { items, valueOffsets, inner } = listed(vector, part);
      const children = [key, value].map((column, i) => column.data(bindings.struct_vector_get_child(items, i), inner));
      const child = arrow.makeData({ type: entries, length: inner.length, nullCount: 0, children });
      return arrow.makeData({ type, length: part.length, nullBitmap: nullBits(vector, part), valueOffsets, child });
    },
  };
}

function arrayColumn(size: number, column: ArrowColumn): ArrowColumn {
  const type = new arrow.FixedSizeList(size, new arrow.Field('item', column.type, true));
  return {
    type,
    data(vector, part) {
      const { from, count, most } = part;
      const length = part.length * size;
      const item = (_: unknown, i: number): number => rowAt(part, Math.floor(i / size)) * size + (i % size);
      const picked = part.picked && Int32Array.from({ length }, item);
      const inner = { from: from * size, length, picked, count: count * size, most };
      const child = column.data(bindings.array_vector_get_child(vector), inner);
      return arrow.makeData({ type, length: part.length, nullBitmap: nullBits(vector, part), child });
    },
  };
}

function structColumn(names: readonly string[], fields: readonly ArrowColumn[]): ArrowColumn {
  const type = new arrow.Struct(fields.map((field, i) => new arrow.Field(names[i] ?? '', field.type, true)));
  return {
    type,
    data(vector, part) {
      const children = fields.map((field, i) => field.data(bindings.struct_vector_get_child(vector, i), part));
      return arrow.makeData({ type, length: part.length, nullBitmap: nullBits(vector, part), children });
    },
  };
}

/** A bit per row, 0 for NULL; null if no row is NULL. */
function validityOf(vector: RawVector, count: number): Uint8Array | null {
  return bindings.vector_get_validity(vector, Math.ceil(count / 64) * 8);
}

function isValid(validity: Uint8Array | null, row: number): boolean {
  return validity === null || ((validity[row >> 3] ?? 0) & (1 << (row & 7))) !== 0;
}

function nullBits(vector: RawVector, part: Part): Uint8Array | null {
  const validity = validityOf(vector, part.count);
  if (validity === null) return null;
  if (part.picked === null && part.from === 0) return copied(validity, 0, Math.ceil(part.length / 8));
  return bitsOf(part.length, (i) => isValid(validity, rowAt(part, i)));
}

function bitsOf(length: number, isSet: (i: number) => boolean): Uint8Array {
  const bits = new Uint8Array(Math.ceil(length / 8));
  for (let i = 0; i < length; i++) if (isSet(i)) bits[i >> 3] = (bits[i >> 3] ?? 0) | (1 << (i & 7));
  return bits;
}

function fixedBytes(vector: RawVector, { from, length, picked, count }: Part, width: number): Uint8Array {
  if (length === 0) return new Uint8Array(0);
  const all = bindings.vector_get_data(vector, count * width);
  if (picked === null) return copied(all, from * width, length * width);
  const some = new Uint8Array(length * width);
  picked.forEach((row, i) => {
    for (let byte = 0; byte < width; byte++) some[i * width + byte] = all[row * width + byte] ?? 0;
  });
  return some;
}

/** `slice` of a Buffer would not copy, and the memory is freed with its chunk. */
function copied(bytes: Uint8Array, from: number, length: number): Uint8Array {
  return new Uint8Array(bytes.subarray(from, from + length));
}

type RawVector = Parameters<typeof DuckDBVector.create>[0];

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

/** Resolved through the package, so that both have the same version. */
const own = createRequire(import.meta.url);
const bindings = createRequire(own.resolve('@duckdb/node-api'))('@duckdb/node-bindings') as Bindings;

export function vectorOf({ chunk }: DuckDBDataChunk, column: number): RawVector {
  return bindings.data_chunk_get_vector(chunk, column);
}
