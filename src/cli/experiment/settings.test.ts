// The defaults of a run, and its settings from options and run files.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLake } from '../../../testbed/lake/environment.ts';
import { registry } from '../../../testbed/testing/registry.ts';
import { withTrainerKnobs } from '../../lab/trainers/knobs.ts';
import type { RunOptions } from '../../library/experiment/run.ts';
import { labIn, runFileFrom, settingsFrom } from '../../library/experiment/settings.ts';
import { trainerKnobsOf } from '../../producers/trainers/trainers.ts';
import { temporaryFolder } from '../testing/harness.ts';
import { typedFor } from '../testing/typed.ts';

it('the default suites exclude those that every run measures', () => {
  const lake = openLake();
  const [suite] = lake.suites;
  if (suite === undefined) throw new Error('the lake has suites');
  const suites = ['validation', 'one', 'probe-holdout', 'two', 'three', 'four'].map((name) => ({ ...suite, name }));
  expect(settingsFrom({}, { ...lake, suites }, 'mine', registry).suites).toEqual(['one', 'two', 'three']);
  expect(settingsFrom({ suites: ['validation'] }, { ...lake, suites }, 'mine', registry).suites).toEqual([
    'validation',
  ]);
});

it('a configuration may omit sizes', () => {
  const lake = openLake();
  const configuration = { agents: 2, sizes: { 8: { data: 1, hole: 0.1, wait: 0 } } };
  const settings = settingsFrom({ configuration }, lake, 'mine', registry);
  expect(lake.check(settings.configuration)).toEqual([]);
  expect(settings.configuration).toMatchObject({ sizes: { 3: { data: 0 }, 8: { data: 1, hole: 0.1, wait: 0 } } });
  expect(settingsFrom({}, lake, 'mine', registry).configuration).toEqual(lake.start);
});

it('options become the settings of a run file: --config is read from its file, and --suite none means no suites', async () => {
  const path = join(temporaryFolder(), 'start.json');
  writeFileSync(path, '{"agents": 3}');
  const sizes = ['--validation-tasks', '50', '--probe-tasks', '1'];
  const words = ['--config', path, '--suite', 'none', '--tag', 'a', 'b', '--budget', '400k', ...sizes];
  const { options } = await typedFor<object, RunOptions>('run', words);
  expect(await runFileFrom(options, placeAt('/'))).toEqual({
    ...{ configuration: { agents: 3 }, suites: [], tags: ['a', 'b'], budget: { 'agent-steps': 400_000 } },
    ...{ validation: 50, perCell: 1 },
  });
  await expect(typedFor('run', ['--config', `${path}.old`])).rejects.toThrow('--config: ');
});

const placeAt = (cwd: string) => ({ cwd, signal: new AbortController().signal });

describe('the hyper-parameters of the trainer', () => {
  const fileWith = async (trainer: unknown, options: object = {}) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'run.json'), JSON.stringify({ trainer }));
    return await runFileFrom({ file: 'run.json', ...options }, placeAt(folder));
  };

  it('are settings of the run file, completed with defaults, and --trainer replaces them', async () => {
    const trainer = { name: 'grpo', learningRate: 0.01, groups: 8, bonus: 0 };
    const { trainer: resolved } = settingsFrom(await fileWith(trainer), openLake(), 'mine', registry);
    expect(resolved).toEqual({ ...trainer, samples: 8, stepPenalty: 0, horizon: 0.5, entropy: 0.005, value: 0.25 });
    expect(await fileWith(trainer, { trainer: 'grpo' })).toEqual({ trainer: 'grpo' });
  });

  it('that are knobs start in the configuration with their settings', async () => {
    const trainer = { name: 'grpo', bonus: 0.5, knobs: ['bonus', 'groups'] };
    const file = await fileWith(trainer);
    const lake = withTrainerKnobs(openLake(), trainerKnobsOf(file.trainer ?? '', registry));
    const start = { bonus: 0.5, groups: 24 };
    const sizes = { 8: { data: 1, hole: 0.1, wait: 0 } };
    expect(settingsFrom(file, lake, 'mine', registry)).toMatchObject({ trainer, configuration: { trainer: start } });
    for (const [given, wanted] of [
      [{}, start],
      [{ trainer: { bonus: 1, groups: 8 } }, { bonus: 1, groups: 8 }],
    ] as const) {
      const { configuration } = settingsFrom(
        { ...file, configuration: { agents: 2, sizes, ...given } },
        lake,
        'mine',
        registry,
      );
      expect(configuration).toMatchObject({ trainer: wanted, sizes });
      expect(lake.check(configuration)).toEqual([]);
    }
  });

  it.each([
    [
      { name: 'grpo', learningRate: 0 },
      'trainer.learningRate: found 0 (a number), allowed: a number from 0.000001 to 1',
    ],
    [{ name: 'grpo', groups: 2.5 }, 'trainer.groups: found 2.5 (a number), allowed: a whole number from 1 to 4096'],
    [{ name: 'grpo', samples: 1 }, 'trainer.samples: found 1 (a number), allowed: a whole number from 2 to 256'],
    [{ name: 'grpo', bonus: -1 }, 'trainer.bonus: found -1 (a number), allowed: a number from 0 to 10'],
    [{ name: 'grpo', learningrate: 0.1 }, 'trainer.learningrate: found an unknown key, allowed: a known one, perhaps'],
    [{ groups: 8 }, 'trainer.name: found nothing'],
    [{ name: 'grpo', knobs: ['rate'] }, 'trainer.knobs[0]: found "rate" (a string), allowed: one of "learningRate"'],
    [{ command: ['true'] }, 'trainer.knobs: found nothing, allowed: a list'],
    [
      { command: ['true'], knobs: [{ name: 'a b', meaning: '', range: { min: 0, max: 1 }, step: 1, start: 0 }] },
      'trainer.knobs[0].name: found "a b" (a string), allowed: a word of letters, digits and underscores',
    ],
    [
      { command: ['true'], knobs: [{ name: 'a', meaning: 'x', range: { min: 0, max: 1 }, step: 0, start: 0 }] },
      'trainer.knobs[0].step: found 0 (a number), allowed: a number above 0',
    ],
  ])('%j is refused, with its field and what is allowed', async (trainer, message) => {
    const opening = fileWith(trainer).then((file) => labIn(file, registry));
    await expect(opening).rejects.toThrow(message);
  });
});
