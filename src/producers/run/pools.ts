// The pools of a run: what the policy is measured on and what evidence is gathered from. They are the same at every stage,
// and for every run that begins alike but for its families, so that what was measured may be compared.
import type { RunSettings } from '../../../schemas/run-file.ts';
import { NotUnderstood } from '../../lab/environments/command/program.ts';
import type { Configuration, Environment, Tasks } from '../../lab/environments/environment.ts';
import { knobValue, withKnob } from '../../lab/environments/knobs.ts';
import { poolSeed } from './seeds.ts';

type Asked = Pick<RunSettings, 'configuration' | 'validation' | 'perCell'>;

/** Whatever is trained on: they are what the run is to be good at. */
export function validationPool(environment: Environment, asked: Asked, signal: AbortSignal): Tasks {
  return environment.generate({
    configuration: poolConfiguration(environment, asked),
    split: 'validation',
    count: asked.validation,
    seed: poolSeed,
    signal,
  });
}

/** Where an environment has no probe pool, tasks like those of validation in its place. */
export async function* probePool(
  environment: Environment,
  split: 'probe' | 'probe-holdout',
  asked: Asked,
  signal: AbortSignal,
): Tasks {
  const configuration = poolConfiguration(environment, asked);
  const { perCell } = asked;
  try {
    return yield* environment.probe({ configuration, split, perCell, seed: poolSeed, signal });
  } catch (fault) {
    if (!(fault instanceof NotUnderstood)) throw fault;
    const count = perCell * tasksForACell * environment.descriptor.families.length;
    return yield* environment.generate({ configuration, split, count, seed: poolSeed, signal });
  }
}

/** About as many as the cells that a family has in environments with a probe pool. */
const tasksForACell = 12;

/**
 * What the run begins with, the number of agents for example, with every family as the environment starts with it. It is
 * the same at every stage, whatever an engineer turns: else what was measured at one would not compare with another.
 */
function poolConfiguration({ descriptor, start }: Environment, { configuration }: Asked): Configuration {
  return descriptor.knobs
    .filter(({ family }) => family !== null)
    .reduce((result, knob) => {
      const value = knobValue(start, knob);
      return value === undefined ? result : withKnob(result, knob, value);
    }, configuration as Configuration);
}
