// The positions of agents with paths at each step. A search for another path learns here which cell is taken, and by which agent.
import type { Cell } from '../instance.ts';
import type { Terrain } from './terrain.ts';

/** More agents than an instance can have. */
const stride = 32;

export class Reservations {
  readonly #terrain: Terrain;
  /** By step and cell, `#base` + the agent there; smaller if empty. */
  #taken = new Int32Array(0);
  #base = 0;
  #steps = 0;
  readonly #ways: Int16Array[] = [];
  readonly #lengths: number[] = [];
  /** The agents with a path, one bit each. */
  settled = 0;
  /** The agents that blocked a search since this was last set to 0, one bit each. */
  blockers = 0;

  constructor(terrain: Terrain) {
    this.#terrain = terrain;
  }

  /** Removes all paths. No agent will move after `steps`. */
  clear(steps: number): void {
    const entries = (steps + 2) * this.#terrain.cells;
    if (this.#taken.length < entries || this.#base > 2 ** 30) {
      this.#taken = new Int32Array(Math.max(2 * entries, this.#taken.length));
      this.#base = 0;
    }
    this.#base += stride;
    this.#steps = steps;
    this.settled = 0;
    this.blockers = 0;
  }

  /** The cells of an agent's path, from its start to its final arrival. Valid until it is settled again. */
  way(agent: number): Int16Array {
    return (this.#ways[agent] as Int16Array).subarray(0, this.#lengths[agent]);
  }

  /** Settles the agent on the path in `cells`, one entry per `each`, resting at the last. */
  settle(agent: number, cells: Int16Array, count: number, each = 1): void {
    const way = this.#wayFor(agent, count);
    for (let i = 0; i < count; i++) way[i] = cells[i * each] as Cell;
    let length = count;
    while (length > 1 && way[length - 1] === way[length - 2]) length--;
    this.#lengths[agent] = length;
    this.settled |= 1 << agent;
    this.#mark(agent, this.#base + agent);
  }

  release(agent: number): void {
    this.settled &= ~(1 << agent);
    this.#mark(agent, 0);
  }

  /** Whether moving from `cell` to `next` at `step` meets no agent; an agent that is met becomes a blocker. */
  isFree(step: number, cell: Cell, next: Cell): boolean {
    if (step > this.#steps) return this.#standsFree(next);
    const { cells } = this.#terrain;
    const there = (this.#taken[(step + 1) * cells + next] as number) - this.#base;
    if (there >= 0) {
      this.blockers |= 1 << there;
      return false;
    }
    const leaving = (this.#taken[step * cells + next] as number) - this.#base;
    if (leaving < 0 || (this.#taken[(step + 1) * cells + cell] as number) - this.#base !== leaving) return true;
    this.blockers |= 1 << leaving;
    return false;
  }

  /** Whether no agent comes to `cell` from `step` on. */
  isQuiet(cell: Cell, step: number): boolean {
    const { cells } = this.#terrain;
    for (let later = this.#steps + 1; later >= step; later--) {
      const there = (this.#taken[later * cells + cell] as number) - this.#base;
      if (there < 0) continue;
      this.blockers |= 1 << there;
      return false;
    }
    return true;
  }

  #standsFree(cell: Cell): boolean {
    const there = (this.#taken[(this.#steps + 1) * this.#terrain.cells + cell] as number) - this.#base;
    if (there >= 0) this.blockers |= 1 << there;
    return there < 0;
  }

  #mark(agent: number, value: number): void {
    const { cells } = this.#terrain;
    const way = this.#ways[agent] as Int16Array;
    const last = (this.#lengths[agent] as number) - 1;
    for (let step = 0; step <= this.#steps + 1; step++) {
      const at = step * cells + (way[Math.min(step, last)] as Cell);
      if (value !== 0 || this.#taken[at] === this.#base + agent) this.#taken[at] = value;
    }
  }

  #wayFor(agent: number, count: number): Int16Array {
    const way = this.#ways[agent];
    if (way !== undefined && way.length >= count) return way;
    const wider = new Int16Array(2 * count);
    this.#ways[agent] = wider;
    return wider;
  }
}

// One agent's path among those of others: depth first through (step, cell), each visited once, best moves first.

/** Moves by their effect on the distance: closer, waiting, farther. An index below 4 is a neighbour's; 4 is waiting. */
const closer = 4;
const waiting = 5;
const farther = 9;

export class SingleSearch {
  readonly #terrain: Terrain;
  readonly #others: Reservations;
  readonly #mayWait: boolean;
  #seen = new Int32Array(0);
  #moment = 0;
  #way = new Int16Array(0);
  #tried = new Int8Array(0);
  /** The number of visited cells. */
  work = 0;

  constructor(terrain: Terrain, others: Reservations, mayWait: boolean) {
    this.#terrain = terrain;
    this.#others = others;
    this.#mayWait = mayWait;
  }

  /** Settles `agent` on a path that arrives for good within `arrival` steps; false if the others leave none. */
  settle(agent: number, arrival: number): boolean {
    const { cells, toGoal, starts, goals } = this.#terrain;
    this.#prepare(arrival);
    const offset = agent * cells;
    const goal = goals[agent] as Cell;
    const way = this.#way;
    const tried = this.#tried;
    let step = 0;
    way[0] = starts[agent] as Cell;
    tried[0] = 0;
    if ((toGoal[offset + (way[0] as Cell)] as number) > arrival) return false;
    while (step >= 0) {
      const cell = way[step] as Cell;
      if (tried[step] === 0 && cell === goal && this.#others.isQuiet(goal, step)) {
        this.#others.settle(agent, way, step + 1);
        return true;
      }
      const next = this.#next(step, cell, offset, arrival);
      if (next < 0) {
        step--;
        continue;
      }
      step++;
      way[step] = next;
      tried[step] = 0;
    }
    return false;
  }

  /** The next cell to try from here, -1 if all were tried. */
  #next(step: number, cell: Cell, offset: number, arrival: number): Cell {
    const { cells, toGoal } = this.#terrain;
    const seen = this.#seen;
    const tried = this.#tried;
    const distance = toGoal[offset + cell] as number;
    const slack = arrival - step - distance;
    const last = slack <= 0 ? closer : slack === 1 ? waiting : farther;
    const later = (step + 1) * cells;
    if (arrival <= step) return -1;
    for (let move = tried[step] as number; move < last; move++) {
      const next = this.#cellAfter(move, cell);
      if (next < 0 || seen[later + next] === this.#moment) continue;
      const gain = distance - (toGoal[offset + next] as number);
      if (move < closer ? gain <= 0 : move >= waiting && gain > 0) continue;
      if (!this.#others.isFree(step, cell, next)) continue;
      seen[later + next] = this.#moment;
      tried[step] = move + 1;
      this.work++;
      return next;
    }
    tried[step] = farther;
    return -1;
  }

  #cellAfter(move: number, cell: Cell): Cell {
    const { neighbours } = this.#terrain;
    if (move === closer) return this.#mayWait ? cell : -1;
    return neighbours[4 * cell + (move < closer ? move : move - waiting)] as Cell;
  }

  #prepare(arrival: number): void {
    const entries = (arrival + 1) * this.#terrain.cells;
    if (this.#seen.length < entries) {
      this.#seen = new Int32Array(2 * entries);
      this.#moment = 0;
    }
    if (this.#way.length < arrival + 1) {
      this.#way = new Int16Array(2 * (arrival + 1));
      this.#tried = new Int8Array(2 * (arrival + 1));
    }
    this.#moment++;
  }
}
