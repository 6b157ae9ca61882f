// What of a result becomes a chart: its columns, and why some results become none.
import type { SqlResult } from '../../../../schemas/sql-output.ts';
import { kindOf, numberOf, type SqlColumn, valueText } from './values.ts';

export const chartKinds = ['line', 'bar', 'scatter'] as const;
export type ChartKind = (typeof chartKinds)[number];

export interface Choice {
  readonly kind: ChartKind;
  readonly x: string;
  readonly y: string;
  /** Empty: one series. */
  readonly series: string;
}

export interface Point {
  /** A number, a moment, or the text of a category. */
  readonly x: number | Date | string;
  readonly y: number;
  readonly series: string;
}

export interface Refusal {
  readonly reason: string;
  /** A query that can be drawn; null: there is none to suggest. */
  readonly sql: string | null;
}

/** Nobody can distinguish more marks, and they slow the page down. */
const mostMarks = 2_000;

export function numericColumns({ columns }: SqlResult): readonly SqlColumn[] {
  return columns.filter(({ type }) => kindOf(type) === 'number');
}

export function plainColumns({ columns }: SqlResult): readonly SqlColumn[] {
  return columns.filter(({ type }) => kindOf(type) !== 'nested');
}

/** What was chosen, where the result still has these columns; else its first columns. Null: no column is a number. */
export function completeChoice(answer: SqlResult, kind: ChartKind, chosen: Partial<Choice>): Choice | null {
  const numeric = numericColumns(answer).map(({ name }) => name);
  const plain = plainColumns(answer).map(({ name }) => name);
  const found = (name: string | undefined, among: readonly string[]): string | undefined =>
    among.find((one) => one === name);
  const chosenX = found(chosen.x, plain);
  const y = found(chosen.y, numeric) ?? numeric.find((name) => name !== (chosenX ?? plain[0])) ?? numeric[0];
  if (y === undefined) return null;
  const x = chosenX ?? plain.find((name) => name !== y) ?? y;
  return { kind, x, y, series: found(chosen.series, plain) ?? '' };
}

export function pointsOf(answer: SqlResult, choice: Choice, sql: string): readonly Point[] | Refusal {
  const { rows, columns } = answer;
  const { x, y, series } = choice;
  const kind = kindOf(columns.find(({ name }) => name === x)?.type ?? '');
  const points = rows.flatMap((row): Point[] => {
    const [across, up] = [row[x], numberOf(row[y])];
    if (across === null || across === undefined || up === null) return [];
    const at =
      kind === 'number' ? numberOf(across) : kind === 'moment' ? momentOf(valueText(across)) : valueText(across);
    if (at === null) return [];
    return [{ x: at, y: up, series: series === '' ? '' : valueText(row[series] ?? null) }];
  });
  if (points.length === 0) return { reason: `No row has both ${x} and ${y}.`, sql: null };
  if (points.length > mostMarks)
    return {
      reason: `${points.length.toLocaleString('en')} marks are too many to read. Aggregate in SQL, for example:`,
      sql: aggregated(sql, choice),
    };
  if (choice.kind === 'bar' && hasTwice(points))
    return {
      reason: `Several rows have the same ${x}${series === '' ? '' : ` and ${series}`}. Aggregate in SQL, for example:`,
      sql: aggregated(sql, choice),
    };
  return points;
}

function momentOf(text: string): Date | null {
  const moment = new Date(text);
  return Number.isNaN(moment.getTime()) ? null : moment;
}

function hasTwice(points: readonly Point[]): boolean {
  return new Set(points.map(({ x, series }) => `${String(x)}\t${series}`)).size < points.length;
}

/** The same query with the mean of every group. */
function aggregated(sql: string, { x, y, series }: Choice): string {
  const groups = [...new Set([x, ...(series === '' ? [] : [series])])].map(quoted).join(', ');
  const inner = sql.trim().replace(/;\s*$/, '');
  return `SELECT ${groups}, avg(${quoted(y)}) AS ${quoted(y)}\nFROM (\n${inner}\n)\nGROUP BY ${groups} ORDER BY ${groups}`;
}

function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
