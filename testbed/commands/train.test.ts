import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TrainResult } from '../../schemas/training-output.ts';
import { lines, type Ran, steering } from '../../src/cli/testing/harness.ts';
import { resultIn, train, trainLines, workplace } from './testing/trainings.ts';

/** One training for all tests that only read it. */
let trained: { readonly cwd: string; readonly ran: Ran; readonly result: TrainResult };
beforeAll(async () => {
  const cwd = workplace(realpathSync(mkdtempSync(join(tmpdir(), 'icecore-trained-'))));
  const ran = await train(cwd, ['--json', '--output', 'mine']);
  trained = { cwd, ran, result: resultIn(ran) };
});
afterAll(() => rmSync(trained.cwd, { recursive: true, force: true }));

describe('icecore lake train', () => {
  it('writes a checkpoint, and reports its path, its cost and the next command', async () => {
    const cwd = workplace();
    const ran = await train(cwd, ['--output', 'mine']);
    expect(ran.code, ran.stderr).toBe(0);
    const [, path = ''] = /^checkpoint +(\S+)$/m.exec(ran.stdout) ?? [];
    const [, digest] = /^digest +([0-9a-f]{64})$/m.exec(ran.stdout) ?? [];
    expect(createHash('sha256').update(readFileSync(path)).digest('hex')).toBe(digest);
    expect(ran.stdout).toMatch(/^spent +\d,\d{3} agent-steps, \d+ updates, .* this time, [\d,]+ agent-steps\/s$/m);
    expect(lines(ran.stderr).at(-1)).toMatch(/^Next: .*icecore.* lake evaluate mine\/update-\d+\.safetensors$/);
  });

  it('draws the whole curve, each figure and each family', async () => {
    const { stdout } = await train(trained.cwd, ['--output', 'mine']);
    expect(stdout).toMatch(/^valid\n *\d+ % ┤/);
    expect(stdout).toMatch(/│ .*[⠁-⣿]/);
    expect(stdout).toMatch(/^ +0 +\d,\d{3} agent-steps$/m);
    for (const figure of ['valid', 'reward', 'entropy', 'KL', 'learning signal']) {
      expect(stdout).toMatch(new RegExp(`^${figure} +[\\d.]+.* [▁-█]+$`, 'm'));
    }
    expect(stdout).toMatch(/^ 3x3 +75 % +75 % +\d+ +\d.* % +\d.* % +[▁-█]+$/m);
    expect(stdout).toMatch(/^ 4x4 +25 % +25 % +\d+ /m);
    for (const line of lines(stdout)) if (!/^(checkpoint|digest)/.test(line)) expect(line.length).toBeLessThan(80);
  });

  it('prints every point as JSON when it is reached, and the result at the end', () => {
    const { cwd, ran, result } = trained;
    const points = trainLines(ran).flatMap((line) => (line.kind === 'point' ? [line.point] : []));
    expect(points.length).toBeGreaterThan(3);
    expect(result.curve).toEqual(points);
    expect(result).toMatchObject({ folder: join(cwd, 'mine'), isNew: true, seed: 'icecore' });
    expect(result.families.map(({ family, asked }) => [family, asked])).toEqual([
      ['3', 0.75],
      ['4', 0.25],
    ]);
    expect(result.spent['agent-steps']).toBeGreaterThanOrEqual(result.budget['agent-steps'] ?? Number.NaN);
  });

  it('does nothing if it is complete already, and says so', async () => {
    const { cwd, result } = trained;
    const before = readdirSync(join(cwd, 'mine'));
    const again = resultIn(await train(cwd, ['--json', '--output', 'mine']));
    expect(again).toEqual({ ...result, isNew: false, seconds: null, perSecond: null });
    expect(readdirSync(join(cwd, 'mine'))).toEqual(before);
    expect((await train(cwd, ['--output', 'mine'])).stderr).toContain(
      'This training was complete already, so nothing was trained',
    );
  });

  it('derives the folder from all settings if none is named', async () => {
    const cwd = workplace();
    const folders: string[] = [];
    for (const words of [[], ['--jobs', '1'], ['--seed', 'b']]) {
      folders.push(resultIn(await train(cwd, ['--json', ...words])).folder);
    }
    expect(folders[0]).toMatch(/lake-training-[0-9a-f]{8}$/);
    expect(folders[1]).toBe(folders[0]);
    expect(folders[2]).not.toBe(folders[0]);
  });

  it('gives the same result with any number of jobs, and another with another seed', async () => {
    const digest = async (...words: string[]): Promise<string | undefined> =>
      resultIn(await train(workplace(), ['--json', ...words])).checkpoint?.digest;
    expect(await digest('--jobs', '3')).toBe(trained.result.checkpoint?.digest);
    expect(await digest('--seed', 'another')).not.toBe(trained.result.checkpoint?.digest);
  });

  it('loses at most the current update when stopped', async () => {
    const cwd = workplace();
    const stop = new AbortController();
    const onOutput = (): void => stop.abort('SIGTERM');
    const stopped = await train(cwd, ['--json'], { signal: stop.signal, onOutput });
    expect(stopped).toMatchObject({ code: 143, stderr: expect.stringMatching(/it was saved at update \d+/) });
    const { kind, message } = JSON.parse(lines(stopped.stdout).at(-1) ?? '').error;
    expect({ kind, message }).toEqual({ kind: 'interrupted', message: expect.stringContaining('stopped by SIGTERM') });
    expect((await train(cwd)).code).toBe(0);
  });

  it('starts from the base checkpoint, and from the result of another training', async () => {
    const { cwd, result } = trained;
    const based = resultIn(await train(cwd, ['--json', '--from', 'base', '--output', 'based']));
    expect(based.from).toMatchObject({ reference: join(cwd, 'based', 'base.safetensors') });
    const again = resultIn(await train(cwd, ['--json', '--from', 'base', '--output', 'based']));
    expect(again).toMatchObject({ isNew: false, checkpoint: based.checkpoint });
    const further = resultIn(await train(cwd, ['--json', '--from', 'mine', '--output', 'further']));
    expect(further.from?.digest).toBe(result.checkpoint?.digest);
    expect(further.checkpoint?.digest).not.toBe(result.checkpoint?.digest);
  });
});

describe('icecore lake train, while running', () => {
  it('redraws the curve on a terminal, and erases it at the end', async () => {
    const ran = await train(workplace(), [], { terminal: 80 });
    const [first, ...frames] = ran.stderr.split('\u001b[J').map((frame) => frame.replaceAll('\u001b', '^'));
    expect(first).toMatch(/^no update yet/);
    const drawn = frames.find((frame) => frame.includes(' agent-steps, ')) ?? '';
    expect(drawn).toMatch(/^\^\[1A\r\^\[1mvalid/);
    expect(drawn).toMatch(/[⠁-⣿]/);
    expect(drawn).toMatch(/update \d+, [\d,]+ agent-steps, \d.* %, [\d,]+\/s, about .* left/);
    expect(drawn).toMatch(/valid .* %, reward .*, entropy .*, KL .*, learning signal .* %/);
    expect(frames.at(-2)).toMatch(/^\^\[\d+A\r$/);
    expect(ran.stdout).toContain('\u001b[36m');
  });

  it('says nothing with --quiet', async () => {
    expect((await train(workplace(), ['--quiet'], { terminal: 80 })).stderr).toBe('');
  });

  it('prints only JSON lines on the terminal with --json', async () => {
    const ran = await train(workplace(), ['--json'], { terminal: 80 });
    expect(ran.stderr).not.toContain('\u001b[J');
    expect(trainLines(ran).length).toBeGreaterThan(3);
  });
});

describe('icecore lake train refuses, and writes nothing:', () => {
  const refused = async (words: readonly string[], more: object = {}): Promise<string> => {
    const cwd = workplace();
    for (const [name, text] of Object.entries(more)) writeFileSync(join(cwd, name), text as string);
    const before = readdirSync(cwd);
    const ran = await train(cwd, words);
    expect(ran.code).toBeGreaterThan(0);
    expect(ran.stdout).toBe('');
    expect(steering(ran.stderr)).toEqual([]);
    expect(readdirSync(cwd)).toEqual(before);
    return ran.stderr;
  };

  it.each([
    [['--budget', '12x'], '--budget: found "12x", allowed: a whole number from 1'],
    [['--budget', '0'], '--budget: found "0"'],
    [['--budget', '-5'], '--budget'],
    [['--budget', 'updates=5'], 'found "updates=5", allowed: a whole number of agent steps, as 1_200_000'],
    [['--agents', '7'], 'agents: found 7 (a number), allowed: a whole number from 1 to 6'],
    [['--agents', 'two'], '--agents: found "two"'],
    [['--jobs', '0'], '--jobs: found "0", allowed: a whole number from 1 to 256'],
    [['--seed', ''], '--seed: found an empty text'],
    [['--config', 'missing.json'], 'missing.json: there is no such file'],
    [['--from', 'missing'], 'missing: there is no such file or folder'],
    [['--from', 'config.json'], 'config.json: this is not a checkpoint in the safetensors format'],
    [['--from', '.'], 'there is no checkpoint in this folder'],
    [['--output', '.'], 'contains other files (config.json)'],
    [['--jobs', '2', '--', 'sh'], '--jobs together with a program'],
    [['--from', 'base', '--', 'sh'], '--from base together with a program'],
    [
      ['--', 'no-such-program'],
      'the training program no-such-program cannot be started: no-such-program does not exist',
    ],
    [['config.json'], 'the training program config.json cannot be started'],
    [['--budgt', '5'], "unknown option '--budgt'"],
    [['--budget', 'updates=5,updates=6', '--', 'sh'], 'found the unit "updates", allowed: each unit once'],
  ])('%j', async (words, message) => {
    expect(await refused(words)).toContain(message);
  });

  it('an invalid configuration', async () => {
    expect(
      await refused(['--config', 'bad.json'], { 'bad.json': '{"agents": 2, "sizes": {"3": {"data": 2}}}' }),
    ).toContain('bad.json: sizes');
  });

  it('a checkpoint of another architecture', async () => {
    const { cwd, result } = trained;
    const bytes = readFileSync(result.checkpoint?.reference ?? '');
    bytes.write('another-arch', bytes.indexOf('icecore-lake'), 'latin1');
    writeFileSync(join(cwd, 'other.safetensors'), bytes);
    const ran = await train(cwd, ['--from', 'other.safetensors', '--output', 'new']);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('found another-arch') });
    expect(existsSync(join(cwd, 'new'))).toBe(false);
  });

  it.each([
    [['--seed', 'b'], 'its seed is "icecore"'],
    [['--budget', '30_000'], 'its budget is {"agent-steps":6000}'],
    [['--agents', '2'], 'its configuration differs'],
    [['--from', 'base'], 'its from is null'],
    [['--', 'sh', '-c', 'true'], 'its trainer differs'],
  ])('a folder with another training: %j', async (words, message) => {
    const { cwd, result } = trained;
    const before = readdirSync(join(cwd, 'mine'));
    const ran = await train(cwd, ['--output', 'mine', ...words]);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining(`contains another training: ${message}`) });
    expect(readdirSync(join(cwd, 'mine'))).toEqual(before);
    expect(existsSync(result.checkpoint?.reference ?? '')).toBe(true);
  });
});
