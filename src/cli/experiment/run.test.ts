// icecore run as a user runs it: what it refuses before anything is written, what it records, and how a run is resumed.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tinySettings } from '../../producers/run/testing/tiny.ts';
import { bin, icecore, inFolder, json, lines, shell, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';

/** A folder with a run file in it, small enough for a test. */
function place(change: object = {}): string {
  const cwd = temporaryFolder();
  const { name: _, ...settings } = tinySettings({ stages: 1, engineer: 'uniform' });
  writeFileSync(join(cwd, 'run.json'), JSON.stringify({ ...settings, ...change }));
  return cwd;
}

describe('icecore run with invalid settings', () => {
  const shares = { agents: 2, sizes: {} };

  it.each<[string, readonly string[], string]>([
    ['an unknown engineer', ['--engineer', 'chekpoint'], 'there is no engineer "chekpoint"'],
    [
      'an engineer that reads what another environment hides',
      ['--engineer', 'oracle'],
      'the engineer oracle cannot decide in lake: it reads what dungeon and catacomb hide',
    ],
    ['a suite that does not exist', ['--suite', 'agents-2-wait-26'], 'lake has no suite "agents-2-wait-26"'],
    ['a form that does not exist', ['--context', 'v9'], 'there is no form or module "v9"'],
    ['an unknown environment', ['--environment', 'lakes'], 'there is no environment "lakes"'],
    ['a misspelled environment', ['--environment', 'lakes'], 'Did you mean lake?'],
    [
      'a missing environment program',
      ['--environment', './nothing'],
      'the environment program ./nothing cannot be started',
    ],
    ['an unknown trainer', ['--trainer', 'ppo'], 'there is no trainer "ppo"'],
    ['an unknown policy', ['--policy', 'nueral'], 'there is no policy "nueral"'],
    ['a missing checkpoint', ['--policy', 'a.safetensors'], 'there is no such file or folder'],
    ['a checkpoint after the last proposal', ['--engineer', 'checkpoint@5'], 'the last proposal comes after stage 4'],
    ['a suite that is always measured', ['--suite', 'validation'], 'suites: found "validation"'],
    ['no stages', ['--stages', '0'], '--stages: found "0"'],
    ['a budget in other units', ['--budget', 'updates=3'], '--budget: found "updates=3", allowed: agent-steps'],
    ['a budget of zero', ['--budget', '0'], 'If the trainer counts another unit, name it: updates=50 or tokens=5M.'],
    ['a seed below zero', ['--seed', '-1'], '--seed: found "-1", allowed: a whole number from 0'],
    ['a seed that is no number', ['--seed', 'x'], '--seed: found "x", allowed: a whole number'],
    ['a reserved name', ['--name', 'latest'], '--name: found "latest"'],
    ['a self-summary without a model that writes it', ['--context', 'v5'], 'the form v5 has a self-summary'],
    ['a missing engineer program', ['--engineer', './missing.py'], 'the engineer program ./missing.py cannot be'],
    ['an engineer whose script is missing', ['--engineer', 'python3 nope.py'], 'the file nope.py does not exist in'],
    ['an unknown value of --on-error', ['--on-error', 'kepe'], '--on-error: found "kepe", allowed: stop, retry, keep'],
    ['an external trainer', ['--trainer', 'external'], 'the trainer external is not one that icecore starts'],
    ['an empty tag', ['--tag', 'a', ''], '--tag: found ""'],
    ['a missing run file', ['--file', 'nothing.json'], '--file: '],
  ])('%s is refused before anything is written', async (_, argv, message) => {
    const cwd = temporaryFolder();
    const ran = await icecore(['run', ...argv], { cwd });
    expect(ran.stderr).toContain(message);
    expect(ran.code).toBeGreaterThan(0);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it.each<[string, object, string]>([
    [
      'an unknown setting',
      { stagez: 3 },
      'run.json, stagez: found an unknown key, allowed: a known one, perhaps "stages"',
    ],
    ['a text for a number', { stages: 'three' }, 'run.json, stages: found "three"'],
    ['half a configuration', { configuration: shares }, 'sizes'],
    ['a knob in place of its path', { configuration: { '3.data': 0.2 } }, 'The knob 3.data is at sizes > 3 > data.'],
    ['no budget', { budget: {} }, 'found {}, allowed: at least one unit'],
    ['a budget in other units', { budget: { updates: 3 } }, 'budget.updates: found 3, allowed: only agent-steps'],
    [
      'a budget of zero',
      { budget: { 'agent-steps': 0 } },
      'budget.agent-steps: found 0, allowed: a whole number from 1',
    ],
    ['half an agent step', { budget: { 'agent-steps': 0.5 } }, 'budget.agent-steps: found 0.5'],
    [
      'fewer tokens than a context needs',
      { stages: 2, engineer: 'rules', contextTokens: 100 },
      'a context training+stats+behaviour+failures+history needs at least',
    ],
  ])('a run file with %s is refused with the field', async (_, change, message) => {
    const cwd = place(change);
    const ran = await icecore(['run', '--file', 'run.json'], { cwd });
    expect(ran.code).toBeGreaterThan(0);
    expect(ran.stderr).toContain(message);
    expect(existsSync(join(cwd, '.icecore'))).toBe(false);
  });
});

describe('icecore run with misused options', () => {
  it.each<[string, readonly string[], string]>([
    ['a budget in other units', ['--budget', 'updates=20'], 'For example: --budget 400k.'],
    ['several seeds', ['--seed', '1..2'], '--seed: found 2 seeds (1-2), allowed: one'],
  ])('%s exits with 2 and advice', async (_, argv, message) => {
    const ran = await icecore(['run', ...argv], { cwd: temporaryFolder() });
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  it('an environment of another trainer needs a trainer, whatever the unit of the budget', async () => {
    const cwd = temporaryFolder();
    const ran = await icecore(['run', '--environment', 'dungeon', '--trainer', 'grpo', '--budget', 'updates=5'], {
      cwd,
    });
    expect(ran.stderr).toContain('the trainer grpo trains on lake, not on dungeon');
  });

  it('a trainer that does not train the policy is refused, and its own policy is named', async () => {
    const cwd = temporaryFolder();
    const models = { qwen: { url: 'http://localhost:9/v1', model: 'lora-{checkpoint}', base: 'Qwen/Qwen3-4B' } };
    writeFileSync(join(cwd, 'icecore.config.json'), JSON.stringify({ models }));
    const ran = await icecore(['run', '--policy', 'qwen', '--trainer', 'grpo', '--engineer', 'rules'], { cwd });
    expect(ran).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the trainer grpo trains the policy neural, not qwen'),
    });
    expect(readdirSync(cwd)).toEqual(['icecore.config.json']);
  });
});

describe('a run', () => {
  it('is shown when it completes; its name cannot be reused, and resuming it records nothing', async () => {
    const run = inFolder(place());
    const ran = await run('run', '--file', 'run.json', '--name', 'small', '--tag', 'a', 'b');
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stdout).toContain('small: done 1/1');
    expect(ran.stderr).toContain(
      'a budget of 800 agent-steps per stage is too small to learn anything; the default is 600,000\n',
    );
    expect(lines(ran.stderr)).toContainEqual(expect.stringMatching(/^stage 1: valid /));
    expect((await run('run', '--file', 'run.json', '--name', 'small')).stderr).toContain(
      'a run called small exists already',
    );
    const events = lines((await run('event', 'tail', '--json', '-n', '1000')).stdout).length;
    const again = await run('resume', 'small', '--json');
    expect(lines((await run('event', 'tail', '--json', '-n', '1000')).stdout)).toHaveLength(events);
    expect(again.stderr).toContain('small was completed before: nothing is left to do');
    expect(faultsAgainst('run', json(again))).toEqual([]);
    expect(json(again)).toMatchObject({ name: 'small', ended: 'completed', stages: 1 });
  }, 30_000);

  it('records its settings, which reproduce it as a run file', async () => {
    const cwd = place();
    const run = inFolder(cwd);
    await run('run', '--file', 'run.json', '--seed', '7', '--name', 'one');
    const [started] = lines((await run('event', 'tail', '--json', '--type', 'RunStarted')).stdout).map((line) =>
      JSON.parse(line),
    );
    const { name: _, ...options } = started.data.options;
    expect(started.data).toMatchObject({
      name: 'one',
      seed: 7,
      stages: 1,
      measured: { host: { cores: expect.any(Number) } },
    });
    writeFileSync(join(cwd, 'again.json'), JSON.stringify({ ...options, name: 'two' }));
    await run('run', '--file', 'again.json');
    const both = ['one', 'two'].map(async (name) => json(await run('resume', name, '--json')));
    const [one, two] = await Promise.all(both);
    expect(two?.['checkpoint']).toBe(one?.['checkpoint']);
  }, 30_000);

  it('when stopped, prints the resume command, and resuming completes it', async () => {
    const cwd = place();
    const stopped = await shell(
      `"${process.execPath}" "${bin}" run --file run.json --name mine 2> said & pid=$!
       until grep -q '^mine: lake' said; do :; done
       kill -INT $pid; wait $pid`,
      cwd,
    );
    expect(stopped.code).toBe(130);
    expect(readFileSync(join(cwd, 'said'), 'utf8')).toMatch(/stopped by SIGINT.*\n.* resume mine/);
    expect((await icecore(['runs'], { cwd })).stdout).toMatch(/^mine .* stopped$/m);
    expect((await icecore(['resume', '--quiet'], { cwd })).stdout).toContain('mine: done 1/1');
  }, 30_000);
});
