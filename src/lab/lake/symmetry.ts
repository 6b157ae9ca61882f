// The eight ways in which a square can be turned and mirrored, and what is left of an instance when nobody minds them:
// one representative of all that are the same but for that, and for the numbering of agents.
import { type Agent, type Cell, columnOf, type Instance, rowOf } from './instance.ts';

/** One way, as a table: cell `from[c]` comes to lie where cell c was, which itself comes to lie at `to[c]`. */
export interface Symmetry {
  readonly to: Uint16Array;
  readonly from: Uint16Array;
}

const known: (readonly Symmetry[])[] = [];

/** All eight, the one that changes nothing first. */
export function symmetriesOf(size: number): readonly Symmetry[] {
  known[size] ??= [false, true].flatMap((transposed) =>
    [false, true].flatMap((upturned) => [false, true].map((mirrored) => tables(size, transposed, upturned, mirrored))),
  );
  return known[size];
}

function tables(size: number, transposed: boolean, upturned: boolean, mirrored: boolean): Symmetry {
  const to = new Uint16Array(size ** 2);
  const from = new Uint16Array(size ** 2);
  for (let cell = 0; cell < to.length; cell++) {
    const row = transposed ? columnOf(cell, size) : rowOf(cell, size);
    const column = transposed ? rowOf(cell, size) : columnOf(cell, size);
    const image = (upturned ? size - 1 - row : row) * size + (mirrored ? size - 1 - column : column);
    to[cell] = image;
    from[image] = cell;
  }
  return { to, from };
}

/** The instance turned. It is another one, and has no id. */
export function turned({ size, holes, agents }: Instance, way: Symmetry): Instance {
  const { to } = way;
  return {
    size,
    holes: turnedHoles(holes, way),
    agents: agents.map(({ start, goal }) => ({ start: to[start] as Cell, goal: to[goal] as Cell })),
  };
}

function turnedHoles(holes: Uint8Array, { from }: Symmetry): Uint8Array {
  const there = new Uint8Array(holes.length);
  for (let cell = 0; cell < there.length; cell++) there[cell] = holes[from[cell] as Cell] as number;
  return there;
}

/**
 * Of all instances that are this one turned, mirrored or with agents renumbered: the one whose holes, as bytes, come
 * first in the order of texts, and then whose agents, sorted by their start, do.
 */
export function representativeOf({ size, holes, agents }: Instance): Instance {
  const [same, ...others] = symmetriesOf(size) as readonly [Symmetry, ...Symmetry[]];
  let bestHoles = holes;
  let bestAgents = agentKeys(agents, same, size);
  for (const way of others) {
    const order = compareHoles(holes, way, bestHoles);
    if (order > 0) continue;
    const keys = agentKeys(agents, way, size);
    if (order === 0 && compareKeys(keys, bestAgents) >= 0) continue;
    if (order < 0) bestHoles = turnedHoles(holes, way);
    bestAgents = keys;
  }
  return { size, holes: bestHoles, agents: agentsOf(bestAgents, size) };
}

/** Below 0 where the holes, turned, come before the others. */
function compareHoles(holes: Uint8Array, { from }: Symmetry, others: Uint8Array): number {
  for (let cell = 0; cell < others.length; cell++) {
    const order = (holes[from[cell] as Cell] as number) - (others[cell] as number);
    if (order !== 0) return order;
  }
  return 0;
}

/** Every agent as one number, in order: no two start on one cell. */
function agentKeys(agents: readonly Agent[], { to }: Symmetry, size: number): Int32Array {
  const keys = new Int32Array(agents.length);
  for (let i = 0; i < agents.length; i++) {
    const { start, goal } = agents[i] as Agent;
    keys[i] = (to[start] as Cell) * size ** 2 + (to[goal] as Cell);
  }
  return keys.sort();
}

function compareKeys(one: Int32Array, other: Int32Array): number {
  for (let i = 0; i < one.length; i++) {
    const order = (one[i] as number) - (other[i] as number);
    if (order !== 0) return order;
  }
  return 0;
}

function agentsOf(keys: Int32Array, size: number): readonly Agent[] {
  return Array.from(keys, (key) => ({ start: Math.floor(key / size ** 2), goal: key % size ** 2 }));
}
