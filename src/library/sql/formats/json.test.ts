import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql as schema } from '../../../../schemas/sql-output.ts';
import { tries } from '../../../../schemas/testing/tries.ts';
import { Duck, writeToText } from './testing/answers.ts';
import { nestedTypes, queriesOf, singleTypes } from './testing/values.ts';

const folder = mkdtempSync(join(tmpdir(), 'icecore-json-'));
const file = join(folder, 'answer.ndjson');
let duck: Duck;

beforeAll(async () => {
  duck = await Duck.open();
});

afterAll(() => {
  duck.close();
  rmSync(folder, { recursive: true, force: true });
});

const lineOf = async (sql: string): Promise<string> => (await writeToText(await duck.ask(sql), 'ndjson')).text;

describe('NDJSON', () => {
  it.each([
    ['9007199254740991::BIGINT', '9007199254740991'],
    ['9007199254740992::BIGINT', '"9007199254740992"'],
    ['(-9007199254740992)::HUGEINT', '"-9007199254740992"'],
    ['0.10::DECIMAL(4,2)', '0.10'],
    ['1234567890123.45::DECIMAL(18,2)', '1234567890123.45'],
    ['12345678901234.56::DECIMAL(18,2)', '"12345678901234.56"'],
    ['0.1::FLOAT', '0.1'],
    ['3::DOUBLE', '3.0'],
    ["'nan'::DOUBLE", '"NaN"'],
    ["'-inf'::FLOAT", '"-Infinity"'],
    ["TIMESTAMPTZ '2026-07-01 14:00:00+02'", '"2026-07-01T12:00:00.000Z"'],
    ["TIMESTAMPTZ '2026-07-01 12:00:00.123456'", '"2026-07-01T12:00:00.123456Z"'],
    ["TIMESTAMP '2026-07-01 12:00:00.5'", '"2026-07-01T12:00:00.500"'],
    ["DATE '2026-07-01'", '"2026-07-01"'],
    ["BLOB 'a\\x00'", '"YQA="'],
    ["MAP {'b': 1, 'a': NULL}", '{"b":1,"a":null}'],
    ['MAP {10: 1, 9: 2}', '{"10":1,"9":2}'],
    ["{'10': 1, '9': 2, '__proto__': 3}", '{"10":1,"9":2,"__proto__":3}'],
    ['row(1, row(2, NULL))', '[1,[2,null]]'],
    ['union_value(num := 2)', '{"num":2}'],
    [`'{"a": [1.50,\n 2]}'::JSON`, '{"a": [1.50,  2]}'],
    ["'NaN'::JSON", '"NaN"'],
    ["{'a': [1, 2.5]}::VARIANT", '{"a":[1.0,2.5]}'],
    ['NULL::INTEGER[]', 'null'],
    ["chr(27) || '\u202e'", '"\\u001B\\u202e"'],
  ])('writes %s as %s', async (value, text) => {
    expect(await lineOf(`SELECT ${value} AS a`)).toBe(`{"a":${text}}\n`);
  });

  it('keeps columns with duplicate names', async () => {
    expect(await lineOf('SELECT 1 AS a, 2 AS a, 3 AS "__proto__"')).toBe('{"a":1,"a_1":2,"__proto__":3}\n');
  });

  it('is empty if there are no rows', async () => {
    expect(await lineOf('SELECT 1 AS a WHERE false')).toBe('');
  });

  it('is read by DuckDB with the original values, for random values', async () => {
    const types = [...singleTypes, ...nestedTypes].filter(([type]) => type !== 'BLOB');
    await fc.assert(
      fc.asyncProperty(queriesOf(types), async ({ types: names, sql }) => {
        const text = await lineOf(sql);
        for (const line of text.trimEnd().split('\n')) JSON.parse(line);
        writeFileSync(file, text);
        // DuckDB reads all of these from JSON except BIT, which is compared as text.
        const asked = names.map((type) => (type === 'BIT' ? 'VARCHAR' : type.replaceAll("'", "''")));
        const columns = asked.map((type, i) => `c${i}: '${type}'`).join(', ');
        const read = `FROM read_json('${file}', format='newline_delimited', columns={${columns}})`;
        expect(await duck.texts(read)).toEqual(await duck.texts(sql));
      }),
      { numRuns: tries(25) },
    );
  });
});

describe('JSON', () => {
  it('uses the envelope of all lists, with a description of the columns', async () => {
    const { text } = await writeToText(await duck.ask("SELECT 1 AS a, 'x' AS b, '[]'::JSON AS a"), 'json');
    const answer = schema.parse(JSON.parse(text));
    expect(answer).toEqual({
      as_of: '2026-07-01T12:00:00.000Z',
      behind: 0,
      unknown: 0,
      total: 1,
      columns: [
        { name: 'a', type: 'INTEGER' },
        { name: 'b', type: 'VARCHAR' },
        { name: 'a_1', type: 'JSON' },
      ],
      rows: [{ a: 1, b: 'x', a_1: [] }],
      truncated: false,
    });
  });

  it('reports an unknown total if rows were left out', async () => {
    const read = async (limit: number) =>
      schema.parse(
        JSON.parse((await writeToText(await duck.ask('SELECT * FROM range(3000)'), 'json', { limit })).text),
      );
    expect(await read(2)).toMatchObject({ total: null, truncated: true, rows: [{ range: 0 }, { range: 1 }] });
    expect(await read(3000)).toMatchObject({ total: 3000, truncated: false });
    expect((await read(2999)).rows).toHaveLength(2999);
  });

  it('has an envelope even without rows', async () => {
    const { text } = await writeToText(await duck.ask('SELECT 1 AS a WHERE false'), 'json');
    expect(schema.parse(JSON.parse(text))).toMatchObject({ total: 0, rows: [], truncated: false });
  });

  it('fails as a whole if its query fails after the first rows', async () => {
    const sql = 'SELECT CASE WHEN range < 2500 THEN 1 ELSE error(range::VARCHAR) END FROM range(3000)';
    await expect(duck.ask(sql).then((answer) => writeToText(answer, 'json', { limit: null }))).rejects.toThrow();
  });
});
