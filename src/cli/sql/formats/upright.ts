// A row as lines of a name and a value, for rows that are wider than the terminal.
import { displayWidth, fitted, type Paint, padded, wrapped } from '../../../base/terminal.ts';
import { visibleLines } from '../../../base/visible.ts';
import { type Grid, readable } from './grid.ts';

const gap = '  ';

/** Names have at most this share of the line. */
const nameShare = 0.4;

export function* uprightLines({ columns, rows }: Grid, room: number, paint: Paint): Generator<string> {
  const widest = columns.reduce((most, { title }) => Math.max(most, displayWidth(title)), 0);
  const width = Math.min(widest, Math.floor(room * nameShare));
  const below = ' '.repeat(width + gap.length);
  for (const [r, row] of rows.entries()) {
    yield paint.dim(heading(`row ${r + 1}`, room));
    for (const [i, cell] of row.entries()) {
      const name = paint.bold(padded(fitted(columns[i]?.title ?? '', width), width));
      const [first = '', ...others] = valueLines(cell, room - below.length);
      yield `${name}${gap}${cell === null ? paint.dim(first) : first}`;
      for (const line of others) yield below + line;
    }
  }
}

function heading(title: string, room: number): string {
  return `── ${title} ${'─'.repeat(Math.max(2, room - title.length - 4))}`;
}

function valueLines(cell: string | null, room: number): readonly string[] {
  return readable(cell, visibleLines)
    .split('\n')
    .flatMap((line) => wrapped(line, room));
}
