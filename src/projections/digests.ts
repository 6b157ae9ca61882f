// Digests of a file of tables, to compare two files: for each table and view, the number of rows and a digest that does
// not depend on their order.
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from './projector/layout.ts';
import { reading, within } from './warehouse/holding.ts';

export type Digests = Readonly<Record<string, string>>;

export type Compared = 'tables and views' | 'tables';

/** For a file that no other process holds for long. */
export async function tableDigests(path: string, compared: Compared = 'tables and views'): Promise<Digests> {
  return await within(path, reading, {}, (connection) => digestsIn(connection, compared));
}

/**
 * Views take longer, and follow from the tables as long as their definitions are the same, of which `log.meta` has a
 * digest.
 */
export async function digestsIn(connection: DuckDBConnection, compared: Compared): Promise<Digests> {
  const columns = await rowsOf(
    connection,
    `SELECT schema_name || '.' || table_name AS relation, column_name AS name, data_type AS type FROM duckdb_columns()
     WHERE NOT internal AND database_name = current_database() AND schema_name IN ('log', 'main') ORDER BY schema_name, table_name, column_index`,
  );
  const tables = await rowsOf(
    connection,
    "SELECT 'log.' || table_name AS relation FROM duckdb_tables() WHERE schema_name = 'log'",
  );
  const stored = new Set(tables.map(({ relation }) => String(relation)));
  const digests: Record<string, string> = {};
  for (const [relation, its] of Map.groupBy(columns, ({ relation }) => String(relation))) {
    const isCompared = stored.has(relation) || (compared === 'tables and views' && relation.startsWith('main.'));
    const values = its.map(({ name, type }) => comparable(String(name), String(type)));
    if (isCompared) digests[relation] = await digestOf(connection, whole(relation), values);
  }
  return digests;
}

/** The number of partial tallies depends on the batches. */
function whole(relation: string): string {
  if (relation !== 'log.tallies') return relation;
  return `(SELECT attempt, split, family, failure_class, sum(COLUMNS(* EXCLUDE (attempt, split, family, failure_class)))
    FROM log.tallies GROUP BY ALL)`;
}

async function digestOf(connection: DuckDBConnection, relation: string, values: readonly string[]): Promise<string> {
  const [row] = await rowsOf(
    connection,
    `SELECT count(*) || ' rows, ' || coalesce(sum(md5_number_lower(row)::HUGEINT) || '-' || sum(md5_number_upper(row)::HUGEINT), 'none')
       AS digest
     FROM (SELECT [${values.map((value) => `${value}::VARCHAR`).join(', ')}]::VARCHAR AS row FROM ${relation})`,
  );
  return String(row?.['digest']);
}

/** The last digits of a sum depend on the order of summation, for small and huge sums alike. */
function comparable(name: string, type: string): string {
  const column = `"${name.replaceAll('"', '""')}"`;
  return type === 'DOUBLE' ? `format('{:.9e}', round(${column}, 12) + 0)` : column;
}
