// Arrow readers get the values of DuckDB. ICECORE_TEST_PYTHON names a Python with pyarrow; by default that is
// .cache/python/bin/python3 or python3.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { tableFromIPC } from 'apache-arrow';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { paintFor } from '../../../base/paint.ts';
import type { Sink } from '../../../base/sink.ts';
import { PipeClosed } from '../../../base/sink.ts';
import { BytesOnTerminal } from './arrow.ts';
import { Duck, writeToText } from './testing/answers.ts';
import { type Generated, nestedTypes, queriesOf, singleTypes } from './testing/values.ts';
import { writeAnswer } from './write.ts';

const installed = fileURLToPath(new URL('../../../../.cache/python/bin/python3', import.meta.url));
const python = process.env['ICECORE_TEST_PYTHON'] ?? (existsSync(installed) ? installed : 'python3');
const hasPyarrow = spawnSync(python, ['-c', 'import pyarrow']).status === 0;
if (!hasPyarrow)
  console.warn(`Tests of Arrow in Python are skipped: ${python} has no pyarrow. Set ICECORE_TEST_PYTHON.`);

let duck: Duck;

beforeAll(async () => {
  duck = await Duck.open();
});

afterAll(() => duck.close());

const bytesOf = async (sql: string, limit: number | null = null): Promise<Uint8Array> =>
  (await writeToText(await duck.ask(sql), 'arrow', { limit })).bytes;

function unionOf(queries: readonly Generated[]): string {
  return queries.map(({ sql }) => `(${sql})`).join(' UNION ALL ');
}

async function columnOf(sql: string): Promise<{ readonly type: string; readonly values: readonly unknown[] }> {
  const table = tableFromIPC(await bytesOf(sql));
  const vector = table.getChildAt(0);
  const values = Array.from(vector ?? [], (value) => JSON.parse(JSON.stringify(value, digits) ?? 'null') as unknown);
  return { type: String(vector?.type), values };
}

function digits(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

describe('Arrow', () => {
  it.each([
    ['TINYINT', '-1', 'Int8', -1],
    ['USMALLINT', '65535', 'Uint16', 65535],
    ['BIGINT', '-9007199254740993', 'Int64', '-9007199254740993'],
    ['UBIGINT', '18446744073709551615', 'Uint64', '18446744073709551615'],
    ['UHUGEINT', '7', 'Utf8', '7'],
    ['FLOAT', '0.5', 'Float32', 0.5],
    ['DOUBLE', '0.1', 'Float64', 0.1],
    ['BOOLEAN', 'true', 'Bool', true],
    ['VARCHAR', 'a text that is longer than twelve bytes', 'Utf8', 'a text that is longer than twelve bytes'],
    ['UUID', '00000000-0000-0000-0000-00000000000a', 'Utf8', '00000000-0000-0000-0000-00000000000a'],
    ['DATE', '1970-01-02', 'Date32<DAY>', 86_400_000],
    ['TIME', '00:00:01', 'Time64<MICROSECOND>', '1000000'],
    ['TIMESTAMP', '1970-01-01 00:00:01', 'Timestamp<MICROSECOND>', 1000],
    ['TIMESTAMPTZ', '1970-01-01 01:00:01+01', 'Timestamp<MICROSECOND, UTC>', 1000],
    ['INTERVAL', '1 month 2 days', 'Utf8', '1 month 2 days'],
    ['INTEGER[]', '[1, NULL, 3]', 'List<Int32>', [1, null, 3]],
    ['INTEGER[2]', '[1, 2]', 'FixedSizeList[2]<Int32>', [1, 2]],
    [
      'STRUCT(a INTEGER, b VARCHAR[])',
      "{'a': 1, 'b': [x, NULL]}",
      'Struct<{a:Int32, b:List<Utf8>}>',
      { a: 1, b: ['x', null] },
    ],
    ['MAP(VARCHAR, INTEGER)', '{a=1, b=NULL}', 'Map<{key:Utf8, value:Int32}>', { a: 1, b: null }],
    ['JSON', '[1]', 'Utf8', '[1]'],
  ])('writes %s %s as %s', async (type, literal, arrowType, value) => {
    const sql = `SELECT * FROM (VALUES (CAST('${literal.replaceAll("'", "''")}' AS ${type})), (NULL)) t(a)`;
    expect(await columnOf(sql)).toEqual({ type: arrowType, values: [value, null] });
  });

  it.each(['DECIMAL(4,1)', 'DECIMAL(9,1)', 'DECIMAL(18,1)', 'DECIMAL(38,1)'])(
    'writes %s as a decimal',
    async (type) => {
      const table = tableFromIPC(await bytesOf(`SELECT (-12.5)::${type} AS a`));
      const [low = 0, ...high] = Array.from(table.getChildAt(0)?.get(0) as Uint32Array);
      expect([low | 0, ...high]).toEqual([-125, 0xffffffff, 0xffffffff, 0xffffffff]);
    },
  );

  const most = '99999999999999999999999999999999999999';
  it('writes sums of integers as decimals of up to 38 digits', async () => {
    const sums = tableFromIPC(await bytesOf('SELECT sum(i) AS a FROM range(4) t(i)'));
    expect(String(sums.getChildAt(0)?.type)).toBe('Decimal[38e0]');
    const sql = `SELECT unnest([${most}, -${most}, NULL]::HUGEINT[]) AS a`;
    expect(tableFromIPC(await bytesOf(sql)).numRows).toBe(3);
  });

  it.each([
    '100000000000000000000000000000000000000',
    '-100000000000000000000000000000000000000',
    '170141183460469231731687303715884105727',
    '-170141183460469231731687303715884105728',
  ])('refuses %s, which is too large for a decimal, and says what to do', async (number) => {
    const asked = bytesOf(`SELECT unnest([NULL, 1, '${number}'::HUGEINT]) AS a`);
    await expect(asked).rejects.toMatchObject({ name: 'TooWideForArrow', remedy: expect.stringContaining('Cast it') });
  });

  const item =
    "CASE WHEN i % 7 = 0 THEN NULL ELSE [{'k': i::INTEGER, 't': [repeat('x', (i % 20)::INTEGER), NULL]}] END";
  it.each([
    ['that were left out', 'SELECT a FROM many WHERE i % 3 <> 1'],
    ['in another order', 'SELECT a FROM many ORDER BY hash(i)'],
    ['that share one value', "SELECT [{'k': 1, 't': ['a text of some length', NULL]}] AS a FROM range(3000)"],
    ['that come again', 'SELECT a FROM many JOIN range(3) n(j) ON i % 3 < j'],
    ['in arrays', 'SELECT array_value(a, NULL) AS a FROM many WHERE i % 5 < 3'],
  ])('keeps nested values of rows %s', async (_, sql) => {
    await duck.connection.run(`CREATE OR REPLACE TABLE many AS SELECT i, ${item} AS a FROM range(5000) t(i)`);
    const expected = await duck.texts(`SELECT to_json(a) AS a FROM (${sql})`);
    const { values } = await columnOf(sql);
    expect(values).toEqual(expected.map(([text]) => JSON.parse(text ?? 'null') as unknown));
  });

  it('has at most the requested number of rows, and a schema even without rows', async () => {
    const [some, none] = [await bytesOf('FROM range(9999)', 2050), await bytesOf('SELECT 1 AS a WHERE false')];
    expect(tableFromIPC(some).numRows).toBe(2050);
    expect(tableFromIPC(none)).toMatchObject({ numRows: 0, numCols: 1 });
  });

  it('makes duplicate column names unique, also for 200 columns', async () => {
    const columns = Array.from({ length: 200 }, (_, i) => `${i} AS a`).join(', ');
    const table = tableFromIPC(await bytesOf(`SELECT ${columns}`));
    expect(new Set(table.schema.fields.map(({ name }) => name)).size).toBe(200);
    expect(table.getChild('a_199')?.get(0)).toBe(199);
  });

  it('splits rows with long texts, so that no batch is too large', async () => {
    const bytes = await bytesOf("SELECT i, repeat('x', 1000000) AS a FROM range(130) t(i)");
    const table = tableFromIPC(bytes);
    expect(table.batches.length).toBeGreaterThan(1);
    expect(Array.from(table.getChild('i') ?? [], Number)).toEqual(Array.from({ length: 130 }, (_, i) => i));
    expect(table.getChild('a')?.get(129)).toHaveLength(1_000_000);
  });

  it('is refused for a terminal', async () => {
    await expect(duck.ask('SELECT 1').then((answer) => writeToText(answer, 'arrow', { terminal: 80 }))).rejects.toThrow(
      BytesOnTerminal,
    );
  });

  it.skipIf(!hasPyarrow)('is read by pyarrow with the original values, for random values', async () => {
    const program = `
import decimal, json, sys, pyarrow as pa
table = pa.ipc.open_stream(sys.stdin.buffer).read_all()
table.validate(full=True)
def text(value):
    if value is None: return None
    return format(value, "f") if isinstance(value, decimal.Decimal) else str(value)
print(json.dumps([[text(value) for value in column.to_pylist()] for column in table.columns]))
`;
    const plain = singleTypes.filter(([type]) => /^(VARCHAR|BOOLEAN|U?[A-Z]*INT|DECIMAL.*|UUID|INTEGER)$/.test(type));
    await fc.assert(
      fc.asyncProperty(fc.array(queriesOf(plain), { minLength: 8, maxLength: 8 }), async (queries) => {
        const sql = unionOf(queries);
        const read = execFileSync(python, ['-c', program], { input: await bytesOf(sql), encoding: 'utf8' });
        const rows = await duck.texts(sql);
        const columns = plain.map((_, i) => rows.map((row) => row[i]));
        expect(JSON.parse(read.replaceAll(/"(True|False)"/g, (found) => found.toLowerCase()))).toEqual(columns);
      }),
      { numRuns: 1, endOnFailure: true },
    );
  });

  it.skipIf(!hasPyarrow)('is valid for pyarrow with every type', async () => {
    const program = 'import sys, pyarrow as pa\npa.ipc.open_stream(sys.stdin.buffer).read_all().validate(full=True)';
    await fc.assert(
      fc.asyncProperty(
        fc.array(queriesOf([...singleTypes, ...nestedTypes]), { minLength: 8, maxLength: 8 }),
        async (queries) => {
          execFileSync(python, ['-c', program], { input: await bytesOf(unionOf(queries)) });
        },
      ),
      { numRuns: 1, endOnFailure: true },
    );
  });
});

describe('every format', () => {
  it.each(['csv', 'ndjson', 'arrow'] as const)(
    '%s waits for its reader, and ends the query when the reader is gone',
    async (format) => {
      const answer = await duck.ask("SELECT i, repeat('x', 100) AS a FROM range(1000000) t(i)");
      let writing = 0;
      let pieces = 0;
      const out: Sink = {
        isTTY: false,
        columns: 80,
        write: async () => {
          expect(++writing).toBe(1);
          await new Promise(setImmediate);
          writing--;
          if (++pieces === 10) throw new PipeClosed();
        },
      };
      const options = { out, paint: paintFor(out, {}), limit: null, asOf: '', behind: 0, unknown: 0, more: '' };
      await expect(writeAnswer(answer, format, options)).rejects.toThrow(PipeClosed);
      expect(answer.taken.ended).toBe(true);
      expect(answer.taken.chunks).toBeLessThan(20);
    },
  );
});
