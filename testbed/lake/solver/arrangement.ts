// Whether some agents can reach their goals at all, in any time. A joint step decomposes into moves of one agent to an empty cell and
// rotations of a full cycle of agents, so the search follows those, nearest to the goals first, until all have arrived or every reachable
// arrangement was seen.
import type { Cell } from '../instance.ts';
import type { Terrain } from './terrain.ts';

/** One bit per arrangement: 32 MB. */
const maxArrangements = 2 ** 28;

/** The shortest cycle on a grid. */
const shortestCycle = 4;

/** Null if `limit` arrangements were seen without an answer, or if there are too many to index. */
export function canArrange(terrain: Terrain, members: readonly number[], limit: number): boolean | null {
  const { cells } = terrain;
  return cells ** members.length > maxArrangements ? null : new Arrangements(terrain, members).search(limit);
}

class Arrangements {
  readonly #terrain: Terrain;
  readonly #members: readonly number[];
  readonly #seen: Int32Array;
  /** By distance to the goals. */
  readonly #open: number[][] = [];
  #nearest = 0;
  #count = 0;
  readonly #at: Cell[] = [];
  /** By cell, the member on it; -1 if empty. */
  readonly #on: Int8Array;

  constructor(terrain: Terrain, members: readonly number[]) {
    this.#terrain = terrain;
    this.#members = members;
    this.#seen = new Int32Array(Math.ceil(terrain.cells ** members.length / 32));
    this.#on = new Int8Array(terrain.cells).fill(-1);
  }

  search(limit: number): boolean | null {
    this.#members.forEach((agent) => {
      this.#at.push(this.#terrain.starts[agent] as Cell);
    });
    this.#reach();
    while (this.#nearest < this.#open.length) {
      const next = this.#open[this.#nearest]?.pop();
      if (next === undefined) this.#nearest++;
      else if (this.#nearest === 0) return true;
      else if (this.#count > limit) return null;
      else this.#expand(next);
    }
    return false;
  }

  #expand(arrangement: number): void {
    const { cells } = this.#terrain;
    let rest = arrangement;
    for (let x = this.#members.length - 1; x >= 0; x--) {
      this.#at[x] = rest % cells;
      rest = Math.floor(rest / cells);
    }
    this.#at.forEach((cell, x) => {
      this.#on[cell] = x;
    });
    this.#moveOne();
    if (this.#members.length >= shortestCycle) for (let x = 0; x < this.#members.length; x++) this.#turn([x]);
    for (const cell of this.#at) this.#on[cell] = -1;
  }

  #moveOne(): void {
    const { neighbours } = this.#terrain;
    for (let x = 0; x < this.#members.length; x++) {
      const cell = this.#at[x] as Cell;
      for (let at = 4 * cell; at < 4 * cell + 4; at++) {
        const next = neighbours[at] as Cell;
        if (next < 0 || this.#on[next] !== -1) continue;
        this.#at[x] = next;
        this.#reach();
      }
      this.#at[x] = cell;
    }
  }

  /** Rotates every full cycle that begins with these members, each next to the one before, by one place. */
  #turn(chain: readonly number[]): void {
    const { neighbours } = this.#terrain;
    const [first] = chain as readonly [number];
    const cell = this.#at[chain.at(-1) as number] as Cell;
    for (let at = 4 * cell; at < 4 * cell + 4; at++) {
      const next = neighbours[at] as Cell;
      const member = next < 0 ? -1 : (this.#on[next] as number);
      if (member === first && chain.length >= shortestCycle) this.#reachRotated(chain);
      if (member > first && !chain.includes(member)) this.#turn([...chain, member]);
    }
  }

  #reachRotated(chain: readonly number[]): void {
    const cells = chain.map((member) => this.#at[member] as Cell);
    chain.forEach((member, i) => {
      this.#at[member] = cells[(i + 1) % cells.length] as Cell;
    });
    this.#reach();
    chain.forEach((member, i) => {
      this.#at[member] = cells[i] as Cell;
    });
  }

  #reach(): void {
    const { cells, toGoal } = this.#terrain;
    let arrangement = 0;
    let distance = 0;
    for (let x = 0; x < this.#members.length; x++) {
      const cell = this.#at[x] as Cell;
      arrangement = arrangement * cells + cell;
      distance += toGoal[(this.#members[x] as number) * cells + cell] as number;
    }
    const word = arrangement >>> 5;
    const bit = 1 << (arrangement & 31);
    if (((this.#seen[word] as number) & bit) !== 0) return;
    this.#seen[word] = (this.#seen[word] as number) | bit;
    this.#count++;
    const open = this.#open[distance];
    if (open === undefined) this.#open[distance] = [arrangement];
    else open.push(arrangement);
    this.#nearest = Math.min(this.#nearest, distance);
  }
}
