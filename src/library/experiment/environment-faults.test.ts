// After each training its checkpoint is played once. A fault of the environment is not blamed on the checkpoint.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { temporaryFolder } from '../../base/testing/temporary-folder.ts';
import { openWorkspace } from '../open.ts';
import {
  defineEnvironment,
  definePlugin,
  defineTrainer,
  type Plugin,
  PluginFault,
  type VerdictOf,
} from '../plugins/index.ts';
import type { SettingsOptions } from './settings.ts';

type Verdict = VerdictOf<'hit' | 'miss', 'missed', never>;

interface Bugs {
  readonly generate?: (number: number) => unknown;
  readonly judge?: () => unknown;
  readonly player?: (checkpoint: string | undefined) => unknown;
}

/** Trained twice a stage; `updates` counts how often. */
function dartsWith({ generate, judge, player }: Bugs, updates: number[] = []): readonly Plugin[] {
  const darts = defineEnvironment({
    ...{ name: 'darts', summary: 'aim at a number', families: { near: 'a board that is near' }, knobs: {} },
    start: { families: { near: { share: 1 } } },
    ...{ outcomes: { hit: 'the number', miss: 'another' }, failureClasses: { missed: 'another number' } },
    instance: z.strictObject({ number: z.int() }),
    seconds: 0.2,
    generate: ({ random }) => {
      const number = random.below(10_000);
      return (generate === undefined ? { number } : generate(number)) as { number: number };
    },
    judge: () => (judge === undefined ? { outcome: 'hit', reward: 1 } : judge()) as Verdict,
    player: ({ checkpoint }) =>
      (player === undefined ? () => ({ answer: 1, agentSteps: 1 }) : player(checkpoint)) as () => { answer: number },
  });
  const practice = defineTrainer({
    ...{ name: 'practice', summary: 'throws', on: darts, state: z.object({}), begin: () => ({}) },
    update({ state, update }) {
      updates.push(update);
      return { state, agentSteps: 1, groups: [] };
    },
  });
  return [definePlugin({ name: 'acme', environments: [darts], trainers: [practice] })];
}

const settings: SettingsOptions = {
  ...{ name: 'mine', environment: 'darts', trainer: 'practice', policy: 'arm', engineer: 'fixed', stages: 1 },
  ...{ validation: 1, perCell: 1, trained: 1, samples: 1, suites: [], budget: { updates: 2 } },
};

function fails(): never {
  throw new Error('a bug');
}

const never = () => new Promise(() => {});

async function faultOf(bugs: Bugs, cwd = temporaryFolder()): Promise<unknown> {
  await using workspace = await openWorkspace({ cwd, env: {}, plugins: dartsWith(bugs) });
  return await workspace.run(settings).catch((fault: unknown) => fault);
}

it.each<[string, Bugs, string]>([
  ['a judge that throws', { judge: fails }, 'judge threw Error: a bug'],
  ['a judge that never answers', { judge: never }, 'judge did not come back within 0.2 s'],
  [
    'a judge with a reward that is not a number',
    { judge: () => ({ outcome: 'hit', reward: Number.NaN }) },
    'judge: verdict.reward: found NaN',
  ],
  ['a generator that throws', { generate: fails }, 'generate threw Error: a bug'],
  ['a generator of invalid instances', { generate: () => ({ number: 0.5 }) }, 'generate: instance.number: found 0.5'],
  ['a player that throws in every game', { player: () => fails }, 'play threw Error: a bug'],
  ['a player that never answers', { player: () => never }, 'play did not come back within 0.2 s'],
  ['a player with half an agent step', { player: () => () => ({ agentSteps: 0.5 }) }, 'play: agentSteps: found 0.5'],
])('%s is a fault of the environment', async (_, bugs, says) => {
  const fault = await faultOf(bugs);
  expect(fault).toBeInstanceOf(PluginFault);
  expect(fault).toMatchObject({
    name: 'PluginFault',
    message: expect.stringContaining(`the environment darts of the plugin acme: ${says}`),
    remedy: 'Fix it in the plugin. A run that it stopped can then be resumed.',
  });
});

it('a run resumes once its environment is fixed, without training again', async () => {
  const cwd = temporaryFolder();
  await faultOf({ judge: fails }, cwd);
  const updates: number[] = [];
  await using workspace = await openWorkspace({ cwd, env: {}, plugins: dartsWith({}, updates) });
  expect(await workspace.resume('mine')).toMatchObject({ ended: 'completed' });
  expect(updates).toEqual([]);
});

it.each<[string, NonNullable<Bugs['player']>]>([
  [
    'loaded',
    (checkpoint) => checkpoint !== undefined && z.array(z.int()).parse(JSON.parse(readFileSync(checkpoint, 'utf8'))),
  ],
  [
    'played, though the policy plays without it',
    (checkpoint) => (checkpoint === undefined ? () => ({ answer: 1 }) : fails),
  ],
])('a checkpoint that cannot be %s is at fault', async (_, player) => {
  expect(await faultOf({ player })).toMatchObject({
    name: 'UnusableCheckpoint',
    message: expect.stringMatching(/^trainer practice left the checkpoint .*, which the policy arm cannot use: /),
    remedy: expect.stringContaining('If the environment is at fault, fix it and resume the run'),
  });
});
