// Where two agents can be at the same time: a set of pairs of cells, kept as one row of bits for each cell of the first
// agent. A whole row moves one step with a few shifts, so that all that two agents can do is followed at once.
import type { Cell } from '../instance.ts';
import type { Terrain } from './terrain.ts';

/** Whether bit `cell` is set in the words that begin at `at`. */
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

/** The place of the lowest bit that is set. */
export function lowest(word: number): number {
  return 31 - Math.clz32(word & -word);
}

/** What the two agents may stand on after a step, one bit a cell: words of `bits` from `first` and from `second` on. */
export interface Within {
  readonly bits: Int32Array;
  readonly first: number;
  readonly second: number;
}

/** Moves sets of pairs by one step. A step can be taken in both directions, so it serves to look ahead and back. */
export class PairStep {
  readonly #terrain: Terrain;
  readonly #mayWait: boolean;
  #spread = new Int32Array(0);

  constructor(terrain: Terrain, mayWait: boolean) {
    this.#terrain = terrain;
    this.#mayWait = mayWait;
  }

  /**
   * Adds to the rows that begin at `to` every pair that one step leads to from a pair in the rows that begin at `from`,
   * within what both may stand on: never to a common cell, never by exchanging cells. Only the rows of `cells` are read.
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

  /** Where the second agent can be a step after it was where the row says; false when nowhere. */
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

  /** In how many of its neighbours the row says that the second agent may be. */
  #ways(bits: Int32Array, row: number, cell: Cell): number {
    const { neighbours } = this.#terrain;
    let ways = 0;
    for (let at = 4 * cell; at < 4 * cell + 4; at++) {
      const neighbour = neighbours[at] as Cell;
      if (neighbour >= 0 && hasBit(bits, row, neighbour)) ways++;
    }
    return ways;
  }

  /** The first agent comes to `next` from `cell`; `swaps`: the second could come to `cell` only from `next`. */
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
