// The data of an instance for a search: neighbours, distances to the goal of each agent, and masks to move whole sets of cells at once. One
// Terrain is loaded with many instances, in the same memory.
import type { Cell, Instance } from '../instance.ts';

/** Longer than any path on any lake. */
export const unreachable = 0x3fff;

export class Terrain {
  size = 0;
  cells = 0;
  /** The number of 32-bit words with one bit per cell. */
  words = 0;
  agents = 0;
  starts: readonly Cell[] = [];
  goals: readonly Cell[] = [];
  /** Four entries per cell: the cells above, below, left and right of it; -1 if there is none. */
  neighbours = new Int16Array(0);
  /** By agent and cell: steps to the agent's goal, ignoring other agents. */
  toGoal = new Int16Array(0);
  /** One bit per cell. */
  free = new Int32Array(0);
  notLeftmost = new Int32Array(0);
  notRightmost = new Int32Array(0);
  #fromStart = new Int16Array(0);
  #knowsFromStart = false;
  #queue = new Int16Array(0);
  #detours: (Int16Array | undefined)[] = [];
  #spare: Int16Array[] = [];

  load(instance: Instance): void {
    const { size, holes, agents } = instance;
    if (size !== this.size) this.#resize(size);
    this.agents = agents.length;
    this.starts = agents.map(({ start }) => start);
    this.goals = agents.map(({ goal }) => goal);
    this.#connect(holes);
    this.#knowsFromStart = false;
    for (const detour of this.#detours) if (detour !== undefined) this.#spare.push(detour);
    this.#detours = [];
    if (this.toGoal.length < this.agents * this.cells) this.toGoal = new Int16Array(this.agents * this.cells);
    for (let a = 0; a < this.agents; a++) this.#measure(this.goals[a] as Cell, this.toGoal, a * this.cells, -1);
  }

  /** Steps that agent `a` needs from its start, ignoring other agents. */
  distance(a: number): number {
    return this.toGoal[a * this.cells + (this.starts[a] as Cell)] as number;
  }

  /** By agent and cell: steps from the agent's start. */
  fromStart(): Int16Array {
    if (this.#knowsFromStart) return this.#fromStart;
    const entries = this.agents * this.cells;
    if (this.#fromStart.length < entries) this.#fromStart = new Int16Array(entries);
    for (let a = 0; a < this.agents; a++) this.#measure(this.starts[a] as Cell, this.#fromStart, a * this.cells, -1);
    this.#knowsFromStart = true;
    return this.#fromStart;
  }

  /** By cell: steps to the goal of agent `a` around agent `b`, which rests on its goal forever. */
  detour(a: number, b: number): Int16Array {
    const known = this.#detours[a * this.agents + b];
    if (known !== undefined) return known;
    const detour = this.#spare.pop() ?? new Int16Array(this.cells);
    this.#measure(this.goals[a] as Cell, detour, 0, this.goals[b] as Cell);
    this.#detours[a * this.agents + b] = detour;
    return detour;
  }

  #resize(size: number): void {
    this.size = size;
    this.cells = size * size;
    this.words = Math.ceil(this.cells / 32);
    this.neighbours = new Int16Array(4 * this.cells);
    this.free = new Int32Array(this.words);
    this.notLeftmost = new Int32Array(this.words);
    this.notRightmost = new Int32Array(this.words);
    this.#queue = new Int16Array(this.cells);
    this.#detours = [];
    this.#spare = [];
    for (let cell = 0; cell < this.cells; cell++) {
      if (cell % size !== 0) put(this.notLeftmost, cell);
      if (cell % size !== size - 1) put(this.notRightmost, cell);
    }
  }

  #connect(holes: Uint8Array): void {
    const { size, cells, neighbours, free } = this;
    free.fill(0);
    for (let cell = 0, column = 0; cell < cells; cell++) {
      if (holes[cell] === 0) put(free, cell);
      const at = 4 * cell;
      neighbours[at] = cell >= size && holes[cell - size] === 0 ? cell - size : -1;
      neighbours[at + 1] = cell + size < cells && holes[cell + size] === 0 ? cell + size : -1;
      neighbours[at + 2] = column > 0 && holes[cell - 1] === 0 ? cell - 1 : -1;
      neighbours[at + 3] = column < size - 1 && holes[cell + 1] === 0 ? cell + 1 : -1;
      column = column === size - 1 ? 0 : column + 1;
    }
  }

  /** Breadth first from `source`, never through `closed`. */
  #measure(source: Cell, distances: Int16Array, offset: number, closed: Cell): void {
    const { neighbours, cells } = this;
    const queue = this.#queue;
    distances.fill(unreachable, offset, offset + cells);
    distances[offset + source] = 0;
    queue[0] = source;
    let last = 1;
    for (let next = 0; next < last; next++) {
      const cell = queue[next] as Cell;
      const further = (distances[offset + cell] as number) + 1;
      for (let at = 4 * cell; at < 4 * cell + 4; at++) {
        const neighbour = neighbours[at] as Cell;
        if (neighbour < 0 || neighbour === closed || distances[offset + neighbour] !== unreachable) continue;
        distances[offset + neighbour] = further;
        queue[last++] = neighbour;
      }
    }
  }
}

function put(bits: Int32Array, cell: Cell): void {
  bits[cell >> 5] = (bits[cell >> 5] as number) | (1 << (cell & 31));
}
