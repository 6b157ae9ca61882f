// Threads that learn together: an update is cut into parts, whoever is free takes the next, and the parts' gradients are
// added up in their order. So the sum is the same with any number of threads.
import { sibling } from '../../../base/sibling.ts';
import { Threads } from '../../../base/threads.ts';
import { weightCount } from '../../policies/neural/network.ts';
import type { Learnt, Lesson } from './learner.ts';
import type { LearningSetup, Part } from './learning-thread.ts';
import { type Settings, shards } from './settings.ts';

export class School {
  /** Seen by all threads; to be changed between updates only. */
  readonly weights = sharedNumbers(weightCount);
  readonly #gradients = sharedNumbers(shards * weightCount);
  readonly #threads: Threads<Part, readonly Learnt[]>;
  /** The sum over all decisions of the last update. */
  readonly gradient = new Float64Array(weightCount);

  constructor(weights: Float64Array, reference: Float64Array, settings: Settings, seed: string, threads: number) {
    this.weights.set(weights);
    const shared = sharedNumbers(weightCount);
    shared.set(reference);
    const setup: LearningSetup = {
      weights: this.weights,
      reference: shared,
      gradients: this.#gradients,
      settings,
      seed,
    };
    this.#threads = new Threads(sibling('learning-thread', import.meta.url), setup, threads);
  }

  /** What was learnt from each lesson, in their order; the gradient is in `gradient` then. */
  async learn(update: number, lessons: readonly Lesson[]): Promise<readonly Learnt[]> {
    const parts = partsOf(update, lessons);
    const learnt = await Promise.all(parts.map((part) => this.#threads.do(part)));
    this.gradient.fill(0);
    for (const { shard } of parts) this.#add(shard);
    return learnt.flat();
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

function partsOf(update: number, lessons: readonly Lesson[]): Part[] {
  return Array.from({ length: shards }, (_, shard): Part => {
    const first = Math.floor((lessons.length * shard) / shards);
    const end = Math.floor((lessons.length * (shard + 1)) / shards);
    return { shard, update, first, lessons: lessons.slice(first, end) };
  }).filter((part) => part.lessons.length > 0);
}

function sharedNumbers(count: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(8 * count));
}
