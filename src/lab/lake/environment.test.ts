import { environmentContract } from '../environments/contract/environment-contract.ts';
import type { Task } from '../environments/task.ts';
import { openLake } from './environment.ts';
import { Solver } from './solver/solver.ts';
import { lakeOf } from './tasks.ts';

const solver = new Solver();

function optimalPlan(task: Task): readonly string[] {
  const solution = solver.solve(lakeOf(task));
  if (solution.solvable !== true) throw new Error(`${task.id} is not solvable`);
  return solution.plan;
}

environmentContract('lake', {
  open: async () => openLake(),
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
  many: 200,
});
