// Right and wrong answers on the lake.
import type { Task } from '../../../src/lab/environments/environment.ts';
import { Solver } from '../solver/solver.ts';
import { lakeOf } from '../tasks.ts';

const solver = new Solver();

/** Nonsense of every kind, and failing plans. */
export function otherPlans(task: Task): readonly unknown[] {
  return [
    'The agents should go to their goals.',
    null,
    [],
    optimalPlan(task).slice(1),
    optimalPlan(task).map(() => ''),
    optimalPlan(task).map(() => 'U'.repeat(200)),
    [...optimalPlan(task), 'R'],
  ];
}

export function optimalPlan(task: Task): readonly string[] {
  const solution = solver.solve(lakeOf(task));
  if (solution.solvable !== true) throw new Error(`${task.id} is not solvable`);
  return solution.plan;
}
