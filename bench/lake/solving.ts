// One round of one solver on the lakes of a shape: how long each took, and what it says an optimal plan costs.
import type { Instance } from '../../testbed/lake/instance.ts';
import { judge } from '../../testbed/lake/judge.ts';
import type { Solution, Solver } from '../../testbed/lake/solver/solver.ts';

/** Microseconds: later counts as unsolved. */
export const limit = 1_000_000;

export interface Round {
  /** By lake. */
  readonly microseconds: Float64Array;
  /** By lake; null where there was no answer in time. */
  readonly costs: readonly (number | null)[];
  /** Of the whole round, unsolved lakes and all. */
  readonly milliseconds: number;
}

/** icecore's. Nothing but solving, its garbage collection included, lies between the first and the last look at the clock. */
export function solveAll(solver: Solver, lakes: readonly Instance[]): Round {
  const microseconds = new Float64Array(lakes.length);
  const solutions: Solution[] = [];
  const started = performance.now();
  let before = started;
  for (const [i, lake] of lakes.entries()) {
    solutions.push(solver.solve(lake));
    const now = performance.now();
    microseconds[i] = (now - before) * 1000;
    before = now;
  }
  const costs = solutions.map((solution, i) =>
    (microseconds[i] as number) > limit ? null : provenCost(lakes[i] as Instance, solution),
  );
  return { microseconds, costs, milliseconds: before - started };
}

/** What the plan costs by the judge's count: there is a plan as cheap as that, whoever says otherwise. */
function provenCost(lake: Instance, solution: Solution): number | null {
  if (solution.solvable !== true) return null;
  const { outcome, cost } = judge(lake, solution.plan);
  if (outcome !== 'valid' || cost !== solution.cost)
    throw new Error(`a plan said to cost ${solution.cost}: ${outcome}`);
  return cost;
}

export function unsolved({ costs }: Round): number {
  return costs.filter((cost) => cost === null).length;
}
