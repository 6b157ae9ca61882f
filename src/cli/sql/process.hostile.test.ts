// What a query must not do to the machine, to the command that runs it, and to the next query.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { PipeClosed } from '../../base/sink.ts';
import { pieceBytes } from '../../library/sql/formats/batches.ts';
import { QuestionProcess } from '../../library/sql/process/question-process.ts';
import { limits, requestFor, textOf, written } from '../../library/sql/process/testing/asking.ts';
import {
  environmentOf,
  isRunning,
  questionProcessesOf,
  writesNoMore,
} from '../../library/sql/process/testing/children.ts';
import { type Sample, sampleTables } from '../../projections/query/testing/tables.ts';
import { icecore, json, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';

const isLinux = process.platform === 'linux';
const endless = "SELECT count(*) FROM range(100000000000) WHERE range::VARCHAR LIKE '%x%'";
/** One step on one value, which nothing interrupts. */
const stuck = "SELECT levenshtein(repeat('a', 400000), repeat('b', 400000))";

let sample: Sample;
let questions: QuestionProcess;

beforeAll(async () => {
  sample = await sampleTables();
});
afterAll(() => sample.remove());
beforeEach(() => {
  questions = new QuestionProcess(limits);
});
afterEach(() => questions.close());

const answers = (): Promise<string> => textOf(questions, requestFor(sample, 'SELECT count(*) AS n FROM rollouts'));

describe('the query process', () => {
  it('answers the next query after one exceeded the memory limit', async () => {
    const bomb = requestFor(sample, 'SELECT unnest(range(1000000000)), unnest(range(1000000000))');
    await expect(written(questions, bomb)).rejects.toMatchObject({
      name: 'TooMuchMemory',
      kind: 'unavailable',
      message: 'sql: the query was stopped: it needed more than 256 MB of memory',
    });
    expect(await answers()).toBe('n\n5000\n');
  });

  it.each([
    ['takes too long', endless],
    ['takes too long in one step', stuck],
  ])('answers the next query after one that %s', async (_, sql) => {
    await expect(written(questions, requestFor(sample, sql))).rejects.toMatchObject({
      name: 'TookTooLong',
      facts: { seconds: 2, stopped: true },
    });
    expect(await answers()).toBe('n\n5000\n');
  });

  it('answers the next query after one was cancelled', async () => {
    const cancel = new AbortController();
    const answer = requestFor(sample, 'SELECT * FROM range(100000000000)');
    const asked = written(questions, answer, async () => cancel.abort(), cancel.signal);
    await expect(asked).rejects.toMatchObject({ name: 'QuestionCancelled' });
    expect(await answers()).toBe('n\n5000\n');
  });

  it.skipIf(!isLinux)('answers the next query after it crashed', async () => {
    const answer = requestFor(sample, 'SELECT * FROM range(100000000000)');
    const asked = written(questions, answer, async () => {
      for (const child of questionProcessesOf(process.pid)) process.kill(child, 'SIGSEGV');
    });
    await expect(asked).rejects.toMatchObject({ name: 'ProcessEnded', kind: 'unavailable' });
    expect(await answers()).toBe('n\n5000\n');
  });

  it('stays the same for the query after an invalid one', async () => {
    await answers();
    const before = isLinux ? questionProcessesOf(process.pid) : [];
    await expect(written(questions, requestFor(sample, 'FROM rolouts'))).rejects.toMatchObject({ name: 'UnknownName' });
    expect(await answers()).toBe('n\n5000\n');
    if (isLinux) expect(questionProcessesOf(process.pid)).toEqual(before);
  });
});

describe('a long result', () => {
  it('arrives in small pieces, and ends when the reader closes the pipe', async () => {
    let pieces = 0;
    const answer = written(questions, requestFor(sample, 'FROM range(100000000000)'), async (bytes) => {
      expect(bytes.length).toBeLessThanOrEqual(pieceBytes);
      if (++pieces === 50) throw new PipeClosed();
    });
    await expect(answer).rejects.toBeInstanceOf(PipeClosed);
    expect(await answers()).toBe('n\n5000\n');
  });

  it.skipIf(!isLinux)('ends when the reader closes the pipe after the query process is blocked', async () => {
    const answer = written(questions, requestFor(sample, 'FROM range(100000000000)'), async () => {
      await vi.waitUntil(() => questionProcessesOf(process.pid).every(writesNoMore), {
        timeout: 60_000,
        interval: 200,
      });
      throw new PipeClosed();
    });
    await expect(answer).rejects.toBeInstanceOf(PipeClosed);
    expect(await answers()).toBe('n\n5000\n');
  });

  it('is never split within a character', async () => {
    const sql = "SELECT repeat('😀ü€', 100000) AS text";
    let last = '';
    await written(questions, requestFor(sample, sql), async (bytes) => {
      last = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    });
    expect(last).toMatch(/\n$/);
    expect(await textOf(questions, requestFor(sample, sql))).toBe(`text\n${'😀ü€'.repeat(100000)}\n`);
  });
});

describe('temporary disk space', () => {
  it('is limited for Parquet files', async () => {
    const folder = temporaryFolder();
    const asked = { memoryMegabytes: 64, seconds: 20, diskMegabytes: 8 };
    const own = new QuestionProcess(asked, 'parquet');
    const { tables, sql } = requestFor(
      sample,
      "SELECT hash(range) || 'x', hash(range, 1) || 'y' FROM range(100000000)",
    );
    const path = join(folder, 'answer.parquet');
    const request = { request: 'parquet', tables, sql, path, limit: null, limits: asked } as const;
    await expect(own.ask(request, new AbortController().signal)).rejects.toMatchObject({
      name: 'TooMuchDisk',
      message: 'sql: the query was stopped: it needed more than 8 MB of temporary disk',
    });
    await own.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is not available to other queries', async () => {
    const sorted = requestFor(sample, 'SELECT hash(range) AS h FROM range(1000000000) ORDER BY h');
    await expect(written(questions, sorted)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(readdirSync(sample.folder)).toEqual(['tables.duckdb']);
  });
});

describe.skipIf(!isLinux)('the query process', () => {
  it('gets no secrets in its environment variables', async () => {
    process.env['OPENAI_API_KEY'] = 'secret';
    process.env['NODE_OPTIONS'] = '';
    try {
      await answers();
      const [child = 0] = questionProcessesOf(process.pid);
      const names = environmentOf(child).map((entry) => entry.replace(/=.*$/s, ''));
      expect(names).not.toContain('OPENAI_API_KEY');
      expect(
        names.filter(
          (name) => !/^(?:TZ|LANG|LC_.*|TMPDIR|LD_LIBRARY_PATH|NODE_COMPILE_CACHE|NODE_CHANNEL_.*|PWD|)$/.test(name),
        ),
      ).toEqual([]);
    } finally {
      delete process.env['OPENAI_API_KEY'];
      delete process.env['NODE_OPTIONS'];
    }
  });

  it.each([
    "FROM enable_logging('FileSystem', level = 'trace', storage = 'stdout')",
    'FROM enable_profiling()',
    "FROM query('FROM enable_profiling(format = ''json'')')",
  ])('prints none of the output that DuckDB prints after %s', async (sql) => {
    const program = join(temporaryFolder(), 'command.mts');
    writeFileSync(program, commandAsking(sql));
    const command = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    for (const stream of [command.stdout, command.stderr])
      stream.on('data', (text) => {
        printed += String(text);
      });
    await expect.poll(() => printed, { timeout: 20_000 }).toContain('answered');
    command.kill('SIGKILL');
    expect(printed).toBe('asked\nanswered\n');
  });

  it('ends when it is closed', async () => {
    await answers();
    expect(questionProcessesOf(process.pid)).toHaveLength(1);
    await questions.close();
    expect(questionProcessesOf(process.pid)).toEqual([]);
  });

  it.each([
    ['while it waits', 'SELECT 1'],
    ['during a query', endless],
    ['during a step that cannot be interrupted', stuck],
  ])('ends when the command that started it is killed %s', async (_, sql) => {
    const program = join(temporaryFolder(), 'command.mts');
    writeFileSync(program, commandAsking(sql));
    const command = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(command.stdout, 'data');
    const [child = 0] = questionProcessesOf(command.pid ?? 0);
    expect(isRunning(child)).toBe(true);
    command.kill('SIGKILL');
    await once(command, 'exit');
    await expect.poll(() => isRunning(child), { timeout: 20_000 }).toBe(false);
  });
});

/** A program that prints `asked` when the query starts. */
function commandAsking(sql: string): string {
  const [process, asking] = ['question-process.ts', 'testing/asking.ts'].map((name) =>
    import.meta.resolve(`../../library/sql/process/${name}`),
  );
  const request = { ...requestFor(sample, sql), limits: { ...limits, seconds: 1000 } };
  return `import { QuestionProcess } from '${process}';
    import { limits, written } from '${asking}';
    const questions = new QuestionProcess({ ...limits, seconds: 1000 });
    await written(questions, ${JSON.stringify({ ...request, sql: 'SELECT 1' })});
    const asked = written(questions, ${JSON.stringify(request)});
    console.log('asked');
    await asked;
    console.log('answered');
    setInterval(() => {}, 1000);`;
}

describe('an SQL query on the command line', () => {
  const bomb = 'SELECT unnest(range(1000000000)), unnest(range(1000000000))';

  it('that needs too much memory fails with a remedy, also as JSON', async () => {
    const cwd = temporaryFolder();
    await icecore(['init'], { cwd });
    expect(await icecore(['sql', '--memory', '256', bomb], { cwd })).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'icecore: sql: the query was stopped: it needed more than 256 MB of memory\n' +
        '  Select fewer rows or columns, or allow more: --memory 512.\n',
    });
    const failed = await icecore(['sql', '--memory', '256', bomb, '--json'], { cwd });
    expect(failed.code).toBe(1);
    expect(faultsAgainst('error', json(failed))).toEqual([]);
    expect(json(failed)).toMatchObject({ error: { kind: 'unavailable', memoryMegabytes: 256 } });
    const parquet = await icecore(['sql', '--memory', '256', bomb, '--output', 'x.parquet'], { cwd });
    expect(parquet).toMatchObject({ code: 1, stderr: expect.stringContaining('needed more than 256 MB of memory') });
    expect(readdirSync(cwd)).toEqual(['.icecore']);
  });

  it.each([
    ['a token', (long: string) => `SELECT 1 ${long} ${long}`],
    ['a name', (long: string) => `SELECT ${long}`],
    ['a table', (long: string) => `FROM ${long}`],
    ['a function', (long: string) => `SELECT ${long}(1)`],
    ['a file', (long: string) => `FROM '${long}.csv'`],
    ['a value', (long: string) => `SELECT '${long}'::INTEGER`],
    ['an error of its own', (long: string) => `SELECT error('${long}')`],
    ['control characters', (long: string) => `SELECT error('${long}' || chr(27) || chr(10))`],
  ])('that is wrong is shortened in the error message: %s', async (_, sqlOf) => {
    const cwd = temporaryFolder();
    await icecore(['init'], { cwd });
    writeFileSync(join(cwd, 'long.sql'), sqlOf('x'.repeat(100_000)));
    for (const flags of [[], ['--json']]) {
      const { code, stdout, stderr } = await icecore(['sql', '--file', 'long.sql', ...flags], { cwd });
      expect(code).toBe(1);
      expect(stderr.length).toBeLessThan(6_000);
      expect(stdout.length).toBeLessThan(12_000);
      expect(stderr).toMatch(/\(cut: [\d,]+ characters in all\)/);
      expect(stderr).not.toContain('\u001b');
    }
  });
});
