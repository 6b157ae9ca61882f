// Tables without a row: what a new file of tables looks like. Apart from their layout, since a question about tables that are
// up to date must not load DuckDB into the command's own process.
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { TableDefinition } from '../tables/definition.ts';
import { layOut, makeStored, makeViews } from './layout.ts';

/** All of these tables and views, without a row, in memory for as long as `body` takes. */
export async function withEmptyTables<Result>(
  definitions: readonly TableDefinition[],
  body: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const instance = await DuckDBInstance.create(':memory:');
  try {
    const connection = await instance.connect();
    await layOut(connection, 'none');
    for (const definition of definitions) await makeStored(connection, definition);
    await makeViews(connection, definitions);
    return await body(connection);
  } finally {
    instance.closeSync();
  }
}
