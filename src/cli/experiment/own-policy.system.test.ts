// A policy of one's own, from nothing but the programs in README.md and docs/environments.md, as these pages say to run them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bin, inFolder, json, shell, temporaryFolder } from '../testing/harness.ts';
import { hasPython } from './testing/place.ts';

const root = new URL('../../../', import.meta.url);
const guide = readFileSync(new URL('docs/environments.md', root), 'utf8');

function firstProgram(page: string): string {
  return /```python\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
}

/** The commands of a block of the guide, a line each. */
function commandsIn(start: string): readonly string[] {
  const blocks = Array.from(guide.matchAll(/```sh\n([\s\S]*?)```/g), ([, block = '']) => block);
  const block = blocks.find((one) => one.startsWith(start)) ?? '';
  return block.replaceAll('\\\n', '').trimEnd().split('\n');
}

function placeWithPrograms(): string {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'environment.py'), firstProgram(guide));
  writeFileSync(join(cwd, 'train.py'), firstProgram(readFileSync(new URL('README.md', root), 'utf8')));
  return cwd;
}

async function typed(cwd: string, line: string): Promise<void> {
  const icecore = `icecore() { "${process.execPath}" "${bin}" "$@"; }`;
  expect(await shell(`${icecore}; ${line}`, cwd)).toMatchObject({ code: 0 });
}

type Stages = { readonly stages: readonly { readonly valid: { readonly value: number } }[] };

describe.skipIf(!hasPython)('a policy of your own', () => {
  it('is trained and played by the two documented programs, and improves', async () => {
    const cwd = placeWithPrograms();
    const [run = ''] = commandsIn('icecore run --environment');
    await typed(cwd, run);
    const { stages } = json(await inFolder(cwd)('show', 'own', '--json')) as unknown as Stages;
    const rates = stages.map(({ valid }) => valid.value);
    expect(rates).toHaveLength(3);
    expect(rates.at(-1)).toBeGreaterThan(rates[0] ?? 1);
  }, 60_000);

  it('is trained by your own loop with the three commands of the guide', async () => {
    const cwd = placeWithPrograms();
    const [start = '', train = '', finish = ''] = commandsIn('icecore stage start loop');
    for (const line of [start, train, finish, 'icecore stage start loop > stage.json', train, finish])
      await typed(cwd, line);
    expect(json(await inFolder(cwd)('show', 'loop', '--json'))).toMatchObject({ state: 'completed', done: 2 });
    const stage = JSON.parse(readFileSync(join(cwd, 'stage.json'), 'utf8')) as { from: { reference: string } };
    expect(JSON.parse(readFileSync(stage.from.reference, 'utf8'))).toEqual({ skill: expect.any(Number) });
  }, 60_000);

  it('causes an alert if its trainer program changed between stages', async () => {
    const cwd = placeWithPrograms();
    const icecore = inFolder(cwd);
    const programs = ['--environment', 'python3 environment.py', '--policy', 'mine', '--trainer', 'python3 train.py'];
    const size = ['--budget', 'updates=20', '--stages', '2', '--engineer', 'fixed', '--name', 'moved'];
    const trainer = readFileSync(join(cwd, 'train.py'), 'utf8');
    writeFileSync(
      join(cwd, 'train.py'),
      trainer.replace('skill = 0.0\n', 'skill = 0.0\nif stage["from"]: sys.exit(3)\n'),
    );
    expect((await icecore('run', ...programs, ...size)).stderr).toMatch(/ended with exit code 3/);
    writeFileSync(join(cwd, 'train.py'), trainer);
    const { code, stderr } = await icecore('resume', 'moved');
    expect(code).toBe(0);
    expect(stderr).toContain(
      'train.py has changed since stage 1 of moved: the later stages are trained by another program',
    );
    expect(stderr).not.toContain('environment.py has changed');
    expect((await icecore('show', 'moved')).stdout).toContain('Alert: stage 2: train.py differs from that of stage 1');
    const { stages } = json(await icecore('show', 'moved', '--json')) as Record<'stages', unknown>;
    expect(stages).toMatchObject([{ changedPrograms: [] }, { changedPrograms: [{ file: 'train.py', since: 1 }] }]);
  }, 60_000);
});
