import { beforeAll, describe, expect, it } from 'vitest';
import { type Ask, tablesOf } from '../testing/history.ts';
import { tableDefinitions } from './catalogue.ts';

const shown = tableDefinitions().filter(({ columns }) => columns.length > 0);

let ask: Ask;

beforeAll(async () => {
  ask = await tablesOf([]);
});

describe.each(shown)('$name', ({ name, meaning, columns }) => {
  it('has a description', () => {
    expect(meaning).toMatch(/^[A-Z].*\.$/);
  });

  it('describes each of its columns once, and no other', async () => {
    const rows =
      await ask(`SELECT column_name FROM duckdb_columns() WHERE table_name = '${name}' AND schema_name = 'main'
      ORDER BY column_name`);
    expect(columns.map((column) => column.name).sort()).toEqual(rows.map((row) => row['column_name']));
  });

  it('can be queried for every column without quotes, even if it is empty', async () => {
    expect(await ask(`SELECT ${columns.map((column) => column.name).join(', ')} FROM ${name}`)).toEqual([]);
  });

  it('can be queried for its first rows, in any syntax, and joined with itself', async () => {
    const [first, second] = columns.map((column) => `one.${column.name}`);
    const place = `row_number() OVER (PARTITION BY ${first} ORDER BY ${second})`;
    for (const from of [`${name} AS one`, `${name} AS one JOIN ${name} AS other USING (${columns[0]?.name})`]) {
      for (const sql of [
        `SELECT one.* FROM ${from} QUALIFY ${place} = 1`,
        `SELECT * EXCLUDE (place) FROM (SELECT one.*, ${place} AS place FROM ${from}) WHERE place <= 2`,
      ])
        expect(await ask(sql), sql).toEqual([]);
    }
  });
});
