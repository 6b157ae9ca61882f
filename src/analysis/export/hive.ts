// The names of folders that say which part of a table is in them, as Hive writes them and Spark, Trino, DuckDB, Arrow and
// Polars read them: `run=first/stage=2`.

/** Where the value is null. */
const none = '__HIVE_DEFAULT_PARTITION__';

/**
 * What Hive writes as %XX. Everything else stands as it is, also what is no ASCII: Hive and Spark take each %XX for a
 * character of its own.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among what is written otherwise
const special = /[\u0000-\u001f"#%'*/:=?\\\u007f{[\]^]/g;

export function partitionName(column: string, value: string | null): string {
  if (value === null || value === '') return `${column}=${none}`;
  return `${column}=${value.replace(special, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)}`;
}
