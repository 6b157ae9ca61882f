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
  it('has every column of every table in order, and no other', async () => {
    await withEmptyTables(tableDefinitions(), async (connection) => {
      for (const { name, columns } of tables) {
        const all = await connection.runAndReadAll(`SELECT * FROM ${name}`);
        expect(columns.map((column) => column.name)).toEqual(all.columnNames());
      }
    });
  });

  it('gives each a type and a description', () => {
    for (const { name, meaning, columns } of tables) {
      expect(meaning, name).toMatch(/^[A-Z].*\.$/);
      for (const column of columns) {
        expect(column.type, `${name}.${column.name}`).toMatch(/^[A-Z]/);
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
