import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { type DocumentedTable, documentedTables } from './documentation.ts';
import { withEmptyTables } from './projector/empty.ts';
import { rowsOf } from './projector/layout.ts';
import { tableDefinitions } from './tables/catalogue.ts';

let tables: readonly DocumentedTable[];

beforeAll(async () => {
  tables = await documentedTables();
});

describe('the documentation of tables', () => {
  it('has every column of every table, in the order of the table, and no other', async () => {
    const documented = tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`));
    const byTable = (columns: readonly string[]) => Object.groupBy(columns, (column) => column.split('.')[0] ?? '');
    const columns = await withEmptyTables(tableDefinitions(), (connection) =>
      rowsOf(
        connection,
        `SELECT table_name || '.' || column_name AS name FROM duckdb_columns()
         WHERE schema_name = 'main' AND NOT internal ORDER BY table_name, column_index`,
      ),
    );
    expect(byTable(documented)).toEqual(byTable(columns.map(({ name }) => String(name))));
  });

  it('gives each a type and a meaning', () => {
    for (const { name, meaning, columns } of tables) {
      expect(meaning, name).toMatch(/^[A-Z].*\.$/);
      for (const column of columns) {
        expect(column.type, `${name}.${column.name}`).not.toBe('none');
        expect(column.meaning, `${name}.${column.name}`).toMatch(/[^.]$/);
      }
    }
  });

  it('has no name that needs quotes', async () => {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    for (const { name, columns } of tables) {
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
      const values = columns.map((column, i) => `${i} AS ${column.name}`).join(', ');
      const names = columns.map((column) => column.name).join(', ');
      await rowsOf(connection, `WITH ${name} AS (SELECT ${values}) SELECT ${names} FROM ${name}`).catch((error) => {
        throw new Error(`${name}: ${error}`);
      });
    }
    connection.closeSync();
    instance.closeSync();
  });
});
