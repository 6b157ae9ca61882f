import { beforeAll, describe, expect, it } from 'vitest';
import { type Ask, tablesOf } from '../testing/history.ts';
import { tableDefinitions } from './catalogue.ts';

const shown = tableDefinitions().filter(({ columns }) => columns.length > 0);

let ask: Ask;

beforeAll(async () => {
  ask = await tablesOf([]);
});

describe.each(shown)('$name', ({ name, meaning, columns }) => {
  it('says what it is', () => {
    expect(meaning).toMatch(/^[A-Z].*\.$/);
  });

  it('has the columns that it says, in this order', async () => {
    const rows =
      await ask(`SELECT column_name FROM duckdb_columns() WHERE table_name = '${name}' AND schema_name = 'main'
      ORDER BY column_index`);
    expect(columns.map((column) => column.name)).toEqual(rows.map((row) => row['column_name']));
  });

  it('can be asked for every one of them without quotes, where there is nothing at all', async () => {
    expect(await ask(`SELECT ${columns.map((column) => column.name).join(', ')} FROM ${name}`)).toEqual([]);
  });
});
