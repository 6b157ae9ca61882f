// What a file of tables consists of, beside its rows. A file that nothing vouches for may hold anything under any name: macros
// in place of functions, columns that compute, views in place of tables. It is used only if it is laid out as this icecore lays
// out a new one: nothing there has another name, and no statement has another word in it.
import type { DuckDBConnection } from '@duckdb/node-api';
import { type TableCatalogue, tableCatalogue } from '../tables/catalogue.ts';
import { withEmptyTables } from './empty.ts';
import { rowsOf } from './layout.ts';

/** Of each kind: where DuckDB lists it, and what tells one from another. Functions named in full, since macros hide others. */
const kinds = {
  schema: ['duckdb_schemas', ['schema_name']],
  table: ['duckdb_tables', ['schema_name', 'table_name', 'sql']],
  view: ['duckdb_views', ['schema_name', 'view_name', 'sql']],
  macro: ['duckdb_functions', ['schema_name', 'function_name', 'parameters', 'macro_definition']],
  sequence: ['duckdb_sequences', ['schema_name', 'sequence_name']],
  type: ['duckdb_types', ['schema_name', 'type_name']],
  index: ['duckdb_indexes', ['schema_name', 'index_name']],
} as const;

/** No function is called and nothing of the file is evaluated: only lists of names and texts are read. */
async function inventoryOf(connection: DuckDBConnection): Promise<string> {
  const found: string[] = [];
  for (const [kind, [list, columns]] of Object.entries(kinds)) {
    const rows = await rowsOf(connection, `SELECT * FROM system.main.${list}()`);
    const own = rows.filter(
      ({ database_name, internal }) => internal !== true && !builtIn.includes(String(database_name)),
    );
    found.push(
      ...own.map((row) => JSON.stringify([kind, ...columns.map((column) => comparable(column, row[column]))])),
    );
  }
  return found.sort().join('\n');
}

/** DuckDB writes a statement with other brackets, and its lists in another order, after the file was closed and opened. */
function comparable(column: string, value: unknown): unknown {
  if (column !== 'sql' && column !== 'macro_definition') return value;
  const words = String(value).match(/'(?:[^']|'')*'|\w+/g) ?? [];
  return words
    .filter((word) => word !== 'lambda' && word !== 'row')
    .sort()
    .join(' ');
}

const builtIn = ['system', 'temp'];

const expected = new WeakMap<TableCatalogue, Promise<string>>();

async function newInventory({ definitions }: TableCatalogue): Promise<string> {
  return await withEmptyTables(definitions, inventoryOf);
}

export async function isAsLaidOut(
  connection: DuckDBConnection,
  catalogue: TableCatalogue = tableCatalogue(),
): Promise<boolean> {
  const own = expected.get(catalogue) ?? newInventory(catalogue);
  expected.set(catalogue, own);
  return (await inventoryOf(connection)) === (await own);
}
