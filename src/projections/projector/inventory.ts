// The structure of a file of tables. A file of unknown origin may contain anything under any name: macros instead of
// functions, computed columns, views instead of tables. It is used only if its structure is exactly that of a new file:
// the same names and the same statements.
import type { DuckDBConnection } from '@duckdb/node-api';
import { type TableCatalogue, tableCatalogue } from '../tables/catalogue.ts';
import { withEmptyTables } from './empty.ts';
import { rowsOf } from './layout.ts';

/**
 * For each kind: the DuckDB function that lists it, and the columns that identify an entry. Function names are
 * qualified, because macros could hide them.
 */
const kinds = {
  schema: ['duckdb_schemas', ['schema_name']],
  table: ['duckdb_tables', ['schema_name', 'table_name', 'sql']],
  view: ['duckdb_views', ['schema_name', 'view_name', 'sql']],
  macro: ['duckdb_functions', ['schema_name', 'function_name', 'parameters', 'macro_definition']],
  sequence: ['duckdb_sequences', ['schema_name', 'sequence_name']],
  type: ['duckdb_types', ['schema_name', 'type_name']],
  index: ['duckdb_indexes', ['schema_name', 'index_name']],
} as const;

/** Nothing in the file is executed: only lists of names and texts are read. */
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

/** After a file was closed and reopened, DuckDB writes statements with other brackets and lists in another order. */
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
