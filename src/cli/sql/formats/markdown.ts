// A table as GitHub draws it from Markdown: a text means itself, whatever marks are in it.

import { literal } from '../../../base/literal.ts';
import type { Answer } from '../../../projections/query/questions.ts';
import { gridOf } from './grid.ts';
import { moreRows } from './more.ts';
import type { Options } from './options.ts';
import type { Written } from './portions.ts';

export async function writeMarkdown(answer: Answer, { out, limit, more }: Options): Promise<Written> {
  const { columns, rows, written } = await gridOf(answer, limit);
  await out.write(line(columns.map(({ title }) => cellText(title))));
  await out.write(line(columns.map(({ align }) => (align === 'right' ? '---:' : '---'))));
  for (const row of rows) await out.write(line(row.map((cell) => (cell === null ? '*NULL*' : cellText(cell)))));
  if (written.truncated) await out.write(`\n${literal(moreRows(written.rows, more))}\n`);
  return written;
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

function cellText(value: string): string {
  return value
    .split(/\r\n|\n|\r/)
    .map(literal)
    .join('<br>');
}
