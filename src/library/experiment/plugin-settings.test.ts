// Hyper-parameters and optional knobs of a plugin's trainer and environment: they are knobs only if a run names them.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { temporaryFolder } from '../../base/testing/temporary-folder.ts';
import { openWorkspace } from '../open.ts';
import { defineEnvironment, definePlugin, defineTrainer } from '../plugins/index.ts';
import type { SettingsOptions } from './settings.ts';

const darts = defineEnvironment({
  ...{ name: 'darts', summary: 'aim at a number', families: { near: 'a board that is near' } },
  knobs: { size: { meaning: 'numbers on the board', range: [2, 10_000], step: 1, integer: true } },
  settings: {
    light: { meaning: 'how bright it is', range: [0, 1], step: 0.1 },
    wind: { meaning: 'how windy it is', range: [0, 1], step: 0.1, optional: true },
  },
  start: { families: { near: { share: 1, size: 10_000 } }, light: 1, wind: 0.5 },
  outcomes: { hit: 'the number', miss: 'another' },
  failureClasses: { missed: 'another number' },
  instance: z.strictObject({ number: z.int(), wind: z.number() }),
  generate: ({ knobs: { size }, settings: { wind }, random }) => ({ number: random.below(size), wind }),
  judge: ({ instance, answer }) =>
    answer === instance.number ? { outcome: 'hit' } : { outcome: 'miss', failures: [{ class: 'missed' }] },
  player: () => () => ({ answer: 1, agentSteps: 1 }),
});

const seen: number[] = [];
const practice = defineTrainer({
  ...{ name: 'practice', summary: 'throws', on: darts },
  hyperparameters: {
    rate: { meaning: 'the step size', range: [0, 1], step: 0.1, start: 0.1 },
    throws: { meaning: 'throws in an update', range: [1, 50], step: 1, integer: true, start: 10 },
  },
  state: z.object({}),
  begin: () => ({}),
  update({ state, hyperparameters: { rate, throws } }) {
    seen.push(rate);
    return { state, agentSteps: throws, groups: [{ family: 'near', rewards: [0, 1], valid: 1 }] };
  },
});

async function playing() {
  const plugins = [definePlugin({ name: 'darts', environments: [darts], trainers: [practice] })];
  return await openWorkspace({ cwd: temporaryFolder(), env: {}, plugins });
}

const settings: SettingsOptions = {
  ...{ name: 'mine', stages: 1, policy: 'arm', engineer: 'fixed', validation: 1, perCell: 1, trained: 1, samples: 1 },
  ...{ suites: [], budget: { 'agent-steps': 100 } },
};

it('a run sets hyper-parameters and optional knobs by name, and they are recorded', async () => {
  await using workspace = await playing();
  await workspace.run({
    ...settings,
    environment: { name: 'darts', knobs: ['wind'] },
    trainer: { name: 'practice', rate: 0.5, knobs: ['throws'] },
  });
  expect(new Set(seen)).toEqual(new Set([0.5]));
  const [event] = await workspace.sql(
    `SELECT data->'$.options.trainer' AS trainer, data->'$.options.configuration' AS configuration
     FROM events WHERE type = 'RunStarted'`,
  );
  expect(event).toMatchObject({
    trainer: { name: 'practice', rate: 0.5, throws: 10, knobs: ['throws'] },
    configuration: { light: 1, wind: 0.5, trainer: { throws: 10 } },
  });
  const knobs = await workspace.sql('SELECT knob FROM knobs ORDER BY knob');
  expect(knobs.map(({ knob }) => knob)).toEqual(['light', 'near.share', 'near.size', 'trainer.throws', 'wind']);
});

it('an optional knob is not a knob unless the run names it, but its value is still checked', async () => {
  await using workspace = await playing();
  await workspace.run({ ...settings, environment: 'darts', trainer: 'practice' });
  const knobs = await workspace.sql('SELECT knob FROM knobs ORDER BY knob');
  expect(knobs.map(({ knob }) => knob)).toEqual(['light', 'near.share', 'near.size']);
  const configuration = { families: { near: { share: 1, size: 10 } }, light: 1, wind: 2 };
  await expect(workspace.run({ ...settings, name: 'windy', environment: 'darts', configuration })).rejects.toThrow(
    'wind: found 2 (a number), allowed: a number from 0 to 1',
  );
});

it.each([
  [
    { trainer: { name: 'practice', rte: 0.5 } },
    'trainer.rte: found an unknown key, allowed: a known one, perhaps "rate"',
  ],
  [{ trainer: { name: 'practice', rate: 2 } }, 'trainer.rate: found 2 (a number), allowed: a number from 0 to 1'],
  [{ trainer: { name: 'practice', throws: 1.5 } }, 'trainer.throws: found 1.5 (a number), allowed: a whole number'],
  [{ trainer: { name: 'practice', knobs: ['wind'] } }, 'trainer.knobs[0]: found "wind" (a string), allowed: one of'],
  [{ trainer: { name: 'ppo', rate: 0.1 } }, 'there is no trainer "ppo"'],
  [
    { environment: { name: 'darts', knobs: ['light'] } },
    'environment.knobs[0]: found "light" (a string), allowed: one',
  ],
])('%j is refused', async (given, message) => {
  await using workspace = await playing();
  await expect(workspace.run({ ...settings, environment: 'darts', trainer: 'practice', ...given })).rejects.toThrow(
    message,
  );
});

it('a budget can be in any unit that the trainer counts, and in no other', async () => {
  await using workspace = await playing();
  const darts = { ...settings, environment: 'darts', trainer: 'practice' };
  await workspace.run({ ...darts, budget: { updates: 3 } });
  const [training] = await workspace.sql(
    "SELECT data->'$.spent.updates' AS updates FROM events WHERE type = 'TrainingRecorded'",
  );
  expect(training).toMatchObject({ updates: 3 });
  await expect(workspace.run({ ...darts, name: 'other', budget: { tokens: 3 } })).rejects.toThrow(
    '--budget: found "tokens=3", allowed: agent-steps and updates, the units of the trainer practice',
  );
});

it('rollouts that a trainer reports are recorded, unless the run records evaluation only', async () => {
  const reporting = defineTrainer({
    ...{ name: 'reporting', summary: 'throws and reports', on: darts, state: z.object({}), begin: () => ({}) },
    update: ({ state, update, isRecorded }) => {
      const rollouts = ['miss', 'hit'].map((outcome) => ({
        outcome,
        task: { id: `throw-${update}` },
        success: outcome === 'hit',
      }));
      const group = { family: 'near', rewards: [0, 1], valid: 1, ...(isRecorded ? { rollouts } : {}) };
      return { state, agentSteps: 2, groups: [group] };
    },
  });
  const plugins = [definePlugin({ name: 'darts', environments: [darts], trainers: [reporting] })];
  await using workspace = await openWorkspace({ cwd: temporaryFolder(), env: {}, plugins });
  const trained = { ...settings, environment: 'darts', trainer: 'reporting', budget: { updates: 300 } };
  await workspace.run(trained);
  const counted = `SELECT count(*) AS rollouts, sum(reward) AS reward, max(training_step) AS last, max(sample) AS sample
    FROM rollouts WHERE part = 'training'`;
  expect(await workspace.sql(counted)).toEqual([{ rollouts: 600, reward: 300, last: 300, sample: 1 }]);
  expect(await workspace.show('mine')).toMatchObject({ asked: { unrecorded: null } });
  await workspace.run({ ...trained, name: 'unrecorded', record: 'evaluation' });
  expect(await workspace.sql(`${counted} AND run = 'unrecorded'`)).toMatchObject([{ rollouts: 0 }]);
});

it('a trainer that reports a group of an unknown family is at fault', async () => {
  const astray = defineTrainer({
    ...{ name: 'astray', summary: 'throws elsewhere', on: darts, state: z.object({}), begin: () => ({}) },
    update: ({ state }) => ({ state, agentSteps: 1, groups: [{ family: 'naer', rewards: [0, 1], valid: 1 }] }),
  });
  const plugins = [definePlugin({ name: 'darts', environments: [darts], trainers: [astray] })];
  await using workspace = await openWorkspace({ cwd: temporaryFolder(), env: {}, plugins });
  await expect(workspace.run({ ...settings, environment: 'darts', trainer: 'astray' })).rejects.toThrow(
    'the trainer astray of the plugin darts: update 1: groups[0].family: found "naer" (a string), allowed: a family of the environment, perhaps "near"',
  );
});
