// Values of a result as people read them, and as CSV.
import type { SqlResult, SqlValue } from '../../../../schemas/sql-output.ts';

export type ValueKind = 'number' | 'moment' | 'boolean' | 'nested' | 'text';

export type SqlColumn = SqlResult['columns'][number];
export type SqlRow = SqlResult['rows'][number];

/** What DuckDB's types mean for a reader. */
export function kindOf(type: string): ValueKind {
  if (/\]$|^(?:STRUCT|MAP|UNION)\b|^JSON$/.test(type)) return 'nested';
  if (/^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|FLOAT|DOUBLE|DECIMAL\b.*|BIGNUM)$/.test(type)) return 'number';
  if (/^(?:DATE|TIMESTAMP\b.*)$/.test(type)) return 'moment';
  return type === 'BOOLEAN' ? 'boolean' : 'text';
}

/** As in a cell: numbers with six digits that count, lists and structs as JSON. */
export function valueText(value: SqlValue): string {
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
  return exactText(value);
}

export function exactText(value: SqlValue): string {
  if (value === null) return 'NULL';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A number to sort or draw by; whole numbers that a double cannot hold and NaN arrive as texts. */
export function numberOf(value: SqlValue | undefined): number | null {
  if (value === null || value === undefined || value === '' || typeof value === 'object') return null;
  const number = Number(value);
  return Number.isNaN(number) ? null : number;
}

/** RFC 4180 with line feeds, as `icecore sql --format csv`: NULL is empty, an empty text is "". */
export function csvText(columns: readonly SqlColumn[], rows: readonly SqlRow[]): string {
  const field = (text: string): string => (/^$|[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const cell = (value: SqlValue | undefined): string =>
    value === null || value === undefined ? '' : field(exactText(value));
  const lines = rows.map((row) => columns.map(({ name }) => cell(row[name])).join(','));
  return `${[columns.map(({ name }) => field(name)).join(','), ...lines].join('\n')}\n`;
}
