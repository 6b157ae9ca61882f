// One lake as it is shown: what stands on it, what was answered to it, and the words below.

import { goalLetterOf, letterOf, type Scene } from '../../lab/lake/drawing/walk.ts';
import type { Instance } from '../../lab/lake/instance.ts';
import { type Judgement, judge } from '../../lab/lake/judge.ts';
import { planOf, Unreadable } from '../../lab/lake/plan.ts';
import type { Solver } from '../../lab/lake/solver/solver.ts';
import type { Drawable } from './drawable.ts';

export interface Picture {
  readonly scene: Scene;
  readonly outcome: Judgement['outcome'] | null;
  /** What the drawing does not say itself. */
  readonly words: readonly string[];
}

export function pictureOf({ instance, answer, truncated }: Drawable): Picture {
  if (answer === undefined) return { scene: { instance }, outcome: null, words: [] };
  const { outcome, failures } = judge(instance, answer, truncated);
  const plan = planOf(answer, instance);
  if (plan instanceof Unreadable) return { scene: { instance }, outcome, words: [`no plan: ${plan.words}`] };
  return { scene: { instance, plan, failures }, outcome, words: [] };
}

export function solvedPictureOf(instance: Instance, solver: Solver): Picture {
  const solution = solver.solve(instance);
  const lake = { scene: { instance }, outcome: null };
  switch (solution.solvable) {
    case true: {
      const { plan, cost } = solution;
      const waits = solver.needsWait(instance, cost) === true ? '; in each that costs as little somebody waits' : '';
      return { scene: { instance, plan, failures: [] }, outcome: 'valid', words: [`no plan costs less${waits}`] };
    }
    case false:
      return { ...lake, words: [`no plan: ${despair(solution.because, instance)}`] };
    default:
      return { ...lake, words: [`undecided: every plan costs at least ${solution.bound}`] };
  }
}

function despair(because: readonly number[], { agents }: Instance): string {
  const [first = 0] = because;
  if (because.length === 1) return `${letterOf(first)} cannot reach ${goalLetterOf(first)}`;
  const alone = because.length < agents.length ? ', even if they were alone' : '';
  return `${because.map(letterOf).join(', ')} cannot all arrive${alone}`;
}
