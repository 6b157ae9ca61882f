// The lake as the contract of environments takes it, with whatever knobs.
import type { Fixture } from '../../environments/contract/tasks.ts';
import type { Task } from '../../environments/environment.ts';
import { Solver } from '../solver/solver.ts';
import { lakeOf } from '../tasks.ts';

const solver = new Solver();

export function fixtureOf(open: Fixture['open']): Omit<Fixture, 'many'> {
  return {
    open,
    right: optimalPlan,
    wrong: (task) => [
      'The agents should go to their goals.',
      null,
      [],
      optimalPlan(task).slice(1),
      optimalPlan(task).map(() => ''),
      optimalPlan(task).map(() => 'U'.repeat(200)),
      [...optimalPlan(task), 'R'],
    ],
  };
}

function optimalPlan(task: Task): readonly string[] {
  const solution = solver.solve(lakeOf(task));
  if (solution.solvable !== true) throw new Error(`${task.id} is not solvable`);
  return solution.plan;
}
