// What a question may name besides the tables of the file. Table functions and system tables are listed as allowed: most of
// DuckDB's read files, change settings, or tell of this machine. Other functions only compute, but for those listed here.

/** They compute rows from their arguments, or describe the tables. */
export const allowedTableFunctions: ReadonlySet<string> = new Set([
  'range',
  'generate_series',
  'unnest',
  'repeat',
  'repeat_row',
  'json_each',
  'json_tree',
  'duckdb_columns',
  'duckdb_constraints',
  'duckdb_functions',
  'duckdb_indexes',
  'duckdb_keywords',
  'duckdb_schemas',
  'duckdb_tables',
  'duckdb_types',
  'duckdb_views',
  'pragma_show',
  'pragma_storage_info',
  'pragma_table_info',
  'pragma_version',
  'pg_timezone_names',
]);

/** Views of DuckDB's own that describe tables and name no file. */
export const allowedSystemTables: ReadonlySet<string> = new Set([
  'duckdb_columns',
  'duckdb_constraints',
  'duckdb_indexes',
  'duckdb_schemas',
  'duckdb_tables',
  'duckdb_types',
  'duckdb_views',
  'sqlite_master',
  'sqlite_schema',
]);

export const describingSchema = 'information_schema';

/** What SHOW may list that is no table. */
export const allowedListings: ReadonlySet<string> = new Set(['', 'tables', '__show_tables_expanded', 'databases']);

/** They reach beyond the rows: settings and paths of this machine, its logs, sequences, the clock, SQL within a string. */
export const refusedFunctions: ReadonlySet<string> = new Set([
  'current_setting',
  'currval',
  'getenv',
  'json_execute_serialized_sql',
  'json_serialize_plan',
  'nextval',
  'pg_sleep',
  'setval',
  'sleep_ms',
  'write_log',
]);
