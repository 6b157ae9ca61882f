import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lines, steering } from '../../src/cli/testing/harness.ts';
import { resultIn, shellTrainer, stoppedOnceSaved, trainLines, trainWith, workplace } from './testing/trainings.ts';

const shell = ['sh', shellTrainer];

/** A script that prints these lines. */
function printing(...texts: readonly string[]): readonly string[] {
  return ['sh', '-c', texts.map((text) => `printf '%s\\n' '${text}'`).join('; ')];
}

describe('icecore lake train, with a program', () => {
  it('draws the reported curve, and the checkpoint', async () => {
    const cwd = workplace();
    const ran = await trainWith(cwd, shell, ['--output', 'mine']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stdout).toMatch(/^reward\n +1 ┤\n +│ .*[⠁-⣿]/);
    expect(ran.stdout).toMatch(/^reward +0\.1 +0 +▂▃▃▄▅▆▆▇█▁$/m);
    expect(ran.stdout).toMatch(/^spent +1,000 agent-steps, 10 updates, /m);
    expect(ran.stdout).toContain(`checkpoint  ${join(cwd, 'mine', 'final')}\n`);
    expect(existsSync(join(cwd, 'mine', 'final'))).toBe(true);
    // The checkpoint is not a network of icecore, so no command to evaluate it is suggested.
    expect(ran.stderr).not.toContain('Next:');
  });

  it('reports it as JSON, with the log', async () => {
    const ran = await trainWith(workplace(), shell, ['--json']);
    expect(trainLines(ran).filter(({ kind }) => kind === 'point')).toHaveLength(10);
    expect(resultIn(ran)).toMatchObject({
      trainer: { name: 'command', parameters: { command: shell } },
      spent: { 'agent-steps': 1000 },
      exit: { code: 0, signal: null },
      log: 'training from update 0',
      curve: { length: 10 },
    });
  });

  it('resumes where it was stopped, and completes only once', async () => {
    const cwd = workplace();
    const stopped = await stoppedOnceSaved((more) =>
      trainWith(cwd, ['env', 'UPDATE_SECONDS=0.05', ...shell], ['--json'], more),
    );
    expect(stopped).toMatchObject({ code: 130, stderr: expect.stringContaining('saved at update 3') });
    expect(stopped.stderr).toMatch(/--output lake-training-\w+ -- env UPDATE_SECONDS=0\.05 sh \S+shell-trainer\.sh$/m);
    const again = await trainWith(cwd, ['env', 'UPDATE_SECONDS=0.05', ...shell], ['--json']);
    // Until it has ended, it may save again.
    const log = expect.stringMatching(/^training from update [369]$/);
    expect(resultIn(again)).toMatchObject({ isNew: true, log, curve: { length: 10 } });
    const whole = await trainWith(cwd, shell, ['--json', '--output', 'whole']);
    expect(resultIn(again).checkpoint?.digest).toBe(resultIn(whole).checkpoint?.digest);
    expect(resultIn(await trainWith(cwd, shell, ['--json', '--output', 'whole'])).isNew).toBe(false);
  });

  it('refuses to train twice at the same time in one folder', async () => {
    const cwd = workplace();
    const command = [
      'sh',
      '-c',
      `echo '{"step": 1, "values": {}}'; until [ -e enough ]; do sleep 0.01; done; echo '{"done": {}}'`,
    ];
    const begun = Promise.withResolvers<void>();
    const first = trainWith(cwd, command, ['--json'], { onOutput: () => begun.resolve() });
    await begun.promise;
    const second = await trainWith(cwd, command, ['--json', '--quiet']);
    expect(JSON.parse(second.stdout).error).toMatchObject({ kind: 'conflict', process: process.pid });
    writeFileSync(join(cwd, 'enough'), '');
    expect((await first).code).toBe(0);
  });

  it('passes --from to the program: a file with its digest, a folder, or a name', async () => {
    const cwd = workplace();
    const command = ['sh', '-c', `cat >request; echo '{"done": {"checkpoint": null}}'`];
    const from = async (word: string): Promise<unknown> => {
      const ran = await trainWith(cwd, command, [
        '--from',
        word,
        '--json',
        '--output',
        `from-${word.replace('/', '-')}`,
      ]);
      expect(resultIn(ran).checkpoint).toBeNull();
      return JSON.parse(readFileSync(join(cwd, 'request'), 'utf8')).from;
    };
    expect(await from('config.json')).toMatchObject({ reference: join(cwd, 'config.json'), bytes: expect.any(Number) });
    expect(await from('Qwen/Qwen3-4B')).toEqual({ reference: 'Qwen/Qwen3-4B' });
    expect(await from('.')).toEqual({ reference: cwd });
  });

  it('counts in the units of the budget', async () => {
    const command = printing(
      '{"step": 1, "spent": {"updates": 1, "tokens": 40}, "values": {"loss": 0.5}}',
      '{"step": 2, "spent": {"updates": 2, "tokens": 90}, "values": {"loss": NaN}}',
      '{"done": {"checkpoint": {"reference": "hub/mine"}, "sampled": [{"family": "3", "tasks": 8, "share": 1}]}}',
    );
    const ran = await trainWith(workplace(), command, ['--budget', 'updates=4,tokens=1_000']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stdout).toMatch(/^loss\n/);
    expect(ran.stdout).toMatch(/ 4 updates$/m);
    expect(ran.stdout).toMatch(/^spent +2 updates, 90 tokens, /m);
    expect(ran.stdout).toMatch(/^ 3x3 +75 % +100 % +8 +-$/m);
    expect(ran.stdout).toContain('checkpoint  hub/mine\n');
  });

  it('shows its log and the last save when it fails', async () => {
    const failing = ['sh', '-c', `echo 'loading \u001b[31mweights'; echo 'out of memory' >&2; exit 7`];
    const ran = await trainWith(workplace(), failing);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(lines(ran.stderr).slice(0, 3).toSorted()).toEqual([
      '  loading weights',
      '  out of memory',
      'the last output of the program:',
    ]);
    expect(ran.stderr).toContain('ended with exit code 7 before its first update; its last words: out of memory');
    expect(steering(ran.stderr)).toEqual([]);
    const quiet = await trainWith(workplace(), failing, ['--json', '--quiet']);
    expect(quiet.stderr).toBe('');
    expect(JSON.parse(quiet.stdout).error).toMatchObject({ kind: 'unavailable', exit: { code: 7, signal: null } });
  });

  it('removes control characters from its output', async () => {
    const command = printing(
      '{"step": 1, "values": {"lo\\u0085ss": 1}}',
      '{"done": {"checkpoint": {"reference": "a\\u202eb"}}}',
    );
    const ran = await trainWith(workplace(), command);
    expect(ran.code, ran.stderr).toBe(0);
    expect(steering(ran.stdout)).toEqual([]);
  });
});
