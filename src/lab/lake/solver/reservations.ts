// Who stands where at which step: the ways of the agents that have one already. Whoever looks for a way among them learns
// here which cell is taken, and by whom.
import type { Cell } from '../instance.ts';
import type { Terrain } from './terrain.ts';

/** More agents than an instance can have. */
const stride = 32;

export class Reservations {
  readonly #terrain: Terrain;
  /** By step and cell, `#base` + the agent there; less where nobody is. */
  #taken = new Int32Array(0);
  #base = 0;
  #steps = 0;
  readonly #ways: Int16Array[] = [];
  readonly #lengths: number[] = [];
  /** The agents that have a way, one bit each. */
  settled = 0;
  /** The agents that stood in the way of a search since this was last set to 0, one bit each. */
  blockers = 0;

  constructor(terrain: Terrain) {
    this.#terrain = terrain;
  }

  /** Forgets all ways. Nobody will move after `steps`. */
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

  /** The cells of an agent's way, from its start to its final arrival. Good until it is settled again. */
  way(agent: number): Int16Array {
    return (this.#ways[agent] as Int16Array).subarray(0, this.#lengths[agent]);
  }

  /** The agent goes where `cells` say, one entry every `each`, and rests at the last of them. */
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

  /** Whether going from `cell` to `next` at `step` meets nobody; otherwise whoever is met is a blocker. */
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

  /** Whether nobody comes to `cell` from `step` on. */
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
