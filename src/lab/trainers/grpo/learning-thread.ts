// A thread that learns from parts of an update: reads the weights, which all threads share, and writes the gradient of
// its part to a place of its own.
import { parentPort, workerData } from 'node:worker_threads';
import { weightCount } from '../../policies/neural/network.ts';
import { Learner, type Learnt, type Lesson } from './learner.ts';
import type { Settings } from './settings.ts';

export interface LearningSetup {
  /** Shared by all threads: the weights, what they began as, and one gradient a part. */
  readonly weights: Float64Array;
  readonly reference: Float64Array;
  readonly gradients: Float64Array;
  readonly settings: Settings;
  readonly seed: string;
}

export interface Part {
  /** Where its gradient goes. */
  readonly shard: number;
  readonly update: number;
  /** The number of its first lesson in the update. */
  readonly first: number;
  readonly lessons: readonly Lesson[];
}

const { weights, reference, gradients, settings, seed } = workerData as LearningSetup;
const learner = new Learner(weights, reference, settings);

function learnt({ shard, update, first, lessons }: Part): readonly Learnt[] {
  const gradient = gradients.subarray(shard * weightCount, (shard + 1) * weightCount);
  gradient.fill(0);
  return lessons.map((lesson, i) => learner.learn(lesson, gradient, seed, [update, first + i]));
}

parentPort?.on('message', (part: Part) => parentPort?.postMessage(learnt(part)));
