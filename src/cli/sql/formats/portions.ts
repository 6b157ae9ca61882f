// An answer's rows, a portion at a time, and no more of them than asked for.
import type { DuckDBDataChunk } from '@duckdb/node-api';
import type { Answer } from '../../../projections/query/questions.ts';
import type { Sink } from '../../io.ts';

export interface Written {
  readonly rows: number;
  /** There are more than were written. */
  readonly truncated: boolean;
}

/** Hands out chunks with how many of their rows, from the first, are asked for; null asks for all. */
export async function eachPortion(
  answer: Answer,
  limit: number | null,
  take: (chunk: DuckDBDataChunk, count: number) => Promise<void> | void,
): Promise<Written> {
  let rows = 0;
  for await (const chunk of answer.chunks()) {
    const { rowCount } = chunk;
    const count = limit === null ? rowCount : Math.min(rowCount, limit - rows);
    if (count > 0) await take(chunk, count);
    rows += count;
    if (count < rowCount) return { rows, truncated: true };
  }
  return { rows, truncated: false };
}

/** Text is handed over in pieces of about so many characters. */
export const piece = 2 ** 16;

/** Writes a text a row. A slow reader slows the query. */
export async function eachLine(
  answer: Answer,
  { limit, out }: { readonly limit: number | null; readonly out: Sink },
  lines: (chunk: DuckDBDataChunk) => (row: number) => string,
): Promise<Written> {
  return await eachPortion(answer, limit, async (chunk, count) => {
    const line = lines(chunk);
    let text = '';
    for (let row = 0; row < count; row++) {
      text += line(row);
      if (text.length < piece) continue;
      await out.write(text);
      text = '';
    }
    if (text !== '') await out.write(text);
  });
}
