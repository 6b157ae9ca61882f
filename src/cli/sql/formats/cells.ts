// Cells as texts. What is nested is put together here; how a value is written, a form says.
import {
  type DuckDBDataChunk,
  type DuckDBStructType,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBUnionType,
  type DuckDBValue,
  DuckDBVector,
  UTINYINT,
} from '@duckdb/node-api';
import type { Column } from '../../../projections/query/questions.ts';
import type { Form } from './form.ts';
import { variantText } from './variants.ts';
import { arrayItemsOf, columnOf, fieldOf, isValid, listsOf, type RawVector, stringsOf, validityOf } from './vectors.ts';

/** The text in a row; null where it is NULL. */
export type Cells = (row: number) => string | null;

/** The columns of a chunk, to be read while the chunk is held. */
export function cellsOf(chunk: DuckDBDataChunk, columns: readonly Column[], form: Form): readonly Cells[] {
  const { rowCount } = chunk;
  return columns.map(({ type }, i) => textCells(columnOf(chunk, i), type, rowCount, form));
}

export function textCells(vector: RawVector, type: DuckDBType, count: number, form: Form): Cells {
  switch (type.typeId) {
    case DuckDBTypeId.LIST:
      return lists(vector, type.valueType, count, form);
    case DuckDBTypeId.ARRAY:
      return arrays(vector, type, count, form);
    case DuckDBTypeId.STRUCT:
      return structs(vector, type, count, form);
    case DuckDBTypeId.MAP:
      return maps(vector, type, count, form);
    case DuckDBTypeId.UNION:
      return unions(vector, type, count, form);
    default:
      return singles(vector, type, count, form);
  }
}

function singles(vector: RawVector, type: DuckDBType, count: number, form: Form): Cells {
  const write = type.typeId === DuckDBTypeId.VARIANT ? variantText(form) : form.single(type);
  const valueAt = valuesOf(vector, type, count);
  return (row) => {
    const value = valueAt(row);
    return value === null ? null : write(value);
  };
}

function valuesOf(vector: RawVector, type: DuckDBType, count: number): (row: number) => DuckDBValue {
  if (type.typeId === DuckDBTypeId.VARCHAR && count > 0) return stringsOf(vector, count);
  const values = DuckDBVector.create(vector, count, type);
  return (row) => values.getItem(row);
}

/** The same as it stands within another value. */
function insides(vector: RawVector, type: DuckDBType, count: number, form: Form): (row: number) => string {
  const texts = textCells(vector, type, count, form);
  const inside = form.inside(type);
  return (row) => inside(texts(row));
}

function lists(vector: RawVector, valueType: DuckDBType, count: number, form: Form): Cells {
  const validity = validityOf(vector, count);
  const { items, itemCount, entries } = listsOf(vector, count);
  const item = insides(items, valueType, itemCount, form);
  return (row) => {
    if (!isValid(validity, row)) return null;
    return form.list(texts(Number(entries[2 * row]), Number(entries[2 * row + 1]), item));
  };
}

interface ArrayType {
  readonly valueType: DuckDBType;
  readonly length: number;
}

function arrays(vector: RawVector, { valueType, length }: ArrayType, count: number, form: Form): Cells {
  const validity = validityOf(vector, count);
  const item = insides(arrayItemsOf(vector), valueType, count * length, form);
  return (row) => (isValid(validity, row) ? form.list(texts(row * length, length, item)) : null);
}

function structs(vector: RawVector, type: DuckDBStructType, count: number, form: Form): Cells {
  const validity = validityOf(vector, count);
  const fields = type.entryTypes.map((entry, i) => insides(fieldOf(vector, i), entry, count, form));
  return (row) => {
    if (!isValid(validity, row)) return null;
    return form.struct(
      type.entryNames,
      fields.map((field) => field(row)),
    );
  };
}

interface MapType {
  readonly keyType: DuckDBType;
  readonly valueType: DuckDBType;
}

/** A list of structs of a key and a value. */
function maps(vector: RawVector, { keyType, valueType }: MapType, count: number, form: Form): Cells {
  const validity = validityOf(vector, count);
  const { items, itemCount, entries } = listsOf(vector, count);
  const keys = textCells(fieldOf(items, 0), keyType, itemCount, form);
  const values = insides(fieldOf(items, 1), valueType, itemCount, form);
  const asKey = form.key(keyType);
  const key = (row: number): string => asKey(keys(row) ?? '');
  return (row) => {
    if (!isValid(validity, row)) return null;
    const [from, length] = [Number(entries[2 * row]), Number(entries[2 * row + 1])];
    return form.map(texts(from, length, key), texts(from, length, values));
  };
}

/** A struct of the number of the member that is there, and of all members. */
function unions(vector: RawVector, type: DuckDBUnionType, count: number, form: Form): Cells {
  const tags = DuckDBVector.create(fieldOf(vector, 0), count, UTINYINT);
  const members = type.memberTypes.map((member, i) => insides(fieldOf(vector, i + 1), member, count, form));
  return (row) => {
    const tag = tags.getItem(row);
    if (typeof tag !== 'number') return null;
    const value = members[tag]?.(row);
    return value === undefined ? null : form.union(type.memberTags[tag] ?? '', value);
  };
}

function texts(from: number, length: number, text: (row: number) => string): readonly string[] {
  return Array.from({ length }, (_, i) => text(from + i));
}
