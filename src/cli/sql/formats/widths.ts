// How wide the columns of a table are, so that its lines fit a terminal.
import { displayWidth } from '../../../base/terminal.ts';
import type { GridColumn } from './grid.ts';

export const gap = '  ';

/** A text is not cut to fewer columns than this, and a number not at all: it would be another number. */
const least = 12;

/** For each column its width; null where no table fits. Nothing is cut where `room` is null. */
export function widthsFor(
  columns: readonly GridColumn[],
  rows: readonly (readonly string[])[],
  room: number | null,
): readonly number[] | null {
  const needs = columns.map((column, i) => needOf(column, i, rows));
  const wanted = needs.map(({ wanted: width }) => width);
  const left = room === null ? Number.POSITIVE_INFINITY : room - gap.length * (columns.length - 1);
  if (sum(wanted) <= left) return wanted;
  if (rows.length === 1 || sum(needs.map(({ least: width }) => width)) > left) return null;
  return shrunk(needs, left);
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

/** The widest give way first. */
function shrunk(needs: readonly Need[], room: number): readonly number[] {
  let cap = Math.max(...needs.map(({ wanted }) => wanted));
  const widths = (): readonly number[] => needs.map((need) => Math.max(need.least, Math.min(need.wanted, cap)));
  while (sum(widths()) > room) cap--;
  return widths();
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
