// Finds the optimal cost by searching joint positions of all agents, nearest to the goals first. It always ends with an answer, but its
// memory grows with the number of positions: it is for few agents or small lakes, where the search of arrival times can go in circles (a
// full lake is a sliding puzzle).
import type { Cell } from '../instance.ts';
import { type Terrain, unreachable } from './terrain.ts';

/** The maximum size of the table of positions. */
const maxPositions = 2 ** 22;

const untouched = 0xffff;

export interface Optimum {
  readonly cost: number;
  /** By agent, its cells step by step up to its final arrival. */
  readonly ways: readonly Int16Array[];
}

/** The number of joint positions, including which agents rest for good. */
export function positionsOn(terrain: Terrain): number {
  return positions(terrain, freeCells(terrain).length);
}

/** Whether this number of positions can be indexed. */
export function fits(positions: number): boolean {
  return positions <= maxPositions;
}

/** Null if no plan costs at most `most`. */
export function leastCost(terrain: Terrain, mayWait: boolean, most: number): Optimum | null {
  return new JointSpace(terrain, mayWait).find(most);
}

function positions(terrain: Terrain, free: number): number {
  return free ** terrain.agents * 2 ** terrain.agents;
}

function freeCells({ cells, free }: Terrain): Cell[] {
  const list: Cell[] = [];
  for (let cell = 0; cell < cells; cell++) if (((free[cell >> 5] as number) >>> (cell & 31)) & 1) list.push(cell);
  return list;
}

class JointSpace {
  readonly #terrain: Terrain;
  readonly #mayWait: boolean;
  readonly #free: readonly Cell[];
  /** By cell, its index among the free ones. */
  readonly #place: Int16Array;
  /** By position: the cost to reach it, and its predecessor. */
  readonly #spent: Uint16Array;
  readonly #from: Int32Array;
  /** Open positions, by the minimal cost of a plan through them. */
  readonly #open: number[][] = [];
  /** The positions of the agents, and their next ones. */
  readonly #now: Cell[] = [];
  readonly #next: Cell[] = [];
  #resting = 0;
  #position = 0;
  #cost = 0;
  #most = 0;

  constructor(terrain: Terrain, mayWait: boolean) {
    this.#terrain = terrain;
    this.#mayWait = mayWait;
    this.#free = freeCells(terrain);
    this.#place = new Int16Array(terrain.cells);
    this.#free.forEach((cell, place) => {
      this.#place[cell] = place;
    });
    const count = positions(terrain, this.#free.length);
    this.#spent = new Uint16Array(count).fill(untouched);
    this.#from = new Int32Array(count);
  }

  find(most: number): Optimum | null {
    const { starts, agents } = this.#terrain;
    this.#most = most;
    for (const start of starts) this.#next.push(start);
    this.#reach(0, 0, -1);
    const everybody = (1 << agents) - 1;
    for (let bound = 0; bound < this.#open.length; bound++) {
      const open = this.#open[bound];
      for (let position = open?.pop(); position !== undefined; position = open?.pop()) {
        this.#decode(position);
        if (this.#cost + this.#ahead(this.#now, this.#resting) < bound) continue;
        if (this.#resting === everybody) return { cost: this.#cost, ways: this.#waysTo(position) };
        this.#move(0, 0, this.#resting);
      }
    }
    return null;
  }

  /** Moves agent `a` and those after it; `moved` is the cost so far. */
  #move(a: number, moved: number, resting: number): void {
    if (a === this.#terrain.agents) {
      this.#reach(this.#cost + moved, resting, this.#position);
      return;
    }
    const cell = this.#now[a] as Cell;
    if (((this.#resting >> a) & 1) === 1) {
      this.#try(a, cell, cell, moved, resting);
      return;
    }
    if (cell === this.#terrain.goals[a]) this.#try(a, cell, cell, moved, resting | (1 << a));
    if (this.#mayWait) this.#try(a, cell, cell, moved + 1, resting);
    for (let at = 4 * cell; at < 4 * cell + 4; at++) {
      const next = this.#terrain.neighbours[at] as Cell;
      if (next >= 0) this.#try(a, cell, next, moved + 1, resting);
    }
  }

  #try(a: number, cell: Cell, next: Cell, moved: number, resting: number): void {
    for (let b = 0; b < a; b++) {
      const there = this.#next[b] as Cell;
      if (there === next || (there === cell && this.#now[b] === next)) return;
    }
    this.#next[a] = next;
    this.#move(a + 1, moved, resting);
  }

  #reach(cost: number, resting: number, from: number): void {
    const bound = cost + this.#ahead(this.#next, resting);
    if (bound > this.#most || bound >= unreachable) return;
    let position = resting;
    for (const cell of this.#next) position = position * this.#free.length + (this.#place[cell] as number);
    if ((this.#spent[position] as number) <= cost) return;
    this.#spent[position] = cost;
    this.#from[position] = from;
    const open = this.#open[bound];
    if (open === undefined) this.#open[bound] = [position];
    else open.push(position);
  }

  /** A lower bound for the agents that do not rest yet. */
  #ahead(at: readonly Cell[], resting: number): number {
    const { cells, toGoal } = this.#terrain;
    let steps = 0;
    at.forEach((cell, a) => {
      if (((resting >> a) & 1) === 0) steps += toGoal[a * cells + cell] as number;
    });
    return steps;
  }

  #decode(position: number): void {
    this.#position = position;
    this.#cost = this.#spent[position] as number;
    let rest = position;
    for (let a = this.#terrain.agents - 1; a >= 0; a--) {
      this.#now[a] = this.#free[rest % this.#free.length] as Cell;
      rest = Math.floor(rest / this.#free.length);
    }
    this.#resting = rest;
  }

  #waysTo(position: number): readonly Int16Array[] {
    const chain: (readonly Cell[])[] = [];
    for (let at = position; at >= 0; at = this.#from[at] as number) {
      this.#decode(at);
      chain.push([...this.#now]);
    }
    chain.reverse();
    return this.#terrain.starts.map((_, a) => untilArrival(Int16Array.from(chain, (cells) => cells[a] as Cell)));
  }
}

function untilArrival(way: Int16Array): Int16Array {
  let length = way.length;
  while (length > 1 && way[length - 1] === way[length - 2]) length--;
  return way.subarray(0, length);
}
