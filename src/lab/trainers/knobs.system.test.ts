import { describe, expect, it } from 'vitest';
import type { TrainerKnob } from '../../../schemas/run-file.ts';
import { hyperparameters } from '../../../testbed/grpo/settings.ts';
import { openLake } from '../../../testbed/lake/environment.ts';
import { optimalPlan, otherPlans } from '../../../testbed/lake/testing/contract-fixture.ts';
import { environmentContract } from '../environments/contract/environment-contract.ts';
import { collected } from '../environments/contract/tasks.ts';
import type { Configuration, Environment } from '../environments/environment.ts';
import { hyperparametersIn, withoutHyperparameters, withStartingHyperparameters, withTrainerKnobs } from './knobs.ts';

const offered: readonly TrainerKnob[] = [
  { name: 'learningRate', ...hyperparameters.learningRate, start: 0.005 },
  { name: 'groups', ...hyperparameters.groups, start: 16 },
];

/** One of its suites: the lake's own test covers all. */
function smallLake(): Environment {
  const lake = openLake();
  return { ...lake, suites: lake.suites.slice(0, 1) };
}

environmentContract('lake with hyper-parameters as knobs', {
  open: async () => withTrainerKnobs(smallLake(), offered),
  right: optimalPlan,
  wrong: otherPlans,
  many: 20,
});

describe('an environment with the knobs of a trainer', () => {
  const lake = openLake();
  const joined = withTrainerKnobs(lake, offered);

  it("has them after its own, and starts with the trainer's settings", () => {
    const names = joined.descriptor.knobs.map(({ name }) => name);
    expect(names).toEqual([...lake.descriptor.knobs.map(({ name }) => name), 'trainer.learningRate', 'trainer.groups']);
    expect(joined.start).toEqual({ ...lake.start, trainer: { learningRate: 0.005, groups: 16 } });
  });

  it('checks both parts of a configuration, and names issues by field', () => {
    const check = (trainer: unknown) => joined.check({ ...lake.start, trainer });
    expect(joined.check(joined.start)).toEqual([]);
    expect(check({ learningRate: 0.005, groups: 2.5 })).toMatchObject([{ field: 'trainer.groups' }]);
    expect(check({ learningRate: 0.005, groups: 16, bonus: 1 })).toMatchObject([{ field: 'trainer.bonus' }]);
    expect(check(3)).toMatchObject([{ field: 'trainer', found: '3 (a number)' }]);
    expect(joined.check(lake.start)).toMatchObject([{ field: 'trainer', found: 'nothing' }]);
    expect(joined.check({ ...joined.start, agents: 0 })).toMatchObject([{ field: 'agents' }]);
    expect(joined.check(null)).toEqual(lake.check(null));
  });

  it('generates the same tasks as without them', async () => {
    const of = (configuration: Configuration) => ({ configuration, split: 'train', count: 20, seed: 'a' }) as const;
    const tasks = await collected(joined.generate(of(joined.start)));
    expect(tasks).toEqual(await collected(lake.generate(of(lake.start))));
  });

  it('is the same environment if there are none', () => {
    expect(withTrainerKnobs(lake, [])).toBe(lake);
  });

  it('is refused if the environment has a setting of that name', () => {
    const taken = { ...lake, start: { ...lake.start, trainer: 'mine' } };
    expect(() => withTrainerKnobs(taken, offered)).toThrow('the environment lake has a setting "trainer"');
    expect(() => withTrainerKnobs(joined, offered)).toThrow('the environment lake has a setting "trainer"');
  });

  const [knob] = offered as readonly [TrainerKnob];

  it.each([
    [[{ ...knob, range: { min: 1, max: 0 } }], 'trainer.knobs[0].range: found min 1 above max 0'],
    [[knob, knob], 'trainer.knobs[1].name: found'],
  ])('is refused if they are inconsistent', (knobs, message) => {
    expect(() => withTrainerKnobs(lake, knobs)).toThrow(message);
  });
});

describe('the hyper-parameters of a configuration', () => {
  const configuration = { agents: 2, trainer: { learningRate: 0.01 } };

  it('are its values, otherwise the start values', () => {
    expect(hyperparametersIn(configuration, offered)).toEqual({ learningRate: 0.01, groups: 16 });
    expect(hyperparametersIn(configuration, [])).toBeUndefined();
    expect(withoutHyperparameters(configuration)).toEqual({ agents: 2 });
  });

  it('are filled in if it has none', () => {
    const given = { agents: 2 };
    expect(withStartingHyperparameters(given, offered)).toEqual({
      agents: 2,
      trainer: { learningRate: 0.005, groups: 16 },
    });
    for (const same of [configuration, 3, null]) expect(withStartingHyperparameters(same, offered)).toBe(same);
    expect(withStartingHyperparameters(given, [])).toBe(given);
  });
});
