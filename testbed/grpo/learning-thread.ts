// A thread that learns from parts of an update: generates the instances, reads the weights, which all threads share, and writes the
// gradient of its part to a separate buffer.

import { parentPort, workerData } from 'node:worker_threads';
import type { RolloutsInCommon } from '../../src/library/plugins/tools.ts';
import { weightCount } from '../neural/network.ts';
import { type Curriculum, rolloutsOf, TrainingTasks } from './batches.ts';
import { Learner, type Learnt } from './learner.ts';
import type { Settings } from './settings.ts';

export interface LearningSetup {
  /** Shared by all threads: the weights, the reference weights, and one gradient per part. */
  readonly weights: Float64Array;
  readonly reference: Float64Array;
  readonly gradients: Float64Array;
  readonly settings: Settings;
  readonly seed: string;
  readonly curriculum: Curriculum;
  /** The fields shared by all rollouts, if rollouts are recorded. */
  readonly common: RolloutsInCommon | null;
}

export interface Part {
  /** The index of its gradient. */
  readonly shard: number;
  /** The number of its update, from 0, over all updates of this training. */
  readonly update: number;
  /** Its tasks in the update: from `first` up to but excluding `end`. */
  readonly first: number;
  readonly end: number;
}

/** The results of a task, with its task family. */
export interface Taken extends Omit<Learnt, 'walks'> {
  readonly family: string;
  /** Lines of canonical JSON in one text, because many texts are slow to transfer between threads. Empty if rollouts are not recorded. */
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
