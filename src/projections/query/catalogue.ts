// The names in the file: a file that is open for reading does not change, so they are read once.
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Tables } from './mentioned.ts';

export interface Catalogue {
  /** The name of the database, which may stand before a schema. */
  readonly database: string;
  /** By schema; all in small letters, as DuckDB does not tell capitals apart. */
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Where names without a schema are looked for. */
export const mainSchema = 'main';

const named = `
  SELECT current_database() AS database, schema_name, table_name FROM duckdb_tables()
  WHERE NOT internal AND database_name = current_database()
  UNION ALL
  SELECT current_database(), schema_name, view_name FROM duckdb_views() WHERE NOT internal AND database_name = current_database()
  UNION ALL
  SELECT current_database(), '${mainSchema}', NULL`;

export async function readCatalogue(connection: DuckDBConnection): Promise<Catalogue> {
  const rows = (await connection.runAndReadAll(named)).getRows();
  const tables = new Map<string, Set<string>>();
  for (const [, schema, name] of rows) {
    if (name === null || name === undefined) continue;
    tablesOf(tables, String(schema).toLowerCase()).add(String(name).toLowerCase());
  }
  return { database: String(rows[0]?.[0]).toLowerCase(), tables };
}

/** Macros of the file that can stand where a table can. All functions are looked through, which takes its time. */
export async function tableMacros(connection: DuckDBConnection): Promise<ReadonlySet<string>> {
  const reader = await connection.runAndReadAll(
    "SELECT function_name FROM duckdb_functions() WHERE NOT internal AND function_type = 'table_macro'",
  );
  return new Set(reader.getRows().map(([name]) => String(name).toLowerCase()));
}

function tablesOf(tables: Map<string, Set<string>>, schema: string): Set<string> {
  const found = tables.get(schema) ?? new Set<string>();
  tables.set(schema, found);
  return found;
}

/** What main has first; each in the order of its definition. */
export async function columnsByTable(connection: DuckDBConnection): Promise<Tables> {
  const reader = await connection.runAndReadAll(
    `SELECT if(schema_name = '${mainSchema}', table_name, schema_name || '.' || table_name), list(column_name ORDER BY column_index)
     FROM duckdb_columns() WHERE NOT internal AND database_name = current_database() GROUP BY schema_name, table_name
     ORDER BY schema_name <> '${mainSchema}', schema_name, table_name`,
  );
  return new Map(reader.getRowsJS().map(([table, columns]) => [String(table), (columns as unknown[]).map(String)]));
}

/** Those that stand in an expression, but for operators and what DuckDB keeps for itself. */
export async function computingFunctions(connection: DuckDBConnection): Promise<readonly string[]> {
  const reader = await connection.runAndReadAll(
    `SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN ('scalar', 'aggregate', 'macro')
     AND regexp_matches(function_name, '^[a-z]') AND function_name NOT LIKE 'icu_collate_%' ORDER BY function_name`,
  );
  return reader.getRows().map(([name]) => String(name));
}

export async function functionNames(connection: DuckDBConnection): Promise<readonly string[]> {
  const reader = await connection.runAndReadAll('SELECT DISTINCT function_name FROM duckdb_functions()');
  return reader.getRows().map(([name]) => String(name));
}
