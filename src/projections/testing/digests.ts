// What a file of tables holds, in a form that two files can be compared by: for each table and each view of people, the
// number of its rows and a digest that does not depend on their order.
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../projector/layout.ts';
import { hold } from '../warehouse/holding.ts';

export type Digests = Readonly<Record<string, string>>;

export type Compared = 'tables and views' | 'tables';

/** Of a file that is held by nobody for long. */
export async function tableDigests(path: string, compared: Compared = 'tables and views'): Promise<Digests> {
  const held = await hold(path, { access_mode: 'READ_ONLY' });
  try {
    return await digestsIn(await held.connect(), compared);
  } finally {
    held.release();
  }
}

/** Views take longer, and follow from the tables as long as they are the same views, of which `log.meta` keeps a digest. */
export async function digestsIn(connection: DuckDBConnection, compared: Compared): Promise<Digests> {
  const views = `UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal AND schema_name = 'main'`;
  const relations = await rowsOf(
    connection,
    `SELECT schema_name AS schema, table_name AS name FROM duckdb_tables() WHERE schema_name = 'log'
     ${compared === 'tables' ? '' : views} ORDER BY ALL`,
  );
  const digests: Record<string, string> = {};
  for (const { schema, name } of relations) {
    const relation = `${String(schema)}.${String(name)}`;
    digests[relation] = await digestOf(connection, relation);
  }
  return digests;
}

async function digestOf(connection: DuckDBConnection, relation: string): Promise<string> {
  const columns = await rowsOf(connection, `DESCRIBE ${relation}`);
  const values = columns.map(({ column_name, column_type }) => comparable(String(column_name), String(column_type)));
  const [row] = await rowsOf(
    connection,
    `SELECT count(*) || ' rows, ' || coalesce(sum(hash(${values.join(', ')})::HUGEINT)::VARCHAR, 'none') AS digest
     FROM ${relation}`,
  );
  return String(row?.['digest']);
}

/** The last digits of a sum depend on the order in which it was summed up, of a huge one as of a small one. */
function comparable(name: string, type: string): string {
  const column = `"${name.replaceAll('"', '""')}"`;
  return type === 'DOUBLE' ? `format('{:.9e}', round(${column}, 12) + 0)` : column;
}
