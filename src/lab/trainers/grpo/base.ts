// The base snapshot: a policy that knows a little, as an untrained language model does. It watched the optimal solver for
// a short while, and never tried anything itself.
import type { LakeConfiguration } from '../../lake/configuration.ts';
import { Solver } from '../../lake/solver/solver.ts';
import { weightCount } from '../../policies/neural/network.ts';
import { freshWeights } from '../../policies/neural/start.ts';
import { descend, newAdam } from './adam.ts';
import { Learner } from './learner.ts';
import { lessonsOf } from './lessons.ts';
import { defaults } from './settings.ts';
import type { State } from './state.ts';

/** Lessons watched: so few that 12 to 17 of 100 plans on the held-out mix are valid. */
const updates = 28;

export function baseState(configuration: LakeConfiguration, seed: string): State {
  const weights = freshWeights(seed);
  const adam = newAdam(weightCount);
  const gradient = new Float64Array(weightCount);
  const learner = new Learner(weights, weights, defaults);
  const solver = new Solver();
  const lessons = lessonsOf(configuration, `${seed}/base`, 0);
  for (let update = 1; update <= updates; update++) {
    gradient.fill(0);
    let decisions = 0;
    for (let i = 0; i < defaults.groups; i++) {
      const lesson = lessons.next().value;
      const solution = lesson === undefined ? null : solver.solve(lesson.instance);
      if (lesson === undefined || solution?.solvable !== true) continue;
      decisions += learner.imitate(lesson, solution.plan, gradient);
    }
    descend(adam, weights, gradient, decisions, update, defaults.learningRate);
  }
  // Whoever trains from here begins anew: what was remembered of watching does not count for trying.
  return { weights, adam: newAdam(weightCount), reference: weights.slice(), update: 0, updatesEver: 0, decisions: 0 };
}
