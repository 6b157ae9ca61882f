// The positions that any two of a few agents can have at each step if all are to arrive in time. Going back from their goals, a pair of
// cells is relevant if a step leads to a relevant pair, and if every third agent has a compatible cell. If nothing is left, there is no
// joint plan; otherwise the result guides a search.
import type { Cell } from '../instance.ts';
import { clearBit, hasBit, lowest, PairStep, setBit } from './pairs.ts';
import type { Terrain } from './terrain.ts';

/** In 32-bit words: beyond this, pairs are not stored, and the search has no guide. */
const maxWords = 2 ** 23;

export class Consistency {
  readonly #terrain: Terrain;
  readonly #step: PairStep;
  readonly #mayWait: boolean;
  /** By ordered pair of members, by step, by cell of the first: the cells of the second. */
  #bits = new Int32Array(0);
  /** By member: its possible cells at the current step. */
  #within = new Int32Array(0);
  #cells: Cell[][] = [];
  #later: Cell[][] = [];
  #members: readonly number[] = [];
  #arrivals: readonly number[] = [];
  #layer = 0;
  #block = 0;
  #end = 0;
  /** Whether the last question was examined; otherwise everything is allowed. */
  isKnown = false;
  /** Rows of pairs that were moved, and pairs that were compared with third agents. */
  work = 0;

  constructor(terrain: Terrain, mayWait: boolean) {
    this.#terrain = terrain;
    this.#step = new PairStep(terrain, mayWait);
    this.#mayWait = mayWait;
  }

  /** False if `members` cannot all arrive within `arrivals` (by agent), whatever the others do. */
  mayHold(members: readonly number[], arrivals: readonly number[]): boolean {
    this.#members = members;
    this.#arrivals = arrivals;
    this.#end = Math.max(...members.map((agent) => arrivals[agent] as number));
    if (!this.#prepare()) return true;
    for (let step = this.#end; step >= 0; step--) {
      this.#bound(step);
      for (let x = 0; x < members.length; x++) {
        for (let y = x + 1; y < members.length; y++) if (!this.#look(x, y, step)) return false;
      }
      if (members.length > 2 && step < this.#end && !this.#agree(step)) return false;
      [this.#cells, this.#later] = [this.#later, this.#cells];
    }
    return this.#startsAllowed();
  }

  /** Whether members number `x` < `y` may be on these cells at `step`. */
  allows(x: number, y: number, step: number, cell: Cell, other: Cell): boolean {
    const row = this.#row(x, y, Math.min(step, this.#end)) + cell * this.#terrain.words;
    return hasBit(this.#bits, row, other);
  }

  #startsAllowed(): boolean {
    const { starts } = this.#terrain;
    const members = this.#members;
    return members.every((a, x) =>
      members.every((b, y) => y <= x || this.allows(x, y, 0, starts[a] as Cell, starts[b] as Cell)),
    );
  }

  /** The offset of the rows of an ordered pair. */
  #row(x: number, y: number, step: number): number {
    return (x * this.#members.length + y) * this.#block + step * this.#layer;
  }

  #prepare(): boolean {
    const { cells, words } = this.#terrain;
    const count = this.#members.length;
    this.#layer = cells * words;
    this.#block = (this.#end + 1) * this.#layer;
    const needed = count * count * this.#block;
    this.isKnown = needed <= maxWords;
    if (!this.isKnown) return false;
    if (this.#bits.length < needed) this.#bits = new Int32Array(needed);
    if (this.#within.length < count * words) this.#within = new Int32Array(count * words);
    while (this.#cells.length < count) {
      this.#cells.push([]);
      this.#later.push([]);
    }
    return true;
  }

  /** The possible cells of each member at `step`, ignoring other agents. */
  #bound(step: number): void {
    const { words, goals } = this.#terrain;
    this.#within.fill(0, 0, this.#members.length * words);
    for (let x = 0; x < this.#members.length; x++) {
      const agent = this.#members[x] as number;
      const cells = this.#cells[x] as Cell[];
      cells.length = 0;
      const left = (this.#arrivals[agent] as number) - step;
      if (left <= 0) cells.push(goals[agent] as Cell);
      else this.#reachable(agent, step, left, cells);
      for (const cell of cells) setBit(this.#within, x * words, cell);
    }
  }

  /** Cells that the agent can reach in `step` steps and leave for its goal in time. */
  #reachable(agent: number, step: number, left: number, into: Cell[]): void {
    const { cells, toGoal, goals } = this.#terrain;
    const fromStart = this.#terrain.fromStart();
    const offset = agent * cells;
    for (let cell = 0; cell < cells; cell++) {
      const gone = fromStart[offset + cell] as number;
      if (gone > step || (toGoal[offset + cell] as number) > left) continue;
      // Without waits, an agent alternates between two classes of cells until it rests.
      if (!this.#mayWait && (gone + step) % 2 !== 0 && cell !== goals[agent]) continue;
      into.push(cell);
    }
  }

  /** Pairs from which a step leads to a relevant pair; false if there are none. */
  #look(x: number, y: number, step: number): boolean {
    const { words, goals } = this.#terrain;
    const to = this.#row(x, y, step);
    const back = this.#row(y, x, step);
    const firsts = this.#cells[x] as Cell[];
    this.#bits.fill(0, to, to + this.#layer);
    this.#bits.fill(0, back, back + this.#layer);
    if (step === this.#end) {
      const goal = goals[this.#members[x] as number] as Cell;
      setBit(this.#bits, to + goal * words, goals[this.#members[y] as number] as Cell);
    } else {
      const later = this.#later[x] as Cell[];
      const within = { bits: this.#within, first: x * words, second: y * words };
      this.#step.take(this.#bits, this.#row(x, y, step + 1), to, later, within);
      this.work += later.length;
      if (!this.#mayWait) this.#rest(x, y, step, to);
    }
    return this.#mirror(firsts, to, back);
  }

  /** Without waits, an agent that stays on its goal rests there forever, and the other goes around it. */
  #rest(x: number, y: number, step: number, to: number): void {
    const { words, goals } = this.#terrain;
    const [a, b] = [this.#members[x] as number, this.#members[y] as number];
    const [goalOfA, goalOfB] = [goals[a] as Cell, goals[b] as Cell];
    if (hasBit(this.#within, x * words, goalOfA)) {
      const detour = this.#terrain.detour(b, a);
      const left = (this.#arrivals[b] as number) - step;
      for (const cell of this.#cells[y] as Cell[]) {
        if ((detour[cell] as number) <= Math.max(left, 0)) setBit(this.#bits, to + goalOfA * words, cell);
      }
    }
    if (!hasBit(this.#within, y * words, goalOfB)) return;
    const detour = this.#terrain.detour(a, b);
    const left = (this.#arrivals[a] as number) - step;
    for (const cell of this.#cells[x] as Cell[]) {
      if ((detour[cell] as number) <= Math.max(left, 0)) setBit(this.#bits, to + cell * words, goalOfB);
    }
  }

  /** The same pairs in reverse order; false if there are none. */
  #mirror(firsts: readonly Cell[], to: number, back: number): boolean {
    const { words } = this.#terrain;
    const bits = this.#bits;
    let any = 0;
    for (const cell of firsts) {
      const row = to + cell * words;
      for (let w = 0; w < words; w++) {
        const word = bits[row + w] as number;
        any |= word;
        for (let rest = word; rest !== 0; rest &= rest - 1) {
          setBit(bits, back + (32 * w + lowest(rest)) * words, cell);
        }
      }
    }
    return any !== 0;
  }

  /**
   * Removes pairs for which some third member has no cell; false if nothing is left of a pair. A single pass removes nearly everything that
   * more would.
   */
  #agree(step: number): boolean {
    const count = this.#members.length;
    for (let x = 0; x < count; x++) {
      for (let y = x + 1; y < count; y++) if (!this.#thin(x, y, step)) return false;
    }
    return true;
  }

  #thin(x: number, y: number, step: number): boolean {
    const { words } = this.#terrain;
    const bits = this.#bits;
    const there = this.#row(x, y, step);
    const back = this.#row(y, x, step);
    const firsts = this.#cells[x] as Cell[];
    let any = 0;
    let looks = 0;
    for (const cell of firsts) {
      const row = there + cell * words;
      for (let w = 0; w < words; w++) {
        for (let rest = bits[row + w] as number; rest !== 0; rest &= rest - 1) {
          const other = 32 * w + lowest(rest);
          looks++;
          if (this.#hasThirds(x, y, step, cell, other)) continue;
          clearBit(bits, row, other);
          clearBit(bits, back + other * words, cell);
        }
        any |= bits[row + w] as number;
      }
    }
    this.work += looks;
    return any !== 0;
  }

  #hasThirds(x: number, y: number, step: number, cell: Cell, other: Cell): boolean {
    const { words } = this.#terrain;
    const bits = this.#bits;
    for (let z = 0; z < this.#members.length; z++) {
      if (z === x || z === y) continue;
      const withFirst = this.#row(x, z, step) + cell * words;
      const withSecond = this.#row(y, z, step) + other * words;
      let common = 0;
      for (let w = 0; w < words; w++) common |= (bits[withFirst + w] as number) & (bits[withSecond + w] as number);
      if (common === 0) return false;
    }
    return true;
  }
}
