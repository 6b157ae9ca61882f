// The fixed pools of tasks that every run is evaluated on, and the seeds: each purpose and stage has its own, derived
// from the seed of the run.

import type { RunSettings } from '../../../schemas/run-file.ts';
import { NotUnderstood } from '../../lab/environments/command/faults.ts';
import type { Configuration, Environment, Tasks } from '../../lab/environments/environment.ts';
import { knobValue, withKnob } from '../../lab/environments/knobs.ts';
import { sha256 } from '../../ledger/identity/ids.ts';

/** The same for all runs, so that their results are comparable. */
export const poolSeed = 'icecore-pool-1';

export function seedOf(runSeed: number | string, purpose: string, stage: number): string {
  const digits = sha256(JSON.stringify(['icecore', String(runSeed), purpose, stage])).slice(0, 15);
  return String(BigInt(`0x${digits}`));
}

type PoolSettings = Pick<RunSettings, 'configuration' | 'validation' | 'perCell'>;

/** Independent of the training data: these tasks define the goal of the run. */
export function validationPool(environment: Environment, asked: PoolSettings, signal: AbortSignal): Tasks {
  return environment.generate({
    configuration: poolConfiguration(environment, asked),
    split: 'validation',
    count: asked.validation,
    seed: poolSeed,
    signal,
  });
}

/** Training tasks that the policy tries before a stage, for the evidence. */
export function triedTasks(
  environment: Environment,
  { seed, trained }: Pick<RunSettings, 'seed' | 'trained'>,
  { stage, configuration }: { readonly stage: number; readonly configuration: Configuration },
  signal: AbortSignal,
): Tasks {
  return environment.generate({
    ...{ configuration, split: 'train', count: trained, signal },
    seed: seedOf(seed, 'evidence', stage),
  });
}

/** If an environment has no probe pool, tasks like those of validation replace it. */
export async function* probePool(
  environment: Environment,
  split: 'probe' | 'probe-holdout',
  asked: PoolSettings,
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

/** About the number of cells per family in environments with a probe pool. */
const tasksForACell = 12;

/**
 * The initial configuration, for settings such as the number of agents, with every family as in the environment's
 * start. It is the same at every stage, so that results of different stages are comparable.
 */
function poolConfiguration({ descriptor, start }: Environment, { configuration }: PoolSettings): Configuration {
  return descriptor.knobs
    .filter(({ family }) => family !== null)
    .reduce((result, knob) => {
      const value = knobValue(start, knob);
      return value === undefined ? result : withKnob(result, knob, value);
    }, configuration as Configuration);
}
