// As in RFC 4180, a header and quotes where they are needed; but lines end as in DuckDB and on Unix, where a carriage return
// would be taken for a part of the last field. NULL is empty, an empty text is "".

import { visibleLines } from '../../../base/visible.ts';
import type { Answer } from '../../../projections/query/questions.ts';
import { cellsOf } from './cells.ts';
import { apart } from './names.ts';
import type { Options } from './options.ts';
import { eachLine, type Written } from './portions.ts';
import { text } from './text.ts';

export async function writeCsv(answer: Answer, options: Options): Promise<Written> {
  const { columns } = answer;
  // A file gets the very bytes; a terminal would obey some of them.
  const shown = options.out.isTTY ? visibleLines : (line: string) => line;
  await options.out.write(shown(record(apart(columns.map(({ name }) => name)))));
  return await eachLine(answer, options, (chunk) => {
    const cells = cellsOf(chunk, columns, text);
    return (row) => shown(record(cells.map((cell) => cell(row))));
  });
}

function record(fields: readonly (string | null)[]): string {
  return `${fields.map(field).join(',')}\n`;
}

const needsQuotes = /^$|[",\r\n]/;

function field(value: string | null): string {
  if (value === null) return '';
  return needsQuotes.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
