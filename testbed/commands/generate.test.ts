import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { icecore, inFolder, json, lines, type Ran, temporaryFolder } from '../../src/cli/testing/harness.ts';
import { faultsAgainst } from '../../src/cli/testing/published.ts';
import { suites } from '../lake/generator/suites.ts';

type Line = Readonly<Record<string, unknown>>;

function parsed(stdout: string): Line[] {
  return lines(stdout).map((line) => JSON.parse(line) as Line);
}

function folderWith(configuration: unknown): string {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'config.json'), JSON.stringify(configuration));
  return cwd;
}

const small = { agents: 2, sizes: { 4: { data: 0.5, hole: 0, wait: 0 }, 5: { data: 0.5, hole: 0.2, wait: 0.5 } } };

describe('icecore lake generate', () => {
  const run = (...argv: string[]): Promise<Ran> => inFolder(temporaryFolder())(...argv);

  it('writes solvable instances, with the same answers as solve', async () => {
    const ran = await run('lake', 'generate', '--count', '60');
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const made = parsed(ran.stdout);
    expect(made.map(({ id }) => id)).toEqual(Array.from({ length: 60 }, (_, i) => `train-${i}`));
    for (const line of made) expect(faultsAgainst('lake-generate', line)).toEqual([]);
    const solved = await icecore(['lake', 'solve'], { cwd: temporaryFolder(), stdin: ran.stdout });
    const facts = ({ id, digest, cost, needsWait }: Line): Line => ({ id, digest, cost, needsWait });
    expect(parsed(solved.stdout).map(facts)).toEqual(made.map(facts));
  });

  it('writes the same lakes for the same seed, and others for another seed', async () => {
    const one = await run('lake', 'generate', '--count', '20', '--seed', 'mine');
    expect(await run('lake', 'generate', '--count', '20', '--seed', 'mine', '--jobs', '1')).toEqual(one);
    expect((await run('lake', 'generate', '--count', '20')).stdout).not.toBe(one.stdout);
  });

  it('follows a configuration; sizes that it does not mention have no share', async () => {
    const cwd = folderWith(small);
    const { stdout } = await inFolder(cwd)(
      'lake',
      'generate',
      '--config',
      'config.json',
      '--count',
      '40',
      '--agents',
      '3',
    );
    const made = parsed(stdout);
    expect(Object.groupBy(made, ({ size }) => String(size))).toMatchObject({ 4: { length: 20 }, 5: { length: 20 } });
    expect(made.filter(({ needsWait }) => needsWait === true)).toHaveLength(10);
    for (const { agents } of made) expect(agents).toHaveLength(3);
  });

  it('reports what could not be generated, as a table and in a file, and succeeds', async () => {
    const cwd = folderWith({ agents: 1, sizes: { 3: { data: 1, hole: 0, wait: 0.5 } } });
    const argv = ['lake', 'generate', '--config', 'config.json', '--count', '20'];
    const train = await inFolder(cwd)(...argv, '--report', 'report.json');
    expect(train.code).toBe(0);
    expect(lines(train.stdout)).toHaveLength(20);
    expect(train.stderr).toMatch(/^no more of these kinds exist; others replace them:\nsize +agents +holes/);
    const report = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')) as Line;
    expect(faultsAgainst('lake-report', report)).toEqual([]);
    expect(report).toMatchObject({
      asked: 20,
      made: 20,
      rows: [{ size: 3, needsWait: true, asked: 10, made: 0, standIns: 10 }],
    });
    const test = await inFolder(cwd)(...argv, '--split', 'test');
    expect(test.code).toBe(0);
    const made = lines(test.stdout).length;
    expect(made).toBeLessThan(20);
    expect(test.stderr).toMatch(new RegExp(`^${made} of 20 instances were generated; no more of these kinds exist:\n`));
    expect((await inFolder(cwd)(...argv, '--split', 'test', '--quiet')).stderr).toBe('');
  });

  it('shows progress if the lines go to a file, and not in a pipe', async () => {
    const argv = ['lake', 'generate', '--count', '1500', '--jobs', '1'];
    const surroundings = { cwd: temporaryFolder(), terminal: 80 } as const;
    expect((await icecore(argv, { ...surroundings, intoFile: true })).stderr).toMatch(
      / instances, [\d,]+\/s, \d+ % of 1,500/,
    );
    expect((await icecore(argv, surroundings)).stderr).toBe('');
  });

  it('lists the suites, and generates one', async () => {
    const listed = json(await run('lake', 'generate', '--suites', '--json'));
    expect(faultsAgainst('lake-suites', listed)).toEqual([]);
    expect(listed).toMatchObject({ total: suites.length, rows: suites.map(({ name }) => ({ name })) });
    expect(lines((await run('lake', 'generate', '--suites')).stdout)).toHaveLength(1 + suites.length);
    const suite = parsed((await run('lake', 'generate', '--suite', 'agents-2-wait-25-of-4')).stdout);
    expect(suite.map(({ id }) => id)).toEqual(Array.from({ length: 32 }, (_, i) => `agents-2-wait-25-of-4-${i}`));
    expect(suite.filter(({ needsWait }) => needsWait)).toHaveLength(8);
  });

  it('generates the same number of every kind with --probe', async () => {
    const { stdout } = await run('lake', 'generate', '--probe', '--count', '1', '--agents', '1');
    const made = parsed(stdout);
    expect(new Set(made.map(({ size }) => size))).toEqual(new Set([3, 4, 5, 6, 7, 8, 9, 10]));
    expect(made[0]).toMatchObject({ id: 'probe-0' });
  });
});

describe('lake generate refuses', () => {
  it.each<[string[], string]>([
    [['--count', 'many'], '--count: found "many", allowed: a whole number from 0'],
    [['--agents', '9'], 'the configuration: agents: found 9 (a number), allowed: a whole number from 1 to 6'],
    [['--split', 'tset'], '--split: found "tset", allowed: train, '],
    [['--probe', '--split', 'train'], '--split: found "train" with --probe, allowed: probe, probe-holdout'],
    [['--suite', 'agents-2-wait-25', '--count', '3'], '--suite and --count: a suite is fixed'],
    [['--suites', '--jobs', '3'], '--suites and --jobs: --suites lists all suites'],
  ])('invalid options: %j', async (options, said) => {
    const ran = await inFolder(temporaryFolder())('lake', 'generate', ...options);
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(said) });
  });

  it.each<[unknown, string]>([
    [{ ...small, agents: 0 }, 'config.json: agents: found 0'],
    [{ agents: 2, sizes: { 4: { data: 0.5, hole: 0, wait: 0 } } }, 'config.json: sizes: found shares that sum to 0.5'],
    [{ agents: 2, sizes: { 4: { data: 1, hole: 2, wait: 0 } } }, 'config.json: sizes["4"].hole: found 2'],
    [{ agents: 2, sizes: { 11: {} } }, 'config.json: sizes["11"]: found an unknown key'],
    [[], 'config.json: found a list of 0'],
  ])('an invalid configuration: %j', async (configuration, said) => {
    const ran = await inFolder(folderWith(configuration))('lake', 'generate', '--config', 'config.json');
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(said) });
  });

  it('a missing file, and invalid JSON', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'config.json'), '{\n  "agents": 2,\n}');
    const ran = await inFolder(cwd)('lake', 'generate', '--config', 'config.json');
    expect(ran.stderr).toContain('config.json, line 3, column 1: found "}", allowed: a key in double quotes');
    const missing = await inFolder(cwd)('lake', 'generate', '--config', 'none.json');
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no such file') });
  });

  it('a report in a missing folder, before anything is generated', async () => {
    const ran = await inFolder(temporaryFolder())('lake', 'generate', '--report', 'none/report.json');
    expect(ran).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('there is no such file or folder'),
    });
  });

  it('an unknown suite', async () => {
    const ran = await inFolder(temporaryFolder())('lake', 'generate', '--suite', 'agents-2-wait-20');
    expect(ran.stderr).toContain('lake has no suite "agents-2-wait-20"\n  Did you mean agents-2-wait-2');
  });
});
