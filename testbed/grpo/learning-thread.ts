// A thread that learns from parts of an update: makes their instances, reads the weights, which all threads share, and
// writes the gradient of its part to a place of its own.

import { parentPort, workerData } from 'node:worker_threads';
import type { RolloutsInCommon } from '../../src/library/plugins/tools.ts';
import { weightCount } from '../neural/network.ts';
import { type Curriculum, rolloutsOf, TrainingTasks } from './batches.ts';
import { Learner, type Learnt } from './learner.ts';
import type { Settings } from './settings.ts';

export interface LearningSetup {
  /** Shared by all threads: the weights, what they began as, and one gradient a part. */
  readonly weights: Float64Array;
  readonly reference: Float64Array;
  readonly gradients: Float64Array;
  readonly settings: Settings;
  readonly seed: string;
  readonly curriculum: Curriculum;
  /** What all rollouts say, where they are wanted. */
  readonly common: RolloutsInCommon | null;
}

export interface Part {
  /** Where its gradient goes. */
  readonly shard: number;
  /** The number of its update, from 0; of all updates of this training. */
  readonly update: number;
  /** Its tasks in the update: from the first up to, but not with, the end. */
  readonly first: number;
  readonly end: number;
}

/** What was learnt from a task, and the task family it belongs to. */
export interface Taken extends Omit<Learnt, 'walks'> {
  readonly family: string;
  /** As lines of canonical JSON, in one text: many texts take far longer from thread to thread. Empty where nobody wants them. */
  readonly rollouts: string;
}

const { weights, reference, gradients, settings, seed, curriculum, common } = workerData as LearningSetup;
const learner = new Learner(weights, reference, settings);
const tasks = new TrainingTasks(curriculum);

function learnt({ shard, update, first, end }: Part): readonly Taken[] {
  const gradient = gradients.subarray(shard * weightCount, (shard + 1) * weightCount);
  gradient.fill(0);
  const taken: Taken[] = [];
  for (let i = first; i < end; i++) {
    const place = update * settings.groups + i;
    const task = tasks.at(place);
    if (task === null) continue;
    const { walks, ...learnt } = learner.learn(task, gradient, seed, [update, i]);
    const { rewards } = learnt;
    const rollouts = common === null ? '' : rolloutsOf(common, { task, place, update, walks, rewards }).join('\n');
    taken.push({ ...learnt, family: task.family, rollouts });
  }
  return taken;
}

parentPort?.on('message', (part: Part) => parentPort?.postMessage(learnt(part)));
