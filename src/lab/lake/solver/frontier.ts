// What two agents cost each other: the least pairs of arrival times that they can have when nobody else is there. All
// that they can do is followed step by step from their starts until later steps can bring nothing better.
import type { Cell } from '../instance.ts';
import { hasBit, lowest, PairStep, type Within } from './pairs.ts';
import { type Terrain, unreachable } from './terrain.ts';

export interface Frontier {
  readonly first: number;
  readonly second: number;
  /** Arrival times, first and second in turn; none of the pairs is as good as another in both. Empty: there is no way. */
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
  /** Rows of pairs that were moved. */
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

  /** Undefined where it was not asked for yet. */
  known(a: number, b: number): Frontier | undefined {
    return this.#known[a * this.#terrain.agents + b];
  }

  /** Two agents whose frontier is known and empty. */
  hopeless(): readonly number[] | null {
    const found = this.#known.find((frontier) => frontier?.arrivals.length === 0);
    return found === undefined ? null : [found.first, found.second];
  }

  /** Of agents `a` < `b`. Arrivals beyond `latest` are of no interest. */
  of(a: number, b: number, latest: number): Frontier {
    const place = a * this.#terrain.agents + b;
    const known = this.#known[place];
    if (known !== undefined) return known;
    const frontier = { first: a, second: b, arrivals: least(this.#follow(a, b, latest)) };
    this.#known[place] = frontier;
    return frontier;
  }

  /** All that may be on the frontier, and some that is not. */
  #follow(a: number, b: number, latest: number): number[] {
    const { cells, words, starts } = this.#terrain;
    const rows = cells * words;
    const bits = this.#cleared(2 * rows);
    const found: number[] = [];
    let [now, next] = [0, rows];
    const start = starts[a] as Cell;
    bits[start * words + ((starts[b] as Cell) >> 5)] = 1 << ((starts[b] as Cell) & 31);
    let reached: readonly Cell[] = [start];
    /** From this step on, nobody can arrive first and make it better. */
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
   * From which step on all that can be found is no better than these arrivals: whoever arrives later than it would alone
   * has arrived by then.
   */
  #settled(a: number, first: number, b: number, second: number): number {
    const byFirst = first > this.#terrain.distance(a) ? first : 0;
    const bySecond = second > this.#terrain.distance(b) ? second : 0;
    return Math.max(byFirst, bySecond);
  }

  get #anywhere(): Within {
    return { bits: this.#terrain.free, first: 0, second: 0 };
  }

  /** The first agent rests now: how long the second still needs, from the best of the cells where it may be. */
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

  /** The other way round. */
  #firstAfter(bits: Int32Array, rows: number, reached: readonly Cell[], a: number, b: number): number {
    const { words, goals } = this.#terrain;
    const detour = this.#terrain.detour(a, b);
    let best = unreachable;
    for (const cell of reached) {
      if (hasBit(bits, rows + cell * words, goals[b] as Cell)) best = Math.min(best, detour[cell] as number);
    }
    return best;
  }

  /** Where the first agent can be a step later. */
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

/** Without those that another is as good as in both. */
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
