// One training of the embedded trainer, from scratch, in a temporary folder.

import type { Checkpoint } from '../../src/lab/policies/policy.ts';
import { openGrpo } from '../../testbed/grpo/grpo.ts';
import type { LakeConfiguration } from '../../testbed/lake/configuration.ts';
import { inFolder } from '../folder.ts';
import type { Done } from '../measure.ts';

export interface TrainingOptions {
  readonly configuration: LakeConfiguration;
  readonly agentSteps: number;
  readonly seed: string;
  readonly threads: number;
  /** Milliseconds after which it is stopped. */
  readonly limit?: number;
}

export interface Trained {
  readonly updates: number;
  readonly agentSteps: number;
  /** Between the first and the last point of the curve, without the start. */
  readonly measured: Done;
}

const untimed = 2 ** 31 - 1;

/** Returns a result derived from its last checkpoint, and the time. */
export async function train<Result>(
  { configuration, agentSteps, seed, threads, limit = untimed }: TrainingOptions,
  use: (checkpoint: Checkpoint, trained: Trained) => Promise<Result>,
): Promise<Result> {
  return await inFolder(async (folder) => {
    const trainer = openGrpo({ threads });
    const signal = AbortSignal.timeout(limit);
    const budget = { 'agent-steps': agentSteps };
    let last: Checkpoint | null = null;
    let [begun, agentStepsBefore] = [0, 0];
    let trained: Trained = { updates: 0, agentSteps: 0, measured: { units: 0, milliseconds: 0 } };
    try {
      const request = { configuration: { ...configuration }, from: null, budget, seed, folder, signal };
      for await (const progress of trainer.train(request)) {
        if (progress.kind === 'saved') last = progress.checkpoint;
        if (progress.kind !== 'point') continue;
        const now = performance.now();
        const taken = progress.point.spent?.['agent-steps'] ?? 0;
        if (begun === 0) [begun, agentStepsBefore] = [now, taken];
        const measured = { units: taken - agentStepsBefore, milliseconds: now - begun };
        trained = { updates: progress.point.step, agentSteps: taken, measured };
      }
    } catch (error) {
      if (error !== signal.reason) throw error;
    } finally {
      await trainer.close();
    }
    if (last === null) throw new Error('nothing was saved');
    return await use(last, trained);
  });
}
