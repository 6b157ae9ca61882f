// The pools of a run: what the policy is measured on and what evidence is gathered from. They are the same for every run
// of an environment, so that what one run measured may be compared with another.
import type { RunSettings } from '../../../schemas/run-file.ts';
import { NotUnderstood } from '../../lab/environments/command/errors.ts';
import type { Configuration, Environment, Tasks } from '../../lab/environments/environment.ts';
import { knobValue, withKnob } from '../../lab/environments/knobs.ts';
import { poolSeed } from './seeds.ts';

type Sizes = Pick<RunSettings, 'validation' | 'perCell'>;

/** Tasks as the environment has them at its start, whatever is trained on: they are what the run is to be good at. */
export function validationPool(environment: Environment, { validation }: Sizes, signal: AbortSignal): Tasks {
  return environment.generate({
    configuration: environment.start,
    split: 'validation',
    count: validation,
    seed: poolSeed,
    signal,
  });
}

/** Where an environment has no probe pool, tasks of its start in its place. */
export async function* probePool(
  environment: Environment,
  split: 'probe' | 'held-back',
  configuration: Configuration,
  { perCell }: Sizes,
  signal: AbortSignal,
): Tasks {
  const at = withoutGroups(environment, configuration);
  try {
    return yield* environment.probe({ configuration: at, split, perCell, seed: poolSeed, signal });
  } catch (fault) {
    if (!(fault instanceof NotUnderstood)) throw fault;
    const count = perCell * tasksForACell * environment.descriptor.groups.length;
    return yield* environment.generate({ configuration: at, split, count, seed: poolSeed, signal });
  }
}

/** About as many as the cells that a group has in environments with a probe pool. */
const tasksForACell = 12;

/** No knob of a group has a say in the pool: they stand as they do at the start, so that one pool is one request. */
function withoutGroups({ descriptor, start }: Environment, configuration: Configuration): Configuration {
  return descriptor.knobs
    .filter(({ group }) => group === null)
    .reduce((result, knob) => {
      const value = knobValue(configuration, knob);
      return value === undefined ? result : withKnob(result, knob, value);
    }, start);
}
