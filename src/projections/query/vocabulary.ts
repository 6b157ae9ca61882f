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

/** They read the table that is named first; with a text in its place they would read a file. */
export const functionsOfTables: ReadonlySet<string> = new Set(['histogram', 'histogram_values']);
/** What those call it. */
export const sourceArgument = 'source';

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

/** They begin or belong to statements that may not be asked, and to nothing else. */
export const refusedKeywords: ReadonlySet<string> = new Set(
  `abort alter attach begin call checkpoint comment commit copy create deallocate delete detach drop execute export force
   import insert install into load merge pragma prepare reset returning rollback set start truncate update use vacuum`.split(
    /\s+/,
  ),
);

/** Where a name is expected, DuckDB suggests every word that could be one; these are words that are not. */
export const keywordsForTables: ReadonlySet<string> = new Set(
  'select from values with lateral pivot unpivot table tables describe show summarize'.split(' '),
);
export const keywordsForColumns: ReadonlySet<string> = new Set(
  `select from case when then else end cast try_cast coalesce columns distinct all not exists null true false interval date
   timestamp map struct row lambda default extract position substring trim grouping unpack any`.split(/\s+/),
);
