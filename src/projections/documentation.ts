// The documentation of the tables, as the page docs/tables.md and as data. Descriptions come from the SQL files; types
// and column order come from DuckDB, by creating every table in memory.
import { withEmptyTables } from './projector/empty.ts';
import { rowsOf } from './projector/layout.ts';
import { type TableCatalogue, tableCatalogue } from './tables/catalogue.ts';

export interface DocumentedTable {
  readonly name: string;
  readonly meaning: string;
  /** The plugin that provides it. */
  readonly from: string;
  readonly columns: readonly DocumentedColumn[];
}

interface DocumentedColumn {
  readonly name: string;
  /** As SQL writes it. */
  readonly type: string;
  readonly meaning: string;
}

/** All public tables in reading order, with their columns in order. */
export async function documentedTables(
  { definitions }: Pick<TableCatalogue, 'definitions'> = tableCatalogue(),
): Promise<readonly DocumentedTable[]> {
  const found = await withEmptyTables(definitions, async (connection) => {
    return await rowsOf(
      connection,
      `SELECT table_name, column_name, data_type FROM duckdb_columns()
       WHERE schema_name = 'main' AND NOT internal ORDER BY table_name, column_index`,
    );
  });
  const byTable = Map.groupBy(found, ({ table_name }) => table_name);
  // Macros have no columns.
  const shown = definitions.filter(({ columns }) => columns.length > 0);
  return shown.map(({ name, meaning, columns, plugin }) => {
    const meanings = new Map<unknown, string>(columns.map((column) => [column.name, column.meaning]));
    const its = (byTable.get(name) ?? []).map(({ column_name, data_type }) => ({
      name: String(column_name),
      type: String(data_type),
      meaning: meanings.get(column_name) ?? '',
    }));
    return { name, meaning, from: plugin ?? 'icecore', columns: its };
  });
}
