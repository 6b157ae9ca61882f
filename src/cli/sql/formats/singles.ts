// Numbers and bytes as text.
import { DuckDBBlobValue, DuckDBGeometryValue, type DuckDBValue } from '@duckdb/node-api';

/** The shortest text that is read as the same double again, with a point or an exponent in it. */
export function doubleText(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  const text = String(value);
  return Number.isInteger(value) && !text.includes('e') ? `${text}.0` : text;
}

/** The same of a number of 32 bits, which needs fewer digits. */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return doubleText(short);
  }
  return doubleText(Number(value.toPrecision(9)));
}

export function bytesIn(value: DuckDBValue): Uint8Array {
  if (value instanceof DuckDBBlobValue || value instanceof DuckDBGeometryValue) return value.bytes;
  throw new TypeError(`${typeof value} holds no bytes`);
}

/** As DuckDB writes bytes: what is printable as it is, the rest as `\x00`. */
export function blobText(value: DuckDBValue): string {
  return Buffer.from(bytesIn(value))
    .toString('latin1')
    .replace(/[^\x20-\x7e]|["'\\]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}
