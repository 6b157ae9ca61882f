import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tries } from '../../../../schemas/testing/tries.ts';
import { displayWidth } from '../../../base/terminal.ts';
import { rounded } from './grid.ts';
import { Duck, writeToText } from './testing/answers.ts';
import { hostileText, nestedTypes, queriesOf, singleTypes } from './testing/values.ts';

let duck: Duck;

beforeAll(async () => {
  duck = await Duck.open();
});

afterAll(() => duck.close());

const tableOf = async (sql: string, asked: Parameters<typeof writeToText>[2] = {}): Promise<string> =>
  (await writeToText(await duck.ask(sql), 'table', asked)).text;

describe('a table', () => {
  it('aligns numbers, and distinguishes NULL from texts', async () => {
    const sql =
      "SELECT * FROM (VALUES (1, 'a', 0.5::DOUBLE), (20, NULL, 1/3), (NULL, '', 12), (3, 'NULL', NULL)) t(n, s, d)";
    expect(await tableOf(sql)).toBe(
      [
        '   n  s              d',
        '   1  a        0.50000',
        '  20  NULL     0.33333',
        "NULL  ''      12.00000",
        "   3  'NULL'      NULL",
        '',
      ].join('\n'),
    );
  });

  it('prints plans as DuckDB draws them', async () => {
    const plan = await tableOf('EXPLAIN SELECT 1 AS one');
    expect(plan.split('\n')[0]).toMatch(/^┌─+┐$/);
    expect(plan).not.toContain('explain_key');
  });

  it('says that more rows are available, and on a terminal that these are all', async () => {
    const sql = 'SELECT range AS i FROM range(3)';
    expect(await tableOf(sql, { limit: 2 })).toBe(
      'i\n0\n1\n2 rows shown, more available: --limit N, or --format csv for all\n',
    );
    expect(await tableOf(sql, { limit: 3 })).toBe('i\n0\n1\n2\n');
    expect(await tableOf(sql, { limit: 3, terminal: 80 })).toBe('i\n0\n1\n2\n3 rows\n');
    expect(await tableOf('SELECT 1 AS i WHERE false', { terminal: 80 })).toBe('i\n0 rows\n');
  });

  it('reads no more of an answer than it shows', async () => {
    const answer = await duck.ask('SELECT range AS i FROM range(1000000)');
    expect(await writeToText(answer, 'table')).toMatchObject({ rows: 100, truncated: true });
    expect(answer.taken).toEqual({ chunks: 1, ended: true });
  });

  it('cuts texts on a narrow terminal, and never numbers', async () => {
    const sql = "SELECT 1234567890123 AS n, repeat('lorem ', 20) AS a, repeat('ipsum ', range) AS b FROM range(1, 3)";
    const text = await tableOf(sql, { terminal: 50 });
    const lines = text.trimEnd().split('\n');
    expect(lines.every((line) => displayWidth(line) <= 50)).toBe(true);
    expect(lines[1]).toMatch(/^1234567890123 {2}lorem lorem .*… {2}ipsum $/);
  });

  it('prints one line per column if the columns do not fit, or if a single row is too wide', async () => {
    const many = Array.from({ length: 200 }, (_, i) => `${i} AS c${i}`).join(', ');
    expect((await tableOf(`SELECT ${many}`, { terminal: 60 })).split('\n').slice(0, 3)).toEqual([
      `── row 1 ${'─'.repeat(51)}`,
      'c0    0',
      'c1    1',
    ]);
    expect(await tableOf("SELECT 'one two three' AS a, E'four\\nfive' AS b", { terminal: 20 })).toBe(
      `── row 1 ${'─'.repeat(11)}\na  one two three\nb  four\n   five\n1 row\n`,
    );
    expect((await tableOf(`SELECT ${many}`)).split('\n')).toHaveLength(3);
  });

  it('shows the beginning of a very long text', async () => {
    const text = await tableOf("SELECT repeat('x', 1000000) AS a, 1 AS b");
    expect(text).toBe(`a${' '.repeat(1000)}  b\n${'x'.repeat(1000)}…  1\n`);
  });

  it('colours only on a terminal', async () => {
    expect(await tableOf('SELECT NULL AS a', { terminal: 80, colours: true })).toContain('\u001b[2mNULL\u001b[0m');
    expect(await tableOf('SELECT NULL AS a', { colours: true })).not.toContain('\u001b');
  });

  it('never lets a value control the terminal, break a line or change its width', async () => {
    const steering = /[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]/u;
    await fc.assert(
      fc.asyncProperty(fc.array(hostileText, { minLength: 2, maxLength: 2 }), async ([a = '', b = '']) => {
        const literal = (text: string): string =>
          `'${text.toWellFormed().replaceAll('\u0000', '').replaceAll("'", "''")}'`;
        const sql = `SELECT ${literal(a)} AS "${b.toWellFormed().replaceAll('\u0000', '').replaceAll('"', '""')}x", 1 AS n FROM range(2)`;
        const text = await tableOf(sql, { terminal: 40 });
        expect(text.replaceAll('\n', '')).not.toMatch(steering);
      }),
      { numRuns: tries(40) },
    );
  });

  it('shows values of every type', async () => {
    await fc.assert(
      fc.asyncProperty(queriesOf([...singleTypes, ...nestedTypes]), async ({ sql }) => {
        const { text, rows } = await writeToText(await duck.ask(sql), 'table');
        expect(text.trimEnd().split('\n')).toHaveLength(rows + 1);
      }),
      { numRuns: 8 },
    );
  });
});

describe('rounding', () => {
  it.each([
    [
      [1, 2, 3],
      ['1.0', '2.0', '3.0'],
    ],
    [
      [0.1, 0.25],
      ['0.10', '0.25'],
    ],
    [
      [0.333333333, 100],
      ['0.33333', '100.00000'],
    ],
    [[123456.789], ['123456.8']],
    [
      [0, null, 1e-9],
      ['0.0', null, '1e-9'],
    ],
    [
      [Number.NaN, -Infinity, 1.5],
      ['NaN', '-Infinity', '1.5'],
    ],
    [[1.23456789e20], ['1.2346e+20']],
  ])('shows %j as %j', (values, texts) => {
    expect(rounded(values)).toEqual(texts);
  });
});

describe('Markdown', () => {
  const markdownOf = async (sql: string, limit = 100): Promise<string> =>
    (await writeToText(await duck.ask(sql), 'markdown', { limit })).text;

  it('is a table as GitHub renders it', async () => {
    expect(await markdownOf("SELECT 1 AS n, 'a' AS knob_name UNION ALL SELECT 2, NULL ORDER BY 1")).toBe(
      '| n | knob_name |\n| ---: | --- |\n| 1 | a |\n| 2 | *NULL* |\n',
    );
  });

  it('escapes Markdown characters', async () => {
    expect(await markdownOf("SELECT E'a|b\\n*c* _d_ e_f <g> [h](i) [1, 2] \\\\' AS x")).toBe(
      '| x |\n| --- |\n| a\\|b<br>\\*c\\* \\_d\\_ e_f \\<g\\> [h\\](i) [1, 2] \\\\ |\n',
    );
  });

  it('says that more rows are available', async () => {
    expect(await markdownOf('SELECT range AS i FROM range(2)', 1)).toBe(
      '| i |\n| ---: |\n| 0 |\n\n1 row shown, more available: --limit N, or --format csv for all\n',
    );
  });
});
