// A table as GitHub draws it from Markdown: a text means itself, whatever marks are in it.
import type { Answer } from '../../../projections/query/questions.ts';
import { visible } from '../../output/visible.ts';
import { gridOf } from './grid.ts';
import { moreRows } from './more.ts';
import type { Options } from './options.ts';
import type { Written } from './portions.ts';

export async function writeMarkdown(answer: Answer, { out, limit, more }: Options): Promise<Written> {
  const { columns, rows, written } = await gridOf(answer, limit);
  await out.write(line(columns.map(({ title }) => literal(title))));
  await out.write(line(columns.map(({ align }) => (align === 'right' ? '---:' : '---'))));
  for (const row of rows) await out.write(line(row.map((cell) => (cell === null ? '*NULL*' : literal(cell)))));
  if (written.truncated) await out.write(`\n${literal(moreRows(written.rows, more))}\n`);
  return written;
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

/** Underscores within words are only that, and brackets are marks where a link or a footnote could be; the others always. */
const marks = /[\\`*<>|~]|(?<!\w)_|_(?!\w)|\](?=[([:])|\[(?=\^)|&(?=[#\w]+;)/g;

function literal(value: string): string {
  const lines = value.split(/\r\n|\n|\r/);
  return lines.map((found) => visible(found.replace(marks, '\\$&'))).join('<br>');
}
