// The documentation of the tables: meanings come from the SQL files, types from DuckDB, by making every table in memory.
import type { DuckDBConnection } from '@duckdb/node-api';
import { withEmptyTables } from './projector/empty.ts';
import { rowsOf } from './projector/layout.ts';
import { tableDefinitions } from './tables/catalogue.ts';

export interface DocumentedTable {
  readonly name: string;
  readonly meaning: string;
  readonly columns: readonly DocumentedColumn[];
}

interface DocumentedColumn {
  readonly name: string;
  /** As SQL writes it. */
  readonly type: string;
  readonly meaning: string;
}

/** Every table that people see, in the order in which they are to be read. */
export async function documentedTables(): Promise<readonly DocumentedTable[]> {
  return await withEmptyTables(tableDefinitions(), async (connection) => {
    const types = await typesIn(connection);
    // Macros have no columns.
    const shown = tableDefinitions().filter(({ columns }) => columns.length > 0);
    return shown.map(({ name, meaning, columns }) => ({
      name,
      meaning,
      columns: columns.map((column) => ({ ...column, type: types.get(`${name}.${column.name}`) ?? 'none' })),
    }));
  });
}

async function typesIn(connection: DuckDBConnection): Promise<ReadonlyMap<string, string>> {
  const columns = await rowsOf(
    connection,
    `SELECT table_name || '.' || column_name AS name, data_type FROM duckdb_columns()
     WHERE schema_name = 'main' AND NOT internal ORDER BY table_name, column_index`,
  );
  return new Map(columns.map(({ name, data_type }) => [String(name), String(data_type)]));
}
