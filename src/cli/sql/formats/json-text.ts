// Values as JSON that loses nothing: integers that a double cannot hold, and decimals of more than 15 digits, are strings;
// so are NaN and the infinities. Moments are RFC 3339, bytes are base64, a MAP is an object, a UNION an object of one
// member, and what is of type JSON stands as it is.
import { type DuckDBType, DuckDBTypeId, type DuckDBValue } from '@duckdb/node-api';
import { parseJson } from '../../../../schemas/json-text.ts';
import { escapeSteering } from '../../output/json.ts';
import type { Form } from './form.ts';
import { asRfc3339, momentText } from './moments.ts';
import { bytesIn, doubleText, floatText } from './singles.ts';
import { isNameless, text } from './text.ts';

export function stringText(value: string): string {
  return escapeSteering(JSON.stringify(value));
}

export const json: Form = {
  single(type) {
    switch (type.typeId) {
      case DuckDBTypeId.BOOLEAN:
      case DuckDBTypeId.TINYINT:
      case DuckDBTypeId.SMALLINT:
      case DuckDBTypeId.INTEGER:
      case DuckDBTypeId.UTINYINT:
      case DuckDBTypeId.USMALLINT:
      case DuckDBTypeId.UINTEGER:
        return String;
      case DuckDBTypeId.BIGINT:
      case DuckDBTypeId.UBIGINT:
      case DuckDBTypeId.HUGEINT:
      case DuckDBTypeId.UHUGEINT:
      case DuckDBTypeId.BIGNUM:
        return integerText;
      case DuckDBTypeId.DOUBLE:
        return numberText(doubleText);
      case DuckDBTypeId.FLOAT:
        return numberText(floatText);
      case DuckDBTypeId.DECIMAL:
        return decimalText;
      case DuckDBTypeId.BLOB:
      case DuckDBTypeId.GEOMETRY:
        return (value) => `"${Buffer.from(bytesIn(value)).toString('base64')}"`;
      case DuckDBTypeId.TIMESTAMP:
      case DuckDBTypeId.TIMESTAMP_S:
      case DuckDBTypeId.TIMESTAMP_MS:
      case DuckDBTypeId.TIMESTAMP_NS:
      case DuckDBTypeId.TIMESTAMP_TZ:
        return (value) => `"${momentText(value, asRfc3339)}"`;
      case DuckDBTypeId.VARCHAR:
        return isJson(type) ? jsonAsItIs : (value) => stringText(String(value));
      default: {
        const write = text.single(type);
        return (value) => stringText(write(value));
      }
    }
  },
  inside: () => (found) => found ?? 'null',
  list: (items) => `[${items.join(',')}]`,
  struct: (names, fields) => (isNameless(names) ? `[${fields.join(',')}]` : object(names.map(stringText), fields)),
  key: () => (found) => (found.startsWith('"') ? found : stringText(found)),
  map: object,
  union: (tag, value) => object([stringText(tag)], [value]),
};

export function isJson({ alias }: DuckDBType): boolean {
  return alias === 'JSON';
}

function object(keys: readonly string[], values: readonly string[]): string {
  return `{${keys.map((key, i) => `${key}:${values[i]}`).join(',')}}`;
}

const safest = BigInt(Number.MAX_SAFE_INTEGER);

function integerText(value: DuckDBValue): string {
  const isWide = typeof value !== 'bigint' || value > safest || value < -safest;
  return isWide ? `"${String(value)}"` : String(value);
}

function numberText(write: (value: number) => string): (value: DuckDBValue) => string {
  return (value) => {
    if (typeof value !== 'number') return stringText(String(value));
    return Number.isFinite(value) ? write(value) : `"${value}"`;
  };
}

/** So many digits survive the way through a double and back. */
const exactDigits = 15;

function decimalText(value: DuckDBValue): string {
  const found = String(value);
  const digits = found.replace(/^-?0*\.?0*|\./g, '').length;
  return digits <= exactDigits ? found : `"${found}"`;
}

/** On one line; DuckDB takes some texts for JSON that are none, such as NaN: these are strings. */
function jsonAsItIs(value: DuckDBValue): string {
  const found = String(value);
  return isParsed(found) ? escapeSteering(found.replace(/[\n\r\t]/g, ' ')) : stringText(found);
}

function isParsed(found: string): boolean {
  try {
    parseJson(found);
    return true;
  } catch {
    return false;
  }
}
