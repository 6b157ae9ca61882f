// Threads that learn together: an update is divided into parts, which free threads take, and the gradients of the parts are added in
// order, so that the sum does not depend on the number of threads.
import { moduleBeside, type RolloutsInCommon, Threads } from '../../src/library/plugins/tools.ts';
import { weightCount } from '../neural/network.ts';
import type { Curriculum } from './batches.ts';
import type { LearningSetup, Part, Taken } from './learning-thread.ts';
import { type Settings, shards } from './settings.ts';

interface LearnerPoolSetup {
  readonly weights: Float64Array;
  readonly reference: Float64Array;
  readonly settings: Settings;
  readonly seed: string;
  readonly curriculum: Curriculum;
  readonly threads: number;
  /** The fields shared by all rollouts, if rollouts are recorded. */
  readonly common: RolloutsInCommon | null;
}

export class LearnerPool {
  /** Visible to all threads; modified between updates only. */
  readonly weights = sharedNumbers(weightCount);
  readonly #gradients = sharedNumbers(shards * weightCount);
  readonly #threads: Threads<Part, readonly Taken[]>;
  readonly #groups: number;
  /** The sum over all agent steps of the last update. */
  readonly gradient = new Float64Array(weightCount);

  constructor({ weights, reference, settings, seed, curriculum, threads, common }: LearnerPoolSetup) {
    this.weights.set(weights);
    const shared = sharedNumbers(weightCount);
    shared.set(reference);
    const setup: LearningSetup = {
      weights: this.weights,
      reference: shared,
      gradients: this.#gradients,
      settings,
      seed,
      curriculum,
      common,
    };
    this.#groups = settings.groups;
    this.#threads = new Threads(moduleBeside('learning-thread', import.meta.url), setup, Math.min(threads, shards));
  }

  /** The results of each task of an update, in order; the gradient is in `gradient` afterwards. */
  async learn(update: number): Promise<readonly Taken[]> {
    const parts = partsOf(update, this.#groups);
    const taken = await Promise.all(parts.map((part) => this.#threads.do(part)));
    this.gradient.fill(0);
    for (const { shard } of parts) this.#add(shard);
    return taken.flat();
  }

  async close(reason: unknown): Promise<void> {
    await this.#threads.close(reason);
  }

  #add(shard: number): void {
    const from = shard * weightCount;
    for (let i = 0; i < weightCount; i++) {
      this.gradient[i] = (this.gradient[i] as number) + (this.#gradients[from + i] as number);
    }
  }
}

function partsOf(update: number, groups: number): Part[] {
  return Array.from({ length: shards }, (_, shard): Part => {
    const first = Math.floor((groups * shard) / shards);
    return { shard, update, first, end: Math.floor((groups * (shard + 1)) / shards) };
  }).filter(({ first, end }) => first < end);
}

function sharedNumbers(count: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(8 * count));
}
