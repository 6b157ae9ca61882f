// One round of a solver on the lakes of a shape: the time for each, and its optimal cost.
import type { Instance } from '../../testbed/lake/instance.ts';
import { judge } from '../../testbed/lake/judge.ts';
import type { Solution, Solver } from '../../testbed/lake/solver/solver.ts';

/** Microseconds: slower ones count as unsolved. */
export const limit = 1_000_000;

export interface Round {
  /** By lake. */
  readonly microseconds: Float64Array;
  /** By lake; null without an answer in time. */
  readonly costs: readonly (number | null)[];
  /** Of the whole round, including unsolved lakes. */
  readonly milliseconds: number;
}

/** icecore's solver. Only solving, including garbage collection, is timed. */
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

/** The cost of the plan according to the judge, which proves that such a plan exists. */
function provenCost(lake: Instance, solution: Solution): number | null {
  if (solution.solvable !== true) return null;
  const { outcome, cost } = judge(lake, solution.plan);
  if (outcome !== 'valid' || cost !== solution.cost)
    throw new Error(`a plan with reported cost ${solution.cost}: ${outcome}`);
  return cost;
}

export function unsolved({ costs }: Round): number {
  return costs.filter((cost) => cost === null).length;
}
