// What a user of queries can rely on: complete results or an error, effective limits, and a released file.
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { AtPlace } from './errors.ts';
import { openQuestions, type Questions } from './questions.ts';
import { chunksOf, rowsOf, type Sample, sampleTables } from './testing/tables.ts';

let sample: Sample;
let questions: Questions;

beforeAll(async () => {
  sample = await sampleTables();
  questions = await openQuestions(sample.path, { memoryMegabytes: 100, seconds: 20 });
});
afterAll(async () => {
  await questions.close();
  sample.remove();
});

/** With a separate file: within a process, one instance at a time has a file open. */
async function hastily(seconds: number): Promise<Questions> {
  const own = await sampleTables();
  onTestFinished(own.remove);
  return await openQuestions(own.path, { memoryMegabytes: 100, seconds });
}

const ask = async (sql: string) => rowsOf(await questions.ask(sql));
const failure = async (sql: string) => ask(sql).then(unexpected, (error: AtPlace) => error);
const unexpected = (): never => expect.unreachable('it was answered');
const endless = 'SELECT sum(i % 7) FROM range(1000000000000000) t(i)';

describe('a result', () => {
  it.each([
    ["SELECT count(*) FROM rollouts WHERE outcome = 'hole'", [['1000']]],
    ['FROM stage_stats ORDER BY ALL LIMIT 1;', [['run-0', '1', '417']]],
    ['FROM tables.log.stages', [['run-0', '1', '8']]],
    ['-- a remark\nVALUES (1), (2) -- another', [['1'], ['2']]],
    ['WITH few AS (FROM rollouts LIMIT 2) SELECT count(*) FROM few', [['2']]],
    ['WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT max(i) FROM n', [['3']]],
    [
      `SELECT 1e400, -1e400, 'Infinity', '\\', '"value":Infinity'`,
      [['Infinity', '-Infinity', 'Infinity', '\\', '"value":Infinity']],
    ],
    ['SHOW TABLES', [['rollouts'], ['stage_stats']]],
    ['SELECT column_name FROM (DESCRIBE stage_stats)', [['run'], ['stage'], ['rollouts']]],
    [
      'SELECT column_name, max FROM (SUMMARIZE log.stages)',
      [
        ['run', 'run-0'],
        ['stage', '1'],
        ['family', '8'],
      ],
    ],
    ["PIVOT (SELECT outcome FROM rollouts) ON outcome IN ('hole', 'valid') USING count(*)", [['1000', '4000']]],
    [
      'UNPIVOT (SELECT 1 AS a, 2 AS b) ON a, b',
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    ['SELECT count(*) FROM of_run(1)', [['1667']]],
    ['SELECT bin, count FROM histogram(rollouts, stage) LIMIT 1', [['x <= 1', '1250']]],
    ['SELECT sum(count) FROM histogram_values(log.rollouts, number, bin_count := 3)', [['5000']]],
    [
      "SELECT table_name FROM information_schema.tables WHERE table_schema = 'main' ORDER BY 1",
      [['rollouts'], ['stage_stats']],
    ],
  ])('of %s', async (sql, rows) => {
    expect(await ask(sql)).toEqual(rows);
  });

  it.each([
    'SELECT run, stage, n - lag(n) OVER (PARTITION BY run ORDER BY stage) FROM (SELECT run, stage, count(*) AS n FROM rollouts GROUP BY ALL)',
    'FROM rollouts SELECT run, number QUALIFY row_number() OVER (PARTITION BY run ORDER BY number DESC) = 1',
    'FROM rollouts r ASOF JOIN log.stages s ON r.run = s.run AND r.stage >= s.stage SELECT r.number LIMIT 1',
    'FROM (VALUES (1), (2)) v(a) POSITIONAL JOIN (SELECT unnest([3, 4]) AS b)',
    'SELECT list_transform([1, 2], lambda x: x + 1), [x * 2 FOR x IN [1, 2] IF x > 1], {a: 1}.a, MAP {1: 2}[1]',
    "SELECT regexp_extract(text, '([0-9]+)', 1), text SIMILAR TO 'a.*' FROM rollouts LIMIT 1",
    "SELECT date_trunc('hour', TIMESTAMP '2026-01-02 03:04:05') + INTERVAL 1 DAY, current_date, now()",
    "SELECT round(COLUMNS('stage|number'), 1), * EXCLUDE (text) FROM rollouts LIMIT 1",
    'FROM rollouts USING SAMPLE 10 ROWS',
    'SELECT avg(number) FROM rollouts TABLESAMPLE reservoir(20%) REPEATABLE (7)',
    'SELECT s, count(number) FROM generate_series(1, 6) t(s) LEFT JOIN rollouts ON s = stage GROUP BY s',
    'SELECT run, (SELECT count(*) FROM rollouts r WHERE r.run = s.run) FROM log.stages s',
    'SELECT run, stage, count(*) FROM rollouts GROUP BY ROLLUP (run, stage)',
    "SELECT count(*) FILTER (outcome = 'hole') AS größe, arg_max(text, number), quantile_cont(number, [.1, .9]) FROM rollouts",
    `SELECT j.key FROM json_each('{"a": 1}') j`,
    'FROM stage_stats UNPIVOT (value FOR name IN (stage, rollouts))',
    "UNPIVOT stage_stats ON COLUMNS('st.*|rollouts')",
    'SELECT * FROM (SHOW TABLES), (DESCRIBE rollouts) LIMIT 1',
    'SELECT run FROM rollouts INTERSECT SELECT run FROM log.stages',
    'SELECT total: count(*), run FROM rollouts GROUP BY run',
  ])('of %s has rows', async (sql) => {
    expect(await ask(sql)).not.toEqual([]);
  });

  it.each([
    ['PIVOT (SELECT outcome FROM rollouts) ON outcome USING count(*)', 'hole valid', [['1000', '4000']]],
    ['PIVOT (SELECT outcome FROM rollouts) ON outcome', 'hole valid', [['1000', '4000']]],
    ["PIVOT rollouts ON (outcome = 'valid') USING count(*) GROUP BY run LIMIT 0", 'run false true', []],
    [
      'PIVOT_WIDER rollouts ON outcome, stage IN (1, 2) USING count(*) GROUP BY run ORDER BY run LIMIT 1;',
      'run hole_1 hole_2 valid_1 valid_2',
      [['run-0', '84', '83', '333', '333']],
    ],
    [
      "-- PIVOT x ON y USING z\nWITH few AS (FROM rollouts WHERE text != ' ON a USING ') SELECT * FROM (PIVOT few ON run || ' ' || outcome USING count(*) GROUP BY stage) ORDER BY stage LIMIT 1",
      'stage run-0 hole run-0 valid run-1 hole run-1 valid run-2 hole run-2 valid',
      [['1', '84', '333', '83', '334', '83', '333']],
    ],
    [
      'PIVOT (PIVOT rollouts ON outcome USING count(*) GROUP BY run) ON run USING max(valid) GROUP BY hole ORDER BY hole DESC LIMIT 1',
      'hole run-0 run-1 run-2',
      [['334', '1333', 'null', 'null']],
    ],
    ['WITH a AS (PIVOT rollouts ON outcome GROUP BY run) FROM a UNION ALL FROM a LIMIT 0', 'run hole valid', []],
    ['DESCRIBE PIVOT log.stages ON run', 'column_name column_type null key default extra', null],
  ])('finds the columns of %s', async (sql, columns, rows) => {
    const answer = await questions.ask(sql);
    expect(answer.columns.map(({ name }) => name).join(' ')).toBe(columns);
    const found = await rowsOf(answer);
    if (rows !== null) expect(found).toEqual(rows);
    expect(await ask('SELECT type_name FROM duckdb_types() WHERE NOT internal')).toEqual([]);
  });

  it('is never silently truncated after its columns were found, either', async () => {
    const late = await questions.ask(
      `SELECT CASE WHEN i = 900000 THEN 'x' ELSE '1' END::INTEGER AS n
       FROM range(1000000) t(i), (PIVOT (FROM log.stages) ON run USING count(*))`,
    );
    await expect(chunksOf(late)).rejects.toThrow("Could not convert string 'x' to INT32");
  });

  it.each([
    'EXPLAIN FROM runs',
    'EXPLAIN (FORMAT json) PIVOT runs ON outcome, stage',
    'EXPLAIN ANALYZE PIVOT runs ON run',
    'EXPLAIN ANALYZE (SELECT 1)',
    'explain /* so */ (format json) SELECT 1',
  ])('of %s is a plan', async (sql) => {
    const [[, plan = ''] = []] = await ask(sql.replace('runs', 'rollouts'));
    expect(plan).toMatch(/PROJECTION|SCAN/);
  });

  it('has the names and types of its columns before its rows', async () => {
    const answer = await questions.ask("SELECT 1 AS n, 'x' AS n, [1.5] AS list");
    expect(answer.columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'n INTEGER',
      'n VARCHAR',
      'list DECIMAL(2,1)[]',
    ]);
    await chunksOf(answer);
  });

  it('streams: memory does not grow with the rows', async () => {
    const before = process.memoryUsage.rss();
    const answer = await questions.ask("SELECT repeat('x', 1000) FROM range(600000)");
    let rows = 0;
    let most = 0;
    for await (const chunk of answer.chunks()) {
      rows += chunk.rowCount;
      most = Math.max(most, process.memoryUsage.rss() - before);
    }
    expect(rows).toBe(600_000);
    expect(most).toBeLessThan(300e6);
  });

  it('of a hundred million rows ends when the consumer has enough', async () => {
    const answer = await questions.ask('SELECT * FROM range(100000000)');
    for await (const chunk of answer.chunks()) {
      expect(chunk.rowCount).toBeGreaterThan(0);
      break;
    }
    expect(await ask('SELECT 1')).toEqual([['1']]);
  });

  it('is never silently truncated: a failure after the first rows is an error', async () => {
    const late = await questions.ask(
      "SELECT CASE WHEN i = 900000 THEN 'x' ELSE '1' END::INTEGER AS n FROM range(1000000) t(i)",
    );
    await expect(chunksOf(late)).rejects.toMatchObject({ name: 'BrokenSql', kind: 'bad-input' });
  });

  it('may be read concurrently with others', async () => {
    const [first, second] = [await questions.ask('FROM rollouts'), await questions.ask('FROM rollouts')];
    expect(await Promise.all([rowsOf(first), rowsOf(second), ask('SELECT 1')])).toHaveLength(3);
  });
});

describe('an error in a statement', () => {
  it('shows its place', async () => {
    const error = await failure('SELECT run\nFROM rollouts\n  WHERE');
    expect(error).toMatchObject({
      name: 'BrokenSql',
      kind: 'bad-input',
      facts: { line: 3, column: 8, excerpt: 'LINE 3:   WHERE\n               ^' },
    });
    expect(error.message).toBe('line 3, column 8: syntax error at end of input');
  });

  it('in grouping says how to group', async () => {
    const sql = 'SELECT run, sum(count(*)) OVER (PARTITION BY stage) FROM rollouts GROUP BY';
    expect(await failure(`${sql} ALL`)).toMatchObject({
      name: 'BrokenSql',
      remedy: 'Name each column that is in no aggregate after GROUP BY, instead of GROUP BY ALL.',
    });
  });

  it('in its first word suggests the statement that was probably meant', async () => {
    expect(await failure('SELEC run FROM rollouts')).toMatchObject({ remedy: 'Did you mean SELECT?' });
    expect(await failure('hello')).toMatchObject({ name: 'BrokenSql', remedy: '' });
  });

  it('at an SQL keyword used as an alias says to write AS', async () => {
    const remedy = 'If share is an alias, write AS share: it is also a word of SQL.';
    expect(await failure('SELECT count(*) share FROM rollouts')).toMatchObject({ remedy });
    expect(await failure('SELECT run, outcome SHARE FROM rollouts')).toMatchObject({
      remedy: remedy.replaceAll('share', 'SHARE'),
    });
    expect(await failure('SELECT run FROM rollouts WEHRE outcome')).toMatchObject({ remedy: '' });
    expect(await failure('SELECT share share, FROM WHERE')).toMatchObject({ name: 'BrokenSql' });
  });

  it('counts characters, not bytes, after EXPLAIN as well', async () => {
    const error = await failure("EXPLAIN /* é */ SELECT 'é', outcom FROM rollouts");
    expect(error.message).toBe('line 1, column 29: there is no column "outcom", perhaps "outcome"');
    expect(
      String(error.facts['excerpt'])
        .split('\n')
        .map((line) => line.indexOf('^')),
    ).toEqual([-1, 'LINE 1: '.length + 28]);
  });

  it.each([
    ['FROM rolouts', 'there is no table "rolouts", perhaps "rollouts"', ''],
    ['FROM stages', 'there is no table "stages", perhaps "log.stages"', ''],
    ['FROM nothing', 'there is no table "nothing"', 'There are the tables rollouts, stage_stats.'],
    ['SELECT r.stge FROM rollouts r', 'there is no column "stge", perhaps "stage"', ''],
    ['SELECT colour FROM log.stages', 'there is no column "colour"', 'There are the columns run, stage, family.'],
    ['SELECT 1 FROM rollouts WHERE outcome = "good"', 'no column "good"', "Write a text in single quotes: 'good'."],
    ['SELECT 1 FROM rollouts WHERE outcome = quiet', 'no column "quiet"', "Write a text in single quotes: 'quiet'."],
    ['SELECT 1 FROM rollouts WHERE outcome IN (quiet)', 'no column', "Write a text in single quotes: 'quiet'."],
    ['SELECT "outcom" FROM rollouts', 'there is no column "outcom", perhaps "outcome"', ''],
    ["SELECT uper('x')", 'there is no function "uper", perhaps "upper"', ''],
  ])('in %s names the unknown table, column or function', async (sql, what, remedy) => {
    const error = await failure(sql);
    expect(error).toMatchObject({ name: 'UnknownName', kind: 'not-found', remedy });
    expect(error.message).toContain(what);
  });

  it.each([
    ['', 'the query is empty'],
    ['-- only a remark', 'the query is empty'],
    ["SELECT 'abc'::INTEGER", "Could not convert string 'abc' to INT32"],
    ['SELECT lower(1, 2, 3)', 'No function matches'],
    ['SELECT $1', 'parameters'],
    ['SELECT 1; SELECT 2', 'more than one statement'],
    ['PIVOT rollouts ON outcome, stge', 'line 1, column 28: there is no column "stge", perhaps "stage"'],
    ['DROP TABLE rollouts', 'DROP is not allowed here'],
    ["FROM 'x.csv'", 'reading from "x.csv" is not allowed here'],
  ])('in %j has a description', async (sql, what) => {
    const error = await failure(sql);
    expect(['bad-input', 'not-found']).toContain(error.kind);
    expect(error.message).toContain(what);
    expect(error.message).not.toMatch(/[\n{]/);
  });
});

it('the error of a refused statement suggests an alternative', async () => {
  expect(await failure("COPY rollouts TO 'x.csv'")).toMatchObject({
    commandRemedy: expect.stringContaining('--output'),
  });
  expect(await failure('CREATE TEMP TABLE few AS FROM runs')).toMatchObject({
    remedy: expect.stringContaining('WITH'),
  });
  expect(await failure('PRAGMA show_tables')).toMatchObject({ remedy: expect.stringContaining('SHOW TABLES') });
  expect(await failure('DELETE FROM runs')).toMatchObject({ remedy: expect.stringContaining('SUMMARIZE, PIVOT') });
});

describe('limits', () => {
  it('end an endless query', async () => {
    const hasty = await hastily(0.1);
    const error = await hasty.ask(endless).then(unexpected, (fault: unknown) => fault);
    expect(error).toMatchObject({ name: 'TookTooLong', facts: { seconds: 0.1, stopped: true } });
    expect(await rowsOf(await hasty.ask('SELECT 1'))).toEqual([['1']]);
    await hasty.close();
  });

  it('apply while rows stream', async () => {
    const hasty = await hastily(0.1);
    const answer = await hasty.ask('SELECT * FROM range(100000000000)');
    await expect(chunksOfAtMost(answer, 1e6)).rejects.toMatchObject({ name: 'TookTooLong' });
    await hasty.close();
  });

  it('do not count the time in which the caller processes rows', async () => {
    const hasty = await hastily(1);
    let slow = true;
    for await (const _ of (await hasty.ask('FROM rollouts')).chunks()) {
      const until = performance.now() + (slow ? 1_200 : 0);
      while (performance.now() < until);
      slow = false;
    }
    await hasty.close();
  });

  it('apply to memory: exceeding it is an error that says how to allow more', async () => {
    const error = await failure('SELECT list(i) OVER (ORDER BY i) FROM range(100000) t(i)');
    expect(error).toMatchObject({ name: 'TooMuchMemory', facts: { memoryMegabytes: 100 } });
    expect(error).toMatchObject({
      remedy: 'Select fewer rows or columns.',
      commandRemedy: expect.stringContaining('--memory 200'),
    });
    expect(await ask('SELECT 1')).toEqual([['1']]);
  });

  it('a query is cancelled by its signal, and no other one', async () => {
    const cancel = new AbortController();
    const doomed = questions.ask(endless, cancel.signal);
    const spared = questions.ask('FROM rollouts');
    setImmediate(() => cancel.abort());
    await expect(doomed).rejects.toMatchObject({ name: 'QuestionCancelled', kind: 'interrupted' });
    expect(await rowsOf(await spared)).toHaveLength(5_000);
    await expect(questions.ask('SELECT 1', cancel.signal)).rejects.toMatchObject({ name: 'QuestionCancelled' });
  });

  it('a query is cancelled between its rows', async () => {
    const cancel = new AbortController();
    const rows = (await questions.ask('SELECT * FROM range(100000000)', cancel.signal))
      .chunks()
      [Symbol.asyncIterator]();
    await rows.next();
    cancel.abort();
    await expect(rows.next()).rejects.toMatchObject({ name: 'QuestionCancelled' });
  });
});

describe('closing', () => {
  const openFiles = '/proc/self/fd';
  const held = (path: string) =>
    readdirSync(openFiles).filter((fd) => {
      try {
        return readlinkSync(join(openFiles, fd)) === path;
      } catch {
        return false;
      }
    });

  it.skipIf(!existsSync(openFiles))('releases the file, whatever the state of queries', async () => {
    const other = await sampleTables();
    const own = await openQuestions(other.path, { memoryMegabytes: 100, seconds: 20 });
    await rowsOf(await own.ask('FROM rollouts'));
    await own.ask('FROM range(100000000)');
    await (await own.ask('FROM range(100000000)')).chunks()[Symbol.asyncIterator]().next();
    await own.ask('SELECT nowhere FROM rollouts').catch(() => undefined);
    const late = "SELECT CASE WHEN i = 900000 THEN 'x' ELSE '1' END::INTEGER AS n FROM range(1000000) t(i)";
    await own
      .ask(late)
      .then(chunksOf)
      .catch(() => undefined);
    const running = own.ask(endless).catch((error: unknown) => error);
    expect(held(other.path)).not.toEqual([]);
    await own.close();
    expect(held(other.path)).toEqual([]);
    expect(await running).toMatchObject({ name: 'QuestionCancelled' });
    await expect(own.ask('SELECT 1')).rejects.toMatchObject({ name: 'QuestionCancelled' });
    other.remove();
  });
});

async function chunksOfAtMost(answer: Awaited<ReturnType<Questions['ask']>>, most: number): Promise<void> {
  let chunks = 0;
  for await (const _ of answer.chunks()) if (++chunks > most) return;
}
