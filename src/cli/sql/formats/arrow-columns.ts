// For each type of DuckDB the type that Arrow has for it. What Arrow, or what usually reads it, has none for is text.
import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import {
  Binary,
  DateDay,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  TimeMicrosecond,
  TimeNanosecond,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
} from 'apache-arrow';
import type { ArrowColumn } from './arrow-column.ts';
import { arrayColumn, listColumn, mapColumn, structColumn } from './arrow-nested.ts';
import { booleanColumn, decimalColumn, hugeColumn, nothingColumn, plainColumn } from './arrow-numbers.ts';
import { bytesColumn, textColumn } from './arrow-texts.ts';
import { json } from './json-text.ts';
import { apart } from './names.ts';
import { isNameless, text } from './text.ts';

export function arrowColumn(type: DuckDBType): ArrowColumn {
  switch (type.typeId) {
    case DuckDBTypeId.LIST:
      return listColumn(arrowColumn(type.valueType));
    case DuckDBTypeId.ARRAY:
      return arrayColumn(arrowColumn(type.valueType), type.length);
    case DuckDBTypeId.MAP:
      return mapColumn(arrowColumn(type.keyType), arrowColumn(type.valueType));
    case DuckDBTypeId.STRUCT:
      return structColumn(fieldNames(type.entryNames), type.entryTypes.map(arrowColumn));
    case DuckDBTypeId.DECIMAL:
      return decimalColumn(type.width, type.scale);
    case DuckDBTypeId.UNION:
    case DuckDBTypeId.VARIANT:
      return textColumn(type, json);
    default:
      return made[type.typeId]?.() ?? textColumn(type, text);
  }
}

/** Those of `row(1, 2)` are its places. */
function fieldNames(names: readonly string[]): readonly string[] {
  return isNameless(names) ? names.map((_, i) => String(i + 1)) : apart(names);
}

const made: Readonly<Partial<Record<DuckDBTypeId, () => ArrowColumn>>> = {
  [DuckDBTypeId.BOOLEAN]: booleanColumn,
  [DuckDBTypeId.TINYINT]: () => plainColumn(new Int8(), 1),
  [DuckDBTypeId.SMALLINT]: () => plainColumn(new Int16(), 2),
  [DuckDBTypeId.INTEGER]: () => plainColumn(new Int32(), 4),
  [DuckDBTypeId.BIGINT]: () => plainColumn(new Int64(), 8),
  [DuckDBTypeId.UTINYINT]: () => plainColumn(new Uint8(), 1),
  [DuckDBTypeId.USMALLINT]: () => plainColumn(new Uint16(), 2),
  [DuckDBTypeId.UINTEGER]: () => plainColumn(new Uint32(), 4),
  [DuckDBTypeId.UBIGINT]: () => plainColumn(new Uint64(), 8),
  [DuckDBTypeId.FLOAT]: () => plainColumn(new Float32(), 4),
  [DuckDBTypeId.DOUBLE]: () => plainColumn(new Float64(), 8),
  [DuckDBTypeId.HUGEINT]: hugeColumn,
  [DuckDBTypeId.DATE]: () => plainColumn(new DateDay(), 4),
  [DuckDBTypeId.TIME]: () => plainColumn(new TimeMicrosecond(), 8),
  [DuckDBTypeId.TIME_NS]: () => plainColumn(new TimeNanosecond(), 8),
  [DuckDBTypeId.TIMESTAMP]: () => plainColumn(new TimestampMicrosecond(), 8),
  [DuckDBTypeId.TIMESTAMP_S]: () => plainColumn(new TimestampSecond(), 8),
  [DuckDBTypeId.TIMESTAMP_MS]: () => plainColumn(new TimestampMillisecond(), 8),
  [DuckDBTypeId.TIMESTAMP_NS]: () => plainColumn(new TimestampNanosecond(), 8),
  [DuckDBTypeId.TIMESTAMP_TZ]: () => plainColumn(new TimestampMicrosecond('UTC'), 8),
  [DuckDBTypeId.VARCHAR]: () => bytesColumn(new Utf8()),
  [DuckDBTypeId.BLOB]: () => bytesColumn(new Binary()),
  [DuckDBTypeId.GEOMETRY]: () => bytesColumn(new Binary()),
  [DuckDBTypeId.SQLNULL]: nothingColumn,
};
