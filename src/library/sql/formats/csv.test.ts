import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tries } from '../../../../schemas/testing/tries.ts';
import { Duck, writeToText } from './testing/answers.ts';
import { nestedTypes, queriesOf, singleTypes } from './testing/values.ts';

const folder = mkdtempSync(join(tmpdir(), 'icecore-csv-'));
const file = join(folder, 'answer.csv');
let duck: Duck;

beforeAll(async () => {
  duck = await Duck.open();
});

afterAll(() => {
  duck.close();
  rmSync(folder, { recursive: true, force: true });
});

const csvOf = async (sql: string): Promise<string> => (await writeToText(await duck.ask(sql), 'csv')).text;

describe('CSV', () => {
  it('has a header, and quotes what needs it', async () => {
    expect(await csvOf(`SELECT 1 AS a, 'x,y' AS "b ""c""", 'say "hi"' AS d, E'one\\ntwo' AS e`)).toBe(
      'a,"b ""c""",d,e\n1,"x,y","say ""hi""","one\ntwo"\n',
    );
  });

  it('distinguishes NULL from an empty text, also in a single column', async () => {
    expect(await csvOf("SELECT * FROM (VALUES (NULL, ''), ('', NULL)) t(a, b)")).toBe('a,b\n,""\n"",\n');
    expect(await csvOf("SELECT * FROM (VALUES (NULL), ('')) t(a)")).toBe('a\n\n""\n');
  });

  it('is only a header if there are no rows', async () => {
    expect(await csvOf('SELECT 1 AS a, 2 AS b WHERE false')).toBe('a,b\n');
  });

  it('makes duplicate column names unique', async () => {
    expect(await csvOf('SELECT 1 AS a, 2 AS a, 3 AS a_1, 4 AS a')).toBe('a,a_2,a_1,a_3\n1,2,3,4\n');
  });

  it('has all rows, or the requested number', async () => {
    const all = await writeToText(await duck.ask('SELECT range AS i FROM range(5000)'), 'csv');
    expect(all).toMatchObject({ rows: 5000, truncated: false });
    expect(all.text.split('\n')).toHaveLength(5002);
    const some = await writeToText(await duck.ask('SELECT range AS i FROM range(5000)'), 'csv', { limit: 3 });
    expect(some).toMatchObject({ rows: 3, truncated: true, text: 'i\n0\n1\n2\n' });
  });

  it('writes exact characters to a file, and no control characters to a terminal', async () => {
    const sql = "SELECT chr(27) || '[2J' AS a";
    expect(await csvOf(sql)).toBe('a\n\u001b[2J\n');
    expect((await writeToText(await duck.ask(sql), 'csv', { terminal: 80 })).text).toBe('a\n\\x1b[2J\n');
  });

  it('is read by DuckDB with the original values, for random values', async () => {
    const types = [...singleTypes, ...nestedTypes];
    const options =
      "header=true, auto_detect=false, delim=',', quote='\"', escape='\"', nullstr='', allow_quoted_nulls=false";
    await fc.assert(
      fc.asyncProperty(queriesOf(types), async ({ types: names, sql }) => {
        writeFileSync(file, await csvOf(sql));
        const columns = names.map((type, i) => `c${i}: '${type.replaceAll("'", "''")}'`).join(', ');
        const read = `FROM read_csv('${file}', ${options}, columns={${columns}})`;
        expect(await duck.texts(read)).toEqual(await duck.texts(sql));
      }),
      { numRuns: tries(25) },
    );
  });
});
