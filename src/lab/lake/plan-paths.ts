// Where a plan takes every agent, each looked at alone: for drawings, and to write a plan as paths of cells.
import { type Agent, type Cell, horizonOf, type Instance, nowhere, type Pair, pairOf } from './instance.ts';
import { type Moves, moveFrom, type Plan } from './plan.ts';

/**
 * A path an agent, its start first; as many paths as the plan has texts. Read again, it is the same plan, but for moves
 * off the grid and out of a hole, which no path has.
 */
export function pathsOf(instance: Instance, plan: Plan): Pair[][] {
  return plan.map((moves, i) =>
    cellsOf(instance, instance.agents[i] as Agent, moves).map((cell) => pairOf(cell, instance.size)),
  );
}

/**
 * Where every agent is at step 0, 1, 2, ... to the end of the longest text, but not beyond the horizon, where judging
 * ends. Who has no text stays at its start.
 */
export function positionsOf(instance: Instance, plan: Plan): Cell[][] {
  const longest = plan.reduce((most, { length }) => Math.max(most, length), 0);
  const steps = Math.min(longest, horizonOf(instance.size));
  const cells = instance.agents.map((agent, i) => cellsOf(instance, agent, (plan[i] ?? '').slice(0, steps)));
  return Array.from({ length: steps + 1 }, (_, step) => cells.map((path) => path[step] ?? (path.at(-1) as Cell)));
}

/** As the judge has it: a move off the grid leads nowhere, and who is in a hole stays in it. */
function cellsOf({ size, holes }: Instance, { start }: Agent, moves: Moves): Cell[] {
  const cells = [start];
  let at = start;
  for (let i = 0; i < moves.length; i++) {
    const next = holes[at] === 1 ? at : moveFrom(at, moves.charCodeAt(i), size);
    if (next !== nowhere) at = next;
    cells.push(at);
  }
  return cells;
}
