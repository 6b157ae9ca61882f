// What stands in a VARIANT. Outside it says of what type it is; what is nested in it is told by its kind of value.
import {
  BIGNUM,
  BIT,
  BLOB,
  BOOLEAN,
  DATE,
  DECIMAL,
  DOUBLE,
  DuckDBArrayValue,
  DuckDBBitValue,
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBGeometryValue,
  DuckDBIntervalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBType,
  DuckDBUUIDValue,
  type DuckDBValue,
  DuckDBVariantValue,
  INTEGER,
  INTERVAL,
  LIST,
  SQLNULL,
  TIMESTAMP,
  TIMESTAMP_MS,
  TIMESTAMP_NS,
  TIMESTAMP_S,
  TIMESTAMPTZ,
  UUID,
  VARCHAR,
} from '@duckdb/node-api';
import type { Form } from './form.ts';

/** Writes a VARIANT that is not NULL; one that holds a NULL is written as NULL is within a list. */
export function variantText(form: Form): (value: DuckDBValue) => string {
  return (value) => outside(value, form) ?? form.inside(SQLNULL)(null);
}

function outside(value: DuckDBValue, form: Form): string | null {
  const held = value instanceof DuckDBVariantValue ? value.value : value;
  if (held === null) return null;
  if (held instanceof DuckDBListValue || held instanceof DuckDBArrayValue) {
    return form.list(held.items.map((item) => inside(item, form)));
  }
  if (held instanceof DuckDBStructValue) {
    const fields = Object.entries(held.entries);
    return form.struct(
      fields.map(([name]) => name),
      fields.map(([, field]) => inside(field, form)),
    );
  }
  if (held instanceof DuckDBMapValue) {
    return form.map(
      held.entries.map(({ key }) => form.key(typeOf(key))(outside(key, form) ?? '')),
      held.entries.map((entry) => inside(entry.value, form)),
    );
  }
  return form.single(typeOf(value))(held);
}

function inside(value: DuckDBValue, form: Form): string {
  return form.inside(typeOf(value))(outside(value, form));
}

function typeOf(value: DuckDBValue): DuckDBType {
  if (value instanceof DuckDBVariantValue) return value.type ?? typeOf(value.value);
  if (typeof value === 'boolean') return BOOLEAN;
  if (typeof value === 'number') return Number.isInteger(value) ? INTEGER : DOUBLE;
  if (typeof value === 'bigint') return BIGNUM;
  return kinds.find(([kind]) => value instanceof kind)?.[1] ?? (isNested(value) ? LIST(VARCHAR) : VARCHAR);
}

function isNested(value: DuckDBValue): boolean {
  return [DuckDBListValue, DuckDBArrayValue, DuckDBStructValue, DuckDBMapValue].some((kind) => value instanceof kind);
}

const kinds = [
  [DuckDBBitValue, BIT],
  [DuckDBBlobValue, BLOB],
  [DuckDBGeometryValue, BLOB],
  [DuckDBDateValue, DATE],
  [DuckDBDecimalValue, DECIMAL(38, 0)],
  [DuckDBIntervalValue, INTERVAL],
  [DuckDBTimestampMillisecondsValue, TIMESTAMP_MS],
  [DuckDBTimestampNanosecondsValue, TIMESTAMP_NS],
  [DuckDBTimestampSecondsValue, TIMESTAMP_S],
  [DuckDBTimestampTZValue, TIMESTAMPTZ],
  [DuckDBTimestampValue, TIMESTAMP],
  [DuckDBUUIDValue, UUID],
] as const;
