// A query's rows as an Arrow stream.
import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api';
import type { Answer } from '../../projections/query/questions.ts';
import type { Sink } from '../io.ts';
import { paintFor } from '../output/paint.ts';
import { writeArrow } from '../sql/formats/arrow.ts';

/** How many rows it were. */
export async function arrowOf(
  connection: DuckDBConnection,
  sql: string,
  out: Sink,
  signal: AbortSignal,
): Promise<number> {
  const result = await connection.stream(sql);
  const types = result.columnTypes();
  const columns = result.columnNames().flatMap((name, index) => {
    const type = types[index];
    return type === undefined ? [] : [{ name, type }];
  });
  async function* chunks(): AsyncGenerator<DuckDBDataChunk> {
    for (
      let chunk = await result.fetchChunk();
      chunk !== null && chunk.rowCount > 0;
      chunk = await result.fetchChunk()
    ) {
      signal.throwIfAborted();
      yield chunk;
    }
  }
  const answer: Answer = { columns, chunks };
  const options = { out, paint: paintFor(out, {}), limit: null, asOf: '', behind: 0, unknown: 0, more: '' };
  return (await writeArrow(answer, options)).rows;
}
