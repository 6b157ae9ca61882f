// Equivalent forms of lakes and plans: transformed lakes, and plans as paths. Judge, solver and digests must treat them alike.
import { type Agent, type Cell, type Instance, nowhere, type Pair, pairOf, type Symmetry } from '../instance.ts';
import { moveFrom, type Plan } from '../plan.ts';

/** Another instance, without an id. */
export function transformed({ size, holes, agents }: Instance, { to, from }: Symmetry): Instance {
  return {
    size,
    holes: holes.map((_, cell) => holes[from[cell] as Cell] as number),
    agents: agents.map(({ start, goal }) => ({ start: to[start] as Cell, goal: to[goal] as Cell })),
  };
}

/** A path per agent, starting at its start. Moves off the grid and out of a hole have no effect. */
export function pathsOf({ size, holes, agents }: Instance, plan: Plan): Pair[][] {
  return plan.map((moves, i) => {
    const path = [(agents[i] as Agent).start];
    for (const letter of moves) {
      const at = path.at(-1) as Cell;
      const next = holes[at] === 1 ? nowhere : moveFrom(at, letter.charCodeAt(0), size);
      path.push(next === nowhere ? at : next);
    }
    return path.map((cell) => pairOf(cell, size));
  });
}
