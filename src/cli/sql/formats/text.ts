// Values as people read them and as DuckDB reads them again, for tables and CSV: as it writes them itself, with all texts
// within lists, structs and maps in quotes.
import { type DuckDBType, DuckDBTypeId, type DuckDBValue } from '@duckdb/node-api';
import { isNumeric } from './alignment.ts';
import type { Form } from './form.ts';
import { asDuckDB, dateText, momentText } from './moments.ts';
import { blobText, doubleText, floatText } from './singles.ts';

export const text: Form = {
  single(type) {
    switch (type.typeId) {
      case DuckDBTypeId.DOUBLE:
        return (value) => (typeof value === 'number' ? doubleText(value) : String(value));
      case DuckDBTypeId.FLOAT:
        return (value) => (typeof value === 'number' ? floatText(value) : String(value));
      case DuckDBTypeId.BLOB:
      case DuckDBTypeId.GEOMETRY:
        return blobText;
      case DuckDBTypeId.DATE:
        return dateText;
      case DuckDBTypeId.TIMESTAMP:
      case DuckDBTypeId.TIMESTAMP_S:
      case DuckDBTypeId.TIMESTAMP_MS:
      case DuckDBTypeId.TIMESTAMP_NS:
      case DuckDBTypeId.TIMESTAMP_TZ:
        return (value) => momentText(value, asDuckDB);
      default:
        return (value: DuckDBValue) => String(value);
    }
  },
  inside(type) {
    const write = isBare(type) ? (found: string) => found : quoted;
    return (found) => (found === null ? 'NULL' : write(found));
  },
  list: (items) => `[${items.join(', ')}]`,
  struct: (names, fields) =>
    isNameless(names)
      ? `(${fields.join(', ')})`
      : `{${fields.map((field, i) => `${quoted(names[i] ?? '')}: ${field}`).join(', ')}}`,
  key: (type) => (isBare(type) ? (found) => found : quoted),
  map: (keys, values) => `{${keys.map((key, i) => `${key}=${values[i]}`).join(', ')}}`,
  union: (_, value) => value,
};

/** What `row(1, 2)` makes. */
export function isNameless(names: readonly string[]): boolean {
  return names.every((name) => name === '');
}

function quoted(found: string): string {
  return `'${found.replace(/[\\']/g, '\\$&')}'`;
}

/** Beside numbers. */
const bare: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.BOOLEAN,
  DuckDBTypeId.UUID,
  DuckDBTypeId.DATE,
  DuckDBTypeId.LIST,
  DuckDBTypeId.ARRAY,
  DuckDBTypeId.STRUCT,
  DuckDBTypeId.MAP,
  DuckDBTypeId.UNION,
  DuckDBTypeId.VARIANT,
]);

function isBare(type: DuckDBType): boolean {
  return isNumeric(type) || bare.has(type.typeId);
}
