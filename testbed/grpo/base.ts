// The base checkpoint: a policy with little training, as a counterpart to a pretrained language model. It briefly imitates the optimal
// solver and never tries anything itself.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type Checkpoint, writeWhole } from '../../src/library/plugins/tools.ts';
import type { LakeConfiguration } from '../lake/configuration.ts';
import { Solver } from '../lake/solver/solver.ts';
import { freshWeights, weightCount } from '../neural/network.ts';
import { curriculumOf, TrainingTasks } from './batches.ts';
import { descend, Learner, newAdam } from './learner.ts';
import { defaults } from './settings.ts';
import { digestOf, fileOf, type State } from './state.ts';

/** Few enough that only about 15 % of the plans on held-out tasks are valid. */
const updates = 26;
const tasksPerUpdate = 48;
const learningRate = 0.003;

/** Deterministic in the configuration and the seed. */
export async function baseState(configuration: LakeConfiguration, seed: string): Promise<State> {
  const weights = freshWeights(seed);
  const adam = newAdam(weightCount);
  const gradient = new Float64Array(weightCount);
  const learner = new Learner(weights, weights, defaults);
  const solver = new Solver();
  const curriculum = await curriculumOf(configuration, `${seed}/base`);
  const tasks = new TrainingTasks(curriculum);
  for (let update = 1; update <= updates; update++) {
    gradient.fill(0);
    let agentSteps = 0;
    for (let i = 0; i < tasksPerUpdate; i++) {
      const task = tasks.at((update - 1) * tasksPerUpdate + i);
      const solution = task === null ? null : solver.solve(task.instance);
      if (task === null || solution?.solvable !== true) continue;
      agentSteps += learner.imitate(task, solution.plan, gradient);
    }
    if (agentSteps > 0) descend(adam, weights, gradient, agentSteps, update, learningRate);
    // Signals are delivered only when the event loop runs.
    await setImmediate();
  }
  // The optimiser's state from imitation is useless for reinforcement learning.
  const [average, reference] = [weights.slice(), weights.slice()];
  return { weights, average, adam: newAdam(weightCount), reference, update: 0, updatesEver: 0, agentSteps: 0 };
}

/** Writes the base checkpoint to a folder. */
export async function writeBase(configuration: LakeConfiguration, seed: string, folder: string): Promise<Checkpoint> {
  const file = fileOf(await baseState(configuration, seed), 'base', null);
  const path = join(folder, 'base.safetensors');
  await mkdir(folder, { recursive: true });
  await writeWhole(path, file);
  return { reference: path, digest: digestOf(file), bytes: file.length, step: 0 };
}
