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

  it('says what each of its columns means, once, and has no other', async () => {
    const rows =
      await ask(`SELECT column_name FROM duckdb_columns() WHERE table_name = '${name}' AND schema_name = 'main'
      ORDER BY column_name`);
    expect(columns.map((column) => column.name).sort()).toEqual(rows.map((row) => row['column_name']));
  });

  it('can be asked for every one of them without quotes, where there is nothing at all', async () => {
    expect(await ask(`SELECT ${columns.map((column) => column.name).join(', ')} FROM ${name}`)).toEqual([]);
  });

  it('can be asked for the first rows of each, however that is written, also beside itself', async () => {
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
