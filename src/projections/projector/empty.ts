// Empty tables, as in a new file. Separate from the layout, because a query on up-to-date tables must not load DuckDB
// into the command's process.
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { TableDefinition } from '../tables/definition.ts';
import { layOut, makeStored, makeViews } from './layout.ts';

/** All of these tables and views, empty and in memory, while `body` runs. */
export async function withEmptyTables<Result>(
  definitions: readonly TableDefinition[],
  body: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const instance = await DuckDBInstance.create(':memory:');
  try {
    const connection = await instance.connect();
    await layOut(connection, 'none');
    await makeStored(connection, definitions);
    await makeViews(connection, definitions);
    return await body(connection);
  } finally {
    instance.closeSync();
  }
}
