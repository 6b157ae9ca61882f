// One agent's way among those of others: depth first through (step, cell), each looked at once, best moves first.
import type { Cell } from '../instance.ts';
import type { Reservations } from './reservations.ts';
import type { Terrain } from './terrain.ts';

/** Moves by what they do to the distance: closer, waiting, farther. A place below 4 is a neighbour's; 4 is waiting. */
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
  /** Cells that were looked at. */
  work = 0;

  constructor(terrain: Terrain, others: Reservations, mayWait: boolean) {
    this.#terrain = terrain;
    this.#others = others;
    this.#mayWait = mayWait;
  }

  /** Settles `agent` on a way that arrives for good within `arrival` steps; false where the others leave none. */
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

  /** The next cell to try from here, -1 where all were. */
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
