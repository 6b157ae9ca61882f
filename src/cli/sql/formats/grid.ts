// Rows for people: what is to be read in each cell, on one line or more, with nothing in it that steers a terminal.

import { visible } from '../../../base/visible.ts';
import type { Answer, Column } from '../../../projections/query/questions.ts';
import { isMeasured, isNumeric } from './alignment.ts';
import { cellsOf } from './cells.ts';
import { eachPortion, type Written } from './portions.ts';
import { rounded } from './rounding.ts';
import { text } from './text.ts';

export interface GridColumn {
  readonly title: string;
  readonly align: 'left' | 'right';
}

export interface Grid {
  readonly columns: readonly GridColumn[];
  /** Of texts as they are; null is NULL. */
  readonly rows: readonly (readonly (string | null)[])[];
  readonly written: Written;
}

/** Of a text that is longer, a table shows the beginning. */
const longest = 1000;

export async function gridOf(answer: Answer, limit: number | null): Promise<Grid> {
  const { columns } = answer;
  const rows: (string | null)[][] = [];
  const written = await eachPortion(answer, limit, (chunk, count) => {
    const cells = cellsOf(chunk, columns, text);
    for (let row = 0; row < count; row++) rows.push(cells.map((cell) => beginning(cell(row))));
  });
  return { columns: columns.map(titled), rows: roundedIn(columns, rows), written };
}

function titled({ name, type }: Column): GridColumn {
  return { title: visible(name), align: isNumeric(type) ? 'right' : 'left' };
}

function beginning(found: string | null): string | null {
  if (found === null || found.length <= longest) return found;
  return `${found.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…`;
}

function roundedIn(
  columns: readonly Column[],
  rows: readonly (readonly (string | null)[])[],
): readonly (readonly (string | null)[])[] {
  const measured = columns.map(({ type }, i) => (isMeasured(type) ? rounded(rows.map((row) => number(row[i]))) : null));
  return rows.map((row, r) => row.map((cell, i) => (measured[i] === null ? cell : (measured[i]?.[r] ?? null))));
}

function number(found: string | null | undefined): number | null {
  return found === null || found === undefined ? null : Number(found);
}

/** NULL is the word; a text that would be taken for it, or for nothing, is in quotes. */
export function readable(cell: string | null, show: (text: string) => string = visible): string {
  if (cell === null) return 'NULL';
  return cell === '' || cell === 'NULL' ? `'${cell}'` : show(cell);
}
