// The possible positions of two agents at the same time: a set of pairs of cells, stored as one row of bits per cell of the first agent. A
// whole row moves one step with a few shifts, so that all joint moves are followed at once.
import type { Cell } from '../instance.ts';
import { type Terrain, unreachable } from './terrain.ts';

/** Whether bit `cell` is set in the words from `at` on. */
export function hasBit(bits: Int32Array, at: number, cell: Cell): boolean {
  return (((bits[at + (cell >> 5)] as number) >>> (cell & 31)) & 1) === 1;
}

export function setBit(bits: Int32Array, at: number, cell: Cell): void {
  const word = at + (cell >> 5);
  bits[word] = (bits[word] as number) | (1 << (cell & 31));
}

export function clearBit(bits: Int32Array, at: number, cell: Cell): void {
  const word = at + (cell >> 5);
  bits[word] = (bits[word] as number) & ~(1 << (cell & 31));
}

/** The index of the lowest set bit. */
export function lowest(word: number): number {
  return 31 - Math.clz32(word & -word);
}

/** The allowed cells of the two agents after a step, one bit per cell: words of `bits` from `first` and from `second` on. */
interface Within {
  readonly bits: Int32Array;
  readonly first: number;
  readonly second: number;
}

/** Moves sets of pairs by one step. Steps are reversible, so it works forward and backward. */
export class PairStep {
  readonly #terrain: Terrain;
  readonly #mayWait: boolean;
  #spread = new Int32Array(0);

  constructor(terrain: Terrain, mayWait: boolean) {
    this.#terrain = terrain;
    this.#mayWait = mayWait;
  }

  /**
   * Adds to the rows from `to` on every pair that one step reaches from a pair in the rows from `from` on, within the allowed cells, without
   * meeting or swapping. Only the rows of `cells` are read.
   */
  take(bits: Int32Array, from: number, to: number, cells: readonly Cell[], within: Within): void {
    const { words, neighbours } = this.#terrain;
    if (this.#spread.length !== words) this.#spread = new Int32Array(words);
    for (const cell of cells) {
      const row = from + cell * words;
      if (!this.#spreadOut(bits, row, within)) continue;
      const ways = this.#ways(bits, row, cell);
      if (this.#mayWait && hasBit(within.bits, within.first, cell)) this.#add(bits, to, cell, cell, false);
      for (let at = 4 * cell; at < 4 * cell + 4; at++) {
        const next = neighbours[at] as Cell;
        if (next < 0 || !hasBit(within.bits, within.first, next)) continue;
        this.#add(bits, to, next, cell, ways === 1 && hasBit(bits, row, next));
      }
    }
  }

  /** The cells of the second agent one step after those in the row; false if there are none. */
  #spreadOut(bits: Int32Array, row: number, { bits: limits, second }: Within): boolean {
    const { words, size, notLeftmost, notRightmost } = this.#terrain;
    const spread = this.#spread;
    let any = 0;
    let before = 0;
    let word = bits[row] as number;
    for (let w = 0; w < words; w++) {
      const after = w + 1 < words ? (bits[row + w + 1] as number) : 0;
      let wider = this.#mayWait ? word : 0;
      if (size < 32) wider |= (word << size) | (before >>> (32 - size)) | (word >>> size) | (after << (32 - size));
      else wider |= before | after;
      wider |= (word & (notRightmost[w] as number)) << 1;
      wider |= (word & (notLeftmost[w] as number)) >>> 1;
      if (w > 0) wider |= (before & (notRightmost[w - 1] as number)) >>> 31;
      if (w + 1 < words) wider |= (after & (notLeftmost[w + 1] as number)) << 31;
      wider &= limits[second + w] as number;
      spread[w] = wider;
      any |= wider;
      before = word;
      word = after;
    }
    return any !== 0;
  }

  /** The number of neighbours in which the row allows the second agent. */
  #ways(bits: Int32Array, row: number, cell: Cell): number {
    const { neighbours } = this.#terrain;
    let ways = 0;
    for (let at = 4 * cell; at < 4 * cell + 4; at++) {
      const neighbour = neighbours[at] as Cell;
      if (neighbour >= 0 && hasBit(bits, row, neighbour)) ways++;
    }
    return ways;
  }

  /** The first agent moves to `next` from `cell`; `swaps`: the second can reach `cell` only from `next`. */
  #add(bits: Int32Array, to: number, next: Cell, cell: Cell, swaps: boolean): void {
    const { words } = this.#terrain;
    const spread = this.#spread;
    const row = to + next * words;
    const held = spread[next >> 5] as number;
    clearBit(spread, 0, next);
    const heldToo = spread[cell >> 5] as number;
    if (swaps) clearBit(spread, 0, cell);
    for (let w = 0; w < words; w++) bits[row + w] = (bits[row + w] as number) | (spread[w] as number);
    spread[cell >> 5] = heldToo;
    spread[next >> 5] = held;
  }
}

// The cost of two agents for each other: the minimal pairs of arrival times without other agents. All joint moves are followed step by step
// from the starts until later steps cannot improve.

export interface Frontier {
  readonly first: number;
  readonly second: number;
  /** Arrival times, first and second in turn; no pair dominates another. Empty: there is no joint path. */
  readonly arrivals: readonly number[];
}

export class Frontiers {
  readonly #terrain: Terrain;
  readonly #step: PairStep;
  readonly #mayWait: boolean;
  #bits = new Int32Array(0);
  #known: (Frontier | undefined)[] = [];
  #seen = new Int32Array(0);
  #moment = 0;
  /** The number of rows of pairs that were moved. */
  work = 0;

  constructor(terrain: Terrain, mayWait: boolean) {
    this.#terrain = terrain;
    this.#step = new PairStep(terrain, mayWait);
    this.#mayWait = mayWait;
  }

  forget(): void {
    this.#known = [];
    this.work = 0;
    if (this.#seen.length < this.#terrain.cells) this.#seen = new Int32Array(this.#terrain.cells);
  }

  /** Undefined if it was not computed yet. */
  known(a: number, b: number): Frontier | undefined {
    return this.#known[a * this.#terrain.agents + b];
  }

  /** Two agents whose frontier is known and empty. */
  hopeless(): readonly number[] | null {
    const found = this.#known.find((frontier) => frontier?.arrivals.length === 0);
    return found === undefined ? null : [found.first, found.second];
  }

  /** Of agents `a` < `b`. Arrivals beyond `latest` are ignored. */
  of(a: number, b: number, latest: number): Frontier {
    const place = a * this.#terrain.agents + b;
    const known = this.#known[place];
    if (known !== undefined) return known;
    const frontier = { first: a, second: b, arrivals: least(this.#follow(a, b, latest)) };
    this.#known[place] = frontier;
    return frontier;
  }

  /** A superset of the frontier. */
  #follow(a: number, b: number, latest: number): number[] {
    const { cells, words, starts } = this.#terrain;
    const rows = cells * words;
    const bits = this.#cleared(2 * rows);
    const found: number[] = [];
    let [now, next] = [0, rows];
    const start = starts[a] as Cell;
    bits[start * words + ((starts[b] as Cell) >> 5)] = 1 << ((starts[b] as Cell) & 31);
    let reached: readonly Cell[] = [start];
    /** From this step on, a first arrival cannot improve it. */
    let end = latest + 1;
    const note = (first: number, second: number): void => {
      found.push(first, second);
      end = Math.min(end, this.#settled(a, first, b, second));
    };
    for (let time = 0; time < end; time++) {
      const left = this.#secondAfter(bits, now, a, b);
      if (left !== unreachable) note(time, time + left);
      const right = this.#firstAfter(bits, now, reached, a, b);
      if (right !== unreachable) note(time + right, time);
      if (time + 1 >= end) break;
      const wider = this.#widen(reached);
      bits.fill(0, next, next + rows);
      this.#step.take(bits, now, next, reached, this.#anywhere);
      this.work += reached.length;
      if (this.#mayWait && wider.length === reached.length && this.#isSame(bits, now, next)) break;
      reached = wider;
      [now, next] = [next, now];
    }
    return found;
  }

  /**
   * The step from which on results cannot improve these arrivals: by then, any agent that arrives later than it would alone has arrived.
   */
  #settled(a: number, first: number, b: number, second: number): number {
    const byFirst = first > this.#terrain.distance(a) ? first : 0;
    const bySecond = second > this.#terrain.distance(b) ? second : 0;
    return Math.max(byFirst, bySecond);
  }

  get #anywhere(): Within {
    return { bits: this.#terrain.free, first: 0, second: 0 };
  }

  /** The first agent rests now: the remaining time of the second, from the best of its possible cells. */
  #secondAfter(bits: Int32Array, rows: number, a: number, b: number): number {
    const { words, goals } = this.#terrain;
    const detour = this.#terrain.detour(b, a);
    const row = rows + (goals[a] as Cell) * words;
    let best = unreachable;
    for (let w = 0; w < words; w++) {
      for (let rest = bits[row + w] as number; rest !== 0; rest &= rest - 1) {
        best = Math.min(best, detour[32 * w + lowest(rest)] as number);
      }
    }
    return best;
  }

  /** The reverse. */
  #firstAfter(bits: Int32Array, rows: number, reached: readonly Cell[], a: number, b: number): number {
    const { words, goals } = this.#terrain;
    const detour = this.#terrain.detour(a, b);
    let best = unreachable;
    for (const cell of reached) {
      if (hasBit(bits, rows + cell * words, goals[b] as Cell)) best = Math.min(best, detour[cell] as number);
    }
    return best;
  }

  /** The possible cells of the first agent one step later. */
  #widen(reached: readonly Cell[]): readonly Cell[] {
    const { neighbours } = this.#terrain;
    const seen = this.#seen;
    const moment = ++this.#moment;
    const wider: Cell[] = [];
    for (const cell of reached) {
      if (this.#mayWait && seen[cell] !== moment) {
        seen[cell] = moment;
        wider.push(cell);
      }
      for (let at = 4 * cell; at < 4 * cell + 4; at++) {
        const neighbour = neighbours[at] as Cell;
        if (neighbour < 0 || seen[neighbour] === moment) continue;
        seen[neighbour] = moment;
        wider.push(neighbour);
      }
    }
    return wider;
  }

  #isSame(bits: Int32Array, now: number, next: number): boolean {
    const rows = this.#terrain.cells * this.#terrain.words;
    for (let i = 0; i < rows; i++) if (bits[now + i] !== bits[next + i]) return false;
    return true;
  }

  #cleared(length: number): Int32Array {
    if (this.#bits.length < length) this.#bits = new Int32Array(length);
    this.#bits.fill(0, 0, length);
    return this.#bits;
  }
}

/** Removes dominated pairs. */
function least(arrivals: readonly number[]): readonly number[] {
  const pairs: (readonly [number, number])[] = [];
  for (let i = 0; i < arrivals.length; i += 2) pairs.push([arrivals[i] as number, arrivals[i + 1] as number]);
  pairs.sort(([a, b], [c, d]) => a - c || b - d);
  const kept: number[] = [];
  let lowestSecond = unreachable;
  for (const [first, second] of pairs) {
    if (second >= lowestSecond) continue;
    kept.push(first, second);
    lowestSecond = second;
  }
  return kept;
}
