// An answer as a table on a terminal; where not even the beginnings of its columns have room there, or its only row is
// wider than the terminal, as one line a column. Only a terminal cuts: a file or a pipe gets the texts.

import { counted } from '../../../base/quantity.ts';
import { displayWidth, fitted, padded } from '../../../base/terminal.ts';
import { visibleLines } from '../../../base/visible.ts';
import type { Answer } from '../../../projections/query/questions.ts';
import { type Grid, gridOf, readable } from './grid.ts';
import { moreRows } from './more.ts';
import type { Options } from './options.ts';
import { eachPortion, type Written } from './portions.ts';
import { uprightLines } from './upright.ts';
import { gap, widthsFor } from './widths.ts';

export async function writeTable(answer: Answer, options: Options): Promise<Written> {
  if (isPlan(answer)) return await writePlan(answer, options);
  const { out, limit, more, paint } = options;
  const grid = await gridOf(answer, limit);
  for (const line of lines(grid, options)) await out.write(`${line}\n`);
  const { rows, truncated } = grid.written;
  if (truncated) await out.write(`${moreRows(rows, more)}\n`);
  else if (out.isTTY) await out.write(`${paint.dim(counted(rows, 'row'))}\n`);
  return grid.written;
}

/** What EXPLAIN answers is drawn already. */
function isPlan({ columns }: Answer): boolean {
  return columns.map(({ name }) => name).join() === 'explain_key,explain_value';
}

async function writePlan(answer: Answer, { out }: Options): Promise<Written> {
  return await eachPortion(answer, null, async (chunk) => {
    for (const [, plan] of chunk.getRows()) await out.write(`${visibleLines(String(plan).trimEnd())}\n`);
  });
}

function lines(grid: Grid, { out, paint }: Options): Iterable<string> {
  const shown = grid.rows.map((row) => row.map((cell) => readable(cell)));
  const widths = widthsFor(grid.columns, shown, out.isTTY ? out.columns : null);
  return widths === null ? uprightLines(grid, out.columns, paint) : tableLines(grid, shown, widths, paint);
}

function* tableLines(
  { columns, rows }: Grid,
  shown: readonly (readonly string[])[],
  widths: readonly number[],
  paint: Options['paint'],
): Generator<string> {
  const line = (cells: readonly string[], painted: (text: string, i: number) => string): string => {
    const placed = cells.map((cell, i) => {
      const [width, align] = [widths[i] ?? 0, columns[i]?.align ?? 'left'];
      const text = fitted(cell, width);
      const room = padded('', width - displayWidth(text));
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
