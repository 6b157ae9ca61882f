import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { wholeRun } from '../../analysis/history/testing/recording.ts';
import { placeWith, placeWithTables } from '../runs/testing/looking.ts';
import { icecore, inFolder, json, lines, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';

const runs = 'SELECT run, state, done FROM runs';

describe('an SQL query', () => {
  it('prints a table, with the events recorded up to now', async () => {
    const { look } = await placeWith(wholeRun());
    expect((await look('sql', runs)).stdout).toBe('run          state      done\nquiet-otter  completed     3\n');
    await look('annotate', 'quiet-otter', 'look at it');
    const { stdout, stderr } = await look('sql', "SELECT note FROM notes WHERE run = 'quiet-otter'");
    expect(stdout).toContain('look at it');
    expect(stderr).toBe('');
  });

  it('has the same result in every time zone', async () => {
    const { look } = await placeWith(wholeRun());
    await look('annotate', 'quiet-otter', 'now');
    const before = process.env['TZ'];
    onTestFinished(() => {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    });
    for (const zone of ['Asia/Tokyo', 'America/New_York', 'UTC']) {
      process.env['TZ'] = zone;
      const lately =
        'SELECT count(*) AS n FROM notes WHERE happened_at BETWEEN now() - INTERVAL 1 HOUR AND now() + INTERVAL 1 HOUR';
      expect((await look('sql', '--format', 'csv', lately)).stdout).toBe('n\n1\n');
    }
  });

  it('writes each format, chosen with --format or by the ending of the file', async () => {
    const { look, cwd } = await placeWithTables();
    const asJson = json(await look('sql', '--json', runs));
    expect(faultsAgainst('sql', asJson)).toEqual([]);
    expect(asJson).toMatchObject({ total: 1, rows: [{ run: 'quiet-otter', state: 'completed', done: 3 }] });
    expect(json(await look('sql', '--format', 'json', runs))).toMatchObject({ rows: asJson['rows'] });
    expect((await look('sql', '--format', 'csv', runs)).stdout).toBe('run,state,done\nquiet-otter,completed,3\n');
    expect((await look('sql', '--format', 'ndjson', runs)).stdout).toBe(
      '{"run":"quiet-otter","state":"completed","done":3}\n',
    );
    expect((await look('sql', '--format', 'markdown', runs)).stdout).toContain('| quiet-otter |');
    for (const name of ['answer.csv', 'answer.parquet', 'answer.arrow']) {
      expect(await look('sql', runs, '--output', name)).toMatchObject({
        code: 0,
        stdout: '',
        stderr: `1 row in ${name}\n`,
      });
      expect(statSync(join(cwd, name)).size).toBeGreaterThan(20);
    }
    expect(readFileSync(join(cwd, 'answer.parquet')).subarray(0, 4).toString()).toBe('PAR1');
    expect(readdirSync(cwd).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('that selects a rate as a column gets a hint', async () => {
    const { look } = await placeWithTables();
    expect((await look('sql', 'SELECT avg(valid) FROM rollouts')).stderr).toContain(
      'there is no column "valid", perhaps "success"',
    );
    expect((await look('sql', 'SELECT valid FROM evaluations')).stderr).toContain(
      `there is no column "valid", perhaps "value ... WHERE measure = 'valid'"`,
    );
  });

  it('is read from the command line, a file, or standard input', async () => {
    const { look, cwd } = await placeWithTables();
    const wanted = (await look('sql', runs)).stdout;
    writeFileSync(join(cwd, 'runs.sql'), `-- all runs\n${runs};\n`);
    expect((await look('sql', '--file', 'runs.sql')).stdout).toBe(wanted);
    expect((await icecore(['sql'], { cwd, stdin: runs })).stdout).toBe(wanted);
    expect(await look('sql', runs, '--file', 'runs.sql')).toMatchObject({ code: 2 });
    expect(await look('sql', runs, '--path')).toMatchObject({ code: 2 });
    expect((await look('sql', runs, '--output', 'answer.xlsx')).stderr).toContain('.parquet');
    expect(await icecore(['sql'], { cwd, stdin: '  \n' })).toMatchObject({ code: 2 });
  });

  it('prints at most the limit of rows, and says that it was truncated', async () => {
    const { look } = await placeWithTables();
    const many = await look('sql', 'SELECT * FROM range(1000)');
    expect(lines(many.stdout).length).toBeLessThan(110);
    expect(many.stdout).toContain('--limit');
    expect(lines((await look('sql', 'SELECT * FROM range(1000)', '--limit', 'all')).stdout).length).toBe(1001);
    expect(json(await look('sql', '--json', '--limit', '3', 'SELECT * FROM range(1000)'))).toMatchObject({
      total: null,
      truncated: true,
    });
    expect(lines((await look('sql', '--format', 'csv', 'SELECT * FROM range(1000)')).stdout).length).toBe(1001);
    const few = await look('sql', 'SELECT * FROM range(10000)', '--limit', '3000', '--output', 'few.parquet');
    expect(few.stderr).toBe('3,000 rows in few.parquet\n');
  });

  it('that is invalid or not allowed fails with a remedy', async () => {
    const { look, cwd } = await placeWithTables();
    const errorOf = async (...words: string[]): Promise<string> => (await look('sql', ...words)).stderr;
    expect(await errorOf('SELEC 1')).toContain('line 1, column 1');
    expect(await errorOf('SELECT 1; SELECT 2')).toMatch(/one statement/);
    expect(await errorOf('FROM rolouts')).toContain('rollouts');
    expect(await errorOf('SELECT outcom FROM rollouts')).toContain('outcome');
    expect(await errorOf("COPY runs TO 'stolen.csv'")).toContain('COPY is not allowed');
    expect(await errorOf("FROM '/etc/passwd'")).not.toContain('root');
    expect(await errorOf(runs, '--format', 'cvs')).toContain('Did you mean csv?');
    expect(await errorOf(runs, '--limit', '0')).toContain('--limit: found "0"');
    expect(await errorOf(runs, '--seconds', 'soon')).toContain('--seconds');
    expect(await errorOf(runs, '--seconds', '100000000')).toContain('allowed: a whole number from 1 to');
    expect(await errorOf(runs, '--memory', '1')).toContain('allowed: a whole number from 64');
    expect((await look('list', 'tables', 'rollout')).stderr).toContain('Did you mean rollouts');
    expect(readdirSync(cwd)).not.toContain('stolen.csv');
    const failed = json(await look('sql', '--json', 'FROM rolouts'));
    expect(faultsAgainst('error', failed)).toEqual([]);
  });

  it('fails without a ledger, and finds no rows in an empty one', async () => {
    const cwd = temporaryFolder();
    const here = inFolder(cwd);
    expect((await here('sql', runs)).code).toBe(1);
    await here('init');
    expect(await here('sql', runs)).toMatchObject({ code: 0, stdout: expect.stringContaining('run') });
    expect((await here('sql', 'SELECT count(*) AS n FROM rollouts')).stdout).toBe('n\n0\n');
  });
});

describe('the SQL tables', () => {
  it('are listed and described by icecore list tables', async () => {
    const here = inFolder(temporaryFolder());
    expect((await here('list', 'tables')).stdout).toMatch(/^rollouts +\S/m);
    expect((await here('list', 'tables', 'rollouts')).stdout).toMatch(
      /^ +failure_class +VARCHAR +the first failure class/m,
    );
    const listed = json(await here('list', 'tables', '--json'));
    expect(faultsAgainst('list-tables', listed)).toEqual([]);
  });

  it('are next to the ledger, or in the folder ICECORE_TABLES', async () => {
    const { look, cwd } = await placeWith(wholeRun());
    await look('sql', runs);
    expect(existsSync(join(cwd, '.icecore', 'ledger.tables'))).toBe(true);
    await icecore(['sql', runs], { cwd, env: { ICECORE_TABLES: 'elsewhere' } });
    expect(readdirSync(join(cwd, 'elsewhere')).length).toBe(1);
  });

  it('are checked by icecore doctor, which creates none', async () => {
    const { look } = await placeWith(wholeRun());
    const tablesCheck = async (): Promise<string | undefined> => {
      const { rows } = json(await look('doctor', '--json')) as { rows: { name: string; found: string }[] };
      return rows.find(({ name }) => name === 'tables')?.found;
    };
    expect(await tablesCheck()).toMatch(/^none yet/);
    await look('sql', runs);
    expect(await tablesCheck()).toMatch(/up to date$/);
    await look('annotate', 'quiet-otter', 'look at it');
    expect(await tablesCheck()).toMatch(/1 event behind$/);
  });
});
