// The ceiling: a plan of the least cost there is.
import { Solver } from '../../lake/solver/solver.ts';
import type { Policy } from '../policy.ts';
import { scripted } from './scripted.ts';

/** A lake that has no plan, or none that is found with the usual effort, has no answer. */
export function optimalPolicy(): Policy {
  const solver = new Solver();
  return scripted('optimal', (lake) => {
    const solution = solver.solve(lake);
    if (solution.solvable !== true) return { answer: null };
    return { answer: solution.plan, agentSteps: solution.plan.reduce((sum, { length }) => sum + length, 0) };
  });
}
