// What questions may not do to the machine, to the command that asks them, and to the question after them.
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

describe('after a question that', () => {
  it('had too much memory, the next one is answered', async () => {
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
  ])('%s, the next one is answered', async (_, sql) => {
    await expect(written(questions, requestFor(sample, sql))).rejects.toMatchObject({
      name: 'TookTooLong',
      facts: { seconds: 2, stopped: true },
    });
    expect(await answers()).toBe('n\n5000\n');
  });

  it('was cancelled, the next one is answered', async () => {
    const cancel = new AbortController();
    const answer = requestFor(sample, 'SELECT * FROM range(100000000000)');
    const asked = written(questions, answer, async () => cancel.abort(), cancel.signal);
    await expect(asked).rejects.toMatchObject({ name: 'QuestionCancelled' });
    expect(await answers()).toBe('n\n5000\n');
  });

  it.skipIf(!isLinux)('lost its process, the next one is answered', async () => {
    const answer = requestFor(sample, 'SELECT * FROM range(100000000000)');
    const asked = written(questions, answer, async () => {
      for (const child of questionProcessesOf(process.pid)) process.kill(child, 'SIGSEGV');
    });
    await expect(asked).rejects.toMatchObject({ name: 'ProcessEnded', kind: 'unavailable' });
    expect(await answers()).toBe('n\n5000\n');
  });

  it('is wrong, the next one is answered by the same process', async () => {
    await answers();
    const before = isLinux ? questionProcessesOf(process.pid) : [];
    await expect(written(questions, requestFor(sample, 'FROM rolouts'))).rejects.toMatchObject({ name: 'UnknownName' });
    expect(await answers()).toBe('n\n5000\n');
    if (isLinux) expect(questionProcessesOf(process.pid)).toEqual(before);
  });
});

describe('a long answer', () => {
  it('comes in small pieces, no faster than they are taken, and ends when nobody takes them', async () => {
    let pieces = 0;
    const answer = written(questions, requestFor(sample, 'FROM range(100000000000)'), async (bytes) => {
      expect(bytes.length).toBeLessThanOrEqual(pieceBytes);
      if (++pieces === 50) throw new PipeClosed();
    });
    await expect(answer).rejects.toBeInstanceOf(PipeClosed);
    expect(await answers()).toBe('n\n5000\n');
  });

  it.skipIf(!isLinux)('ends when nobody takes it any more, however much of it waits in between', async () => {
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

  it('cuts no character in two', async () => {
    const sql = "SELECT repeat('😀ü€', 100000) AS text";
    let last = '';
    await written(questions, requestFor(sample, sql), async (bytes) => {
      last = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    });
    expect(last).toMatch(/\n$/);
    expect(await textOf(questions, requestFor(sample, sql))).toBe(`text\n${'😀ü€'.repeat(100000)}\n`);
  });
});

describe('the temporary disk', () => {
  it('that a Parquet file needs is limited', async () => {
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

  it('is not there for anything else', async () => {
    const sorted = requestFor(sample, 'SELECT hash(range) AS h FROM range(1000000000) ORDER BY h');
    await expect(written(questions, sorted)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(readdirSync(sample.folder)).toEqual(['tables.duckdb']);
  });
});

describe.skipIf(!isLinux)('the process', () => {
  it('has no secret in its environment', async () => {
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
  ])('prints nothing of what DuckDB would print after %s', async (sql) => {
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

  it('is no more when it was closed', async () => {
    await answers();
    expect(questionProcessesOf(process.pid)).toHaveLength(1);
    await questions.close();
    expect(questionProcessesOf(process.pid)).toEqual([]);
  });

  it.each([
    ['while it waits', 'SELECT 1'],
    ['in the middle of a question', endless],
    ['in the middle of a step that nothing interrupts', stuck],
  ])('ends with the command that started it, when that is killed %s', async (_, sql) => {
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

/** Says so when the question has begun. */
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

describe('a question on the command line', () => {
  const bomb = 'SELECT unnest(range(1000000000)), unnest(range(1000000000))';

  it('that needs too much memory says what to do, also to programs', async () => {
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
    ['what steers a terminal', (long: string) => `SELECT error('${long}' || chr(27) || chr(10))`],
  ])('that is wrong is not repeated at length: %s', async (_, sqlOf) => {
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
