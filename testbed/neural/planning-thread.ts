// A thread that plans: the same weights for all threads, one instance after the other.

import { parentPort, workerData } from 'node:worker_threads';
import { Random } from '../../src/library/plugins/tools.ts';
import { instanceOf } from '../lake/line.ts';
import type { Plan } from '../lake/plan.ts';
import { Walker } from './walk.ts';

export interface PlanningSetup {
  readonly weights: Float64Array;
}

/** One instance, with the number of plans. */
export interface Assignment {
  readonly line: unknown;
  /** Separates its random numbers from those of other instances. */
  readonly digest: string;
  readonly samples: number;
  readonly greedy: boolean;
  readonly seed: string;
}

export interface WalkedPlan {
  readonly plan: Plan;
  readonly agentSteps: number;
  /** Means over the agent steps. */
  readonly logProbability: number;
  readonly entropy: number;
  readonly value: number;
}

const walker = new Walker((workerData as PlanningSetup).weights);

function plansFor({ line, digest, samples, greedy, seed }: Assignment): readonly WalkedPlan[] {
  walker.load(instanceOf(line));
  return Array.from({ length: samples }, (_, sample) => {
    const random = greedy ? null : new Random(seed, 'plan', digest, sample);
    const { plan, agentSteps, logProbability, entropy, value } = walker.walk(random, null);
    const mean = (sum: number): number => (agentSteps === 0 ? 0 : sum / agentSteps);
    return { plan, agentSteps, logProbability: mean(logProbability), entropy: mean(entropy), value };
  });
}

parentPort?.on('message', (assignments: readonly Assignment[]) => parentPort?.postMessage(assignments.map(plansFor)));
