// Solves instances: finds a joint plan with the minimal sum of costs, proves that there is none, or reports a lower bound. It always ends,
// and its result does not depend on the machine: effort is counted in steps of the search, not in time. One Solver solves many instances
// with the same memory.
import type { Instance } from '../instance.ts';
import type { Moves, Plan } from '../plan.ts';
import { canArrange } from './arrangement.ts';
import { fits, leastCost, positionsOn } from './joint-space.ts';
import { type Found, Search } from './search.ts';
import { Terrain } from './terrain.ts';

export type Solution =
  | { readonly solvable: true; readonly cost: number; readonly plan: Plan }
  /** There is no plan because of these agents alone. */
  | { readonly solvable: false; readonly because: readonly number[] }
  /** The effort limit was reached. Every plan costs at least `bound`. */
  | { readonly solvable: 'undecided'; readonly bound: number; readonly effort: number };

/** A second or two on a current machine. */
export const defaultEffort = 20_000_000;

/** Enough for nearly every instance; the others are analysed before the search continues. */
const maxFirstEffort = 50_000;
/** If there are few positions, enumerating them costs no more than the search. */
const positionsAnEffort = 8;
const maxArrangements = 2_000_000;

export class Solver {
  readonly #terrain = new Terrain();
  readonly #search = new Search(this.#terrain, true);
  readonly #unwaiting = new Search(this.#terrain, false);
  #loaded: Instance | null = null;
  /** The work since this solver was created, in steps of the search; analyses are counted at their maximum. */
  work = 0;

  solve(instance: Instance, effort = defaultEffort): Solution {
    const terrain = this.#load(instance);
    this.#search.begin(Number.POSITIVE_INFINITY);
    const positions = positionsOn(terrain);
    const firstEffort = Math.min(effort, firstEffortFor(positions));
    const found = this.#go(this.#search, firstEffort);
    if (found.answer !== 'spent') return this.#solutionOf(found, effort);
    if (fits(positions)) {
      this.work += positions;
      const optimum = leastCost(terrain, true, Number.POSITIVE_INFINITY);
      if (optimum === null) return { solvable: false, because: [...instance.agents.keys()] };
      return { solvable: true, cost: optimum.cost, plan: optimum.ways.map((way) => movesOf(way, instance.size)) };
    }
    const stuck = this.#stuck(instance.agents.length);
    if (stuck !== null) return { solvable: false, because: stuck };
    return this.#solutionOf(this.#go(this.#search, effort - firstEffort), effort);
  }

  /**
   * Whether every plan of the optimal `cost` has an agent that waits before its final arrival; standing on its own goal and leaving it later
   * is waiting, too. Null if the effort was not enough.
   */
  needsWait(instance: Instance, cost: number, effort = defaultEffort): boolean | null {
    const terrain = this.#load(instance);
    const slack = cost - terrain.starts.reduce((sum, _, agent) => sum + terrain.distance(agent), 0);
    if (slack === 0) return false;
    // Without waits, detours are even.
    if (slack % 2 === 1) return true;
    this.#unwaiting.begin(cost);
    const positions = positionsOn(terrain);
    const firstEffort = Math.min(effort, firstEffortFor(positions));
    const found = this.#go(this.#unwaiting, firstEffort);
    if (found.answer !== 'spent') return found.answer === 'none';
    if (fits(positions)) {
      this.work += positions;
      return leastCost(terrain, false, cost) === null;
    }
    const further = this.#go(this.#unwaiting, effort - firstEffort);
    return further.answer === 'spent' ? null : further.answer === 'none';
  }

  #go(search: Search, effort: number): Found {
    const before = search.work;
    const found = search.go(effort);
    this.work += search.work - before;
    return found;
  }

  #load(instance: Instance): Terrain {
    if (instance !== this.#loaded) this.#terrain.load(instance);
    this.#loaded = instance;
    return this.#terrain;
  }

  #solutionOf(found: Found, effort: number): Solution {
    const { size, starts } = this.#terrain;
    if (found.answer === 'spent') return { solvable: 'undecided', bound: found.bound, effort };
    if (found.answer === 'none') return { solvable: false, because: found.because };
    const { ways } = this.#search;
    return { solvable: true, cost: found.cost, plan: starts.map((_, agent) => movesOf(ways.way(agent), size)) };
  }

  /** Agents, or all, that can never reach their goals; null if unknown. */
  #stuck(agents: number): readonly number[] | null {
    this.work += maxArrangements;
    const groups = [...triples(agents), Array.from({ length: agents }, (_, agent) => agent)];
    return groups.find((group) => canArrange(this.#terrain, group, maxArrangements) === false) ?? null;
  }
}

function firstEffortFor(positions: number): number {
  return Math.min(maxFirstEffort, Math.ceil(positions / positionsAnEffort));
}

function triples(agents: number): number[][] {
  const groups: number[][] = [];
  for (let a = 0; a < agents; a++) {
    for (let b = a + 1; b < agents; b++) for (let c = b + 1; c < agents; c++) groups.push([a, b, c]);
  }
  return groups;
}

// A path, cell by cell, as the letters of its moves.

export function movesOf(way: Int16Array, size: number): Moves {
  let moves = '';
  for (let i = 1; i < way.length; i++) {
    const by = (way[i] as number) - (way[i - 1] as number);
    moves += by === 0 ? 'W' : by === -size ? 'U' : by === size ? 'D' : by < 0 ? 'L' : 'R';
  }
  return moves;
}
