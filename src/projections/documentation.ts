// The documentation of the tables: the page docs/tables.md, and the same as data. Meanings come from the SQL files; types and
// the order of columns come from DuckDB, by making every table in memory.
import { withEmptyTables } from './projector/empty.ts';
import { rowsOf } from './projector/layout.ts';
import { tableDefinitions } from './tables/catalogue.ts';

export interface DocumentedTable {
  readonly name: string;
  readonly meaning: string;
  /** Who brings it. */
  readonly from: string;
  readonly columns: readonly DocumentedColumn[];
}

interface DocumentedColumn {
  readonly name: string;
  /** As SQL writes it. */
  readonly type: string;
  readonly meaning: string;
}

/** Every table that people see, in the order in which they are to be read, with its columns in theirs. */
export async function documentedTables(): Promise<readonly DocumentedTable[]> {
  const found = await withEmptyTables(tableDefinitions(), async (connection) => {
    return await rowsOf(
      connection,
      `SELECT table_name, column_name, data_type FROM duckdb_columns()
       WHERE schema_name = 'main' AND NOT internal ORDER BY table_name, column_index`,
    );
  });
  const byTable = Map.groupBy(found, ({ table_name }) => table_name);
  // Macros have no columns.
  const shown = tableDefinitions().filter(({ columns }) => columns.length > 0);
  return shown.map(({ name, meaning, columns }) => {
    const meanings = new Map<unknown, string>(columns.map((column) => [column.name, column.meaning]));
    const its = (byTable.get(name) ?? []).map(({ column_name, data_type }) => ({
      name: String(column_name),
      type: String(data_type),
      meaning: meanings.get(column_name) ?? '',
    }));
    return { name, meaning, from: 'icecore', columns: its };
  });
}
