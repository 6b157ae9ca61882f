// What is filled in where nothing was asked for.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLake } from '../../lab/lake/environment.ts';
import { temporaryFolder } from '../testing/harness.ts';
import { fileFrom, settingsFrom } from './settings.ts';

it('suites whose names every run has for its own are not among those that nobody asked for', () => {
  const lake = openLake();
  const [suite] = lake.suites;
  if (suite === undefined) throw new Error('the lake has suites');
  const suites = ['validation', 'one', 'probe-holdout', 'two', 'three', 'four'].map((name) => ({ ...suite, name }));
  expect(settingsFrom({}, { ...lake, suites }, 'mine').suites).toEqual(['one', 'two', 'three']);
  expect(settingsFrom({ suites: ['validation'] }, { ...lake, suites }, 'mine').suites).toEqual(['validation']);
});

it('a configuration may leave out sizes, as it may for lake generate', () => {
  const lake = openLake();
  const configuration = { agents: 2, sizes: { 8: { data: 1, hole: 0.1, wait: 0 } } };
  const settings = settingsFrom({ configuration }, lake, 'mine');
  expect(lake.check(settings.configuration)).toEqual([]);
  expect(settings.configuration).toMatchObject({ sizes: { 3: { data: 0 }, 8: { data: 1, hole: 0.1, wait: 0 } } });
  expect(settingsFrom({}, lake, 'mine').configuration).toEqual(lake.start);
});

describe('the hyper-parameters of the trainer', () => {
  const fileWith = (trainer: unknown, options: object = {}) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'run.json'), JSON.stringify({ trainer }));
    return fileFrom({ file: 'run.json', ...options }, folder);
  };

  it('are settings of the run file, resolved whole; what is typed beats them', () => {
    const trainer = { name: 'grpo', learningRate: 0.01, groups: 8, bonus: 0 };
    const { trainer: resolved } = settingsFrom(fileWith(trainer), openLake(), 'mine');
    expect(resolved).toEqual({ ...trainer, samples: 8, entropy: 0.005, value: 0.25 });
    expect(fileWith(trainer, { trainer: 'grpo' })).toEqual({ trainer: 'grpo' });
  });

  it.each([
    [{ name: 'grpo', learningRate: 0 }, 'trainer.learningRate: found 0 (a number), allowed: a number above 0 to 1'],
    [{ name: 'grpo', groups: 2.5 }, 'trainer.groups: found 2.5 (a number), allowed: a whole number from 1 to 4096'],
    [{ name: 'grpo', samples: 1 }, 'trainer.samples: found 1 (a number), allowed: a whole number from 2 to 256'],
    [{ name: 'grpo', bonus: -1 }, 'trainer.bonus: found -1 (a number), allowed: a number from 0 to 10'],
    [{ name: 'grpo', learningrate: 0.1 }, 'trainer.learningrate: found an unknown key, allowed: a known one, perhaps'],
    [{ name: 'ppo' }, 'trainer.name: found "ppo" (a string), allowed: "grpo"'],
    [{ groups: 8 }, 'trainer.name: found nothing, allowed: "grpo"'],
  ])('%j is refused by field, with what was found and what is allowed', (trainer, message) => {
    expect(() => fileWith(trainer)).toThrow(message);
  });
});
