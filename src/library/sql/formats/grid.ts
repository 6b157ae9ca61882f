// Answers for people: a table for a terminal, or Markdown. Measurements are rounded; texts cannot control a terminal and are escaped
// in Markdown.
import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import { parseJson } from '../../../../schemas/json-text.ts';
import { escapeControls, escapeControlsInLines, escapeMarkdown } from '../../../base/escape.ts';
import { counted } from '../../../base/quantity.ts';
import { displayWidth, type Paint, padText, truncateText, wrapText } from '../../../base/terminal.ts';
import type { Answer, Column } from '../../../projections/query/questions.ts';
import { cellName, eachText, type Options, type Written } from './batches.ts';

interface GridColumn {
  readonly title: string;
  readonly align: 'left' | 'right';
}

interface Grid {
  readonly columns: readonly GridColumn[];
  /** The texts; null is NULL. */
  readonly rows: readonly (readonly (string | null)[])[];
  readonly written: Written;
}

export async function writeTable(answer: Answer, options: Options): Promise<Written> {
  if (isPlan(answer)) return await writePlan(answer, options);
  const { out, more, paint } = options;
  const grid = await gridOf(answer, options);
  for (const line of linesOf(grid, options)) await out.write(`${line}\n`);
  const { rows, truncated } = grid.written;
  if (truncated) await out.write(`${moreRows(rows, more)}\n`);
  else if (out.isTTY) await out.write(`${paint.dim(counted(rows, 'row'))}\n`);
  return grid.written;
}

/** As GitHub renders it. */
export async function writeMarkdown(answer: Answer, options: Options): Promise<Written> {
  const { out, more } = options;
  const { columns, rows, written } = await gridOf(answer, options);
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  await out.write(line(columns.map(({ title }) => markdownText(title))));
  await out.write(line(columns.map(({ align }) => (align === 'right' ? '---:' : '---'))));
  for (const row of rows) await out.write(line(row.map((cell) => (cell === null ? '*NULL*' : markdownText(cell)))));
  if (written.truncated) await out.write(`\n${escapeMarkdown(moreRows(written.rows, more))}\n`);
  return written;
}

function markdownText(value: string): string {
  return value
    .split(/\r\n|\n|\r/)
    .map(escapeMarkdown)
    .join('<br>');
}

function moreRows(rows: number, more: string): string {
  return `${counted(rows, 'row')} shown, more available: ${more}`;
}

/** The result of EXPLAIN is a drawing already. */
function isPlan({ columns }: Answer): boolean {
  return columns.map(({ name }) => name).join() === 'explain_key,explain_value';
}

async function writePlan(answer: Answer, { out }: Options): Promise<Written> {
  let rows = 0;
  for await (const chunk of answer.chunks()) {
    rows += chunk.rowCount;
    for (const [, plan] of chunk.getRows()) await out.write(`${escapeControlsInLines(String(plan).trimEnd())}\n`);
  }
  return { rows, truncated: false };
}

/** A table shows only the beginning of longer texts. */
const longest = 1000;

async function gridOf(answer: Answer, options: Options): Promise<Grid> {
  const { columns } = answer;
  const rows: (string | null)[][] = [];
  const cells = columns.map((_, i) => `left(${cellName(i)}, ${longest + 1})`);
  const sql = `concat('[', string_agg(to_json([${cells.join(', ')}])::VARCHAR, ','), ']')`;
  const types = columns.map(() => 'VARCHAR');
  const written = await eachText(answer, options, types, sql, (bytes) => {
    const some = parseJson(Buffer.from(bytes).toString()) as readonly (readonly (string | null)[])[];
    for (const row of some) rows.push(row.map(beginning));
  });
  return { columns: columns.map(titled), rows: withRounded(columns, rows), written };
}

function titled({ name, type }: Column): GridColumn {
  return { title: escapeControls(name), align: isMeasured(type) || counts.has(type.typeId) ? 'right' : 'left' };
}

function beginning(found: string | null): string | null {
  if (found === null || found.length <= longest) return found;
  return `${found.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Columns of numbers are aligned to the right, so that digits line up. */
const counts: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.TINYINT,
  DuckDBTypeId.SMALLINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UTINYINT,
  DuckDBTypeId.USMALLINT,
  DuckDBTypeId.UINTEGER,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.BIGNUM,
  DuckDBTypeId.DECIMAL,
]);

/** Measurements, unlike counts, are shown with significant digits only. */
function isMeasured({ typeId }: DuckDBType): boolean {
  return typeId === DuckDBTypeId.DOUBLE || typeId === DuckDBTypeId.FLOAT;
}

function withRounded(
  columns: readonly Column[],
  rows: readonly (readonly (string | null)[])[],
): readonly (readonly (string | null)[])[] {
  const measured = columns.map(({ type }, i) => (isMeasured(type) ? rounded(rows.map((row) => number(row[i]))) : null));
  return rows.map((row, r) => row.map((cell, i) => (measured[i] === null ? cell : (measured[i]?.[r] ?? null))));
}

function number(found: string | null | undefined): number | null {
  if (found === null || found === undefined) return null;
  return Number(found.replace('inf', 'Infinity'));
}

const digits = 5;
const maxDecimals = 6;

/** Outside this range a number is shown with an exponent. */
const plain = { from: 1e-4, below: 1e15 };

/** The numbers of one column, with the decimals needed for five significant digits; null is unchanged. CSV and JSON have all
 * digits. */
export function rounded(values: readonly (number | null)[]): readonly (string | null)[] {
  const decimals = values.reduce<number>((most, value) => Math.max(most, decimalsOf(value)), 1);
  return values.map((value) => {
    if (value === null) return null;
    if (isPlain(value)) return value.toFixed(decimals);
    return Number.isFinite(value) ? Number(value.toPrecision(digits)).toExponential() : String(value);
  });
}

function isPlain(value: number): boolean {
  const size = Math.abs(value);
  return value === 0 || (size >= plain.from && size < plain.below);
}

/** The number of decimals that remain when this number is rounded. */
function decimalsOf(value: number | null): number {
  if (value === null || value === 0 || !isPlain(value)) return 0;
  const size = Math.abs(value);
  const wanted = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  const [, decimals = ''] = size.toFixed(Math.min(wanted, maxDecimals)).split('.');
  return decimals.replace(/0+$/, '').length;
}

const gap = '  ';

/** One line per column if even shortened columns do not fit, or if the only row is wider than the terminal. Only a terminal shortens
 * texts: a file or a pipe gets them whole. */
function linesOf(grid: Grid, { out, paint }: Options): Iterable<string> {
  const shown = grid.rows.map((row) => row.map((cell) => readable(cell, escapeControls)));
  const widths = widthsFor(grid.columns, shown, out.isTTY ? out.columns : null);
  return widths === null ? uprightLines(grid, out.columns, paint) : tableLines(grid, shown, widths, paint);
}

/** NULL is printed as the word; a text that looks like it, or is empty, is quoted. */
function readable(cell: string | null, show: (text: string) => string): string {
  if (cell === null) return 'NULL';
  return cell === '' || cell === 'NULL' ? `'${cell}'` : show(cell);
}

function* tableLines(
  { columns, rows }: Grid,
  shown: readonly (readonly string[])[],
  widths: readonly number[],
  paint: Paint,
): Generator<string> {
  const line = (cells: readonly string[], painted: (text: string, i: number) => string): string => {
    const placed = cells.map((cell, i) => {
      const [width, align] = [widths[i] ?? 0, columns[i]?.align ?? 'left'];
      const text = truncateText(cell, width);
      const room = padText('', width - displayWidth(text));
      const isLast = i === cells.length - 1;
      return align === 'right' ? room + painted(text, i) : painted(text, i) + (isLast ? '' : room);
    });
    return placed.join(gap);
  };
  yield line(
    columns.map(({ title }) => title),
    paint.bold,
  );
  for (const [r, cells] of shown.entries()) {
    yield line(cells, (text, i) => (rows[r]?.[i] === null ? paint.dim(text) : text));
  }
}

/** Texts are not cut below this width, and numbers not at all, because a cut number would be wrong. */
const least = 12;

/** The width of each column; null if the table does not fit. Nothing is cut if `room` is null. */
function widthsFor(
  columns: readonly GridColumn[],
  rows: readonly (readonly string[])[],
  room: number | null,
): readonly number[] | null {
  const needs = columns.map((column, i) => needOf(column, i, rows));
  const wanted = needs.map(({ wanted: width }) => width);
  const left = room === null ? Number.POSITIVE_INFINITY : room - gap.length * (columns.length - 1);
  if (sum(wanted) <= left) return wanted;
  if (rows.length === 1 || sum(needs.map(({ least: width }) => width)) > left) return null;
  // The widest columns shrink first.
  let cap = Math.max(...wanted);
  const widths = (): readonly number[] => needs.map((need) => Math.max(need.least, Math.min(need.wanted, cap)));
  while (sum(widths()) > left) cap--;
  return widths();
}

interface Need {
  readonly wanted: number;
  readonly least: number;
}

function needOf({ title, align }: GridColumn, i: number, rows: readonly (readonly string[])[]): Need {
  const cells = rows.reduce((most, row) => Math.max(most, displayWidth(row[i] ?? '')), 1);
  const wanted = Math.max(displayWidth(title), cells);
  return { wanted, least: align === 'right' ? Math.max(cells, Math.min(wanted, least)) : Math.min(wanted, least) };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Names take at most this share of the line. */
const nameShare = 0.4;

function* uprightLines({ columns, rows }: Grid, room: number, paint: Paint): Generator<string> {
  const widest = columns.reduce((most, { title }) => Math.max(most, displayWidth(title)), 0);
  const width = Math.min(widest, Math.floor(room * nameShare));
  const below = ' '.repeat(width + gap.length);
  for (const [r, row] of rows.entries()) {
    const title = `── row ${r + 1} `;
    yield paint.dim(title + '─'.repeat(Math.max(2, room - title.length)));
    for (const [i, cell] of row.entries()) {
      const name = paint.bold(padText(truncateText(columns[i]?.title ?? '', width), width));
      const lines = readable(cell, escapeControlsInLines).split('\n');
      const [first = '', ...others] = lines.flatMap((line) => wrapText(line, room - below.length));
      yield `${name}${gap}${cell === null ? paint.dim(first) : first}`;
      for (const line of others) yield below + line;
    }
  }
}
