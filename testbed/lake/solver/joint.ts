// Finds a joint path for a few agents among agents with paths, each arriving in time: depth first, step by step and within a step agent
// by agent, best moves first; a failed position is not visited again.
import type { Cell } from '../instance.ts';
import type { Consistency } from './consistency.ts';
import type { Reservations } from './reservations.ts';
import type { Terrain } from './terrain.ts';

type Answer = 'found' | 'none' | 'spent';

/** Moves in the order of trial: closer to the goal, staying, away from it. */
const staying = 4;
const away = 5;
const all = 9;

export class JointSearch {
  readonly #terrain: Terrain;
  readonly #others: Reservations;
  readonly #mayWait: boolean;
  readonly #seen = new Seen();
  #members: readonly number[] = [];
  #arrivals: readonly number[] = [];
  #guide: Consistency | null = null;
  #end = 0;
  /** By step and member. */
  #cells = new Int16Array(0);
  /** By step: the members that rest for good, one bit each. Used without waits. */
  #resting = new Int32Array(0);
  #limit = 0;
  #spent = false;
  /** The number of moves of one member that were tried. */
  work = 0;

  constructor(terrain: Terrain, others: Reservations, mayWait: boolean) {
    this.#terrain = terrain;
    this.#others = others;
    this.#mayWait = mayWait;
  }

  /** Settles `members` on a joint path within `arrivals` (by agent). `guide` is the consistency of exactly these, if any. */
  settle(members: readonly number[], arrivals: readonly number[], guide: Consistency | null, limit: number): Answer {
    this.#members = members;
    this.#arrivals = arrivals;
    this.#guide = guide;
    this.#limit = this.work + limit;
    this.#spent = false;
    this.#end = Math.max(...arrivals);
    this.#seen.clear();
    const count = members.length;
    const entries = (this.#end + 3) * count;
    if (this.#cells.length < entries) this.#cells = new Int16Array(2 * entries);
    if (this.#resting.length < this.#end + 3) this.#resting = new Int32Array(2 * (this.#end + 3));
    for (let x = 0; x < count; x++) this.#cells[x] = this.#terrain.starts[members[x] as number] as Cell;
    this.#resting[0] = 0;
    const last = this.#from(0);
    if (last < 0) return this.#spent ? 'spent' : 'none';
    members.forEach((agent, x) => {
      this.#others.settle(agent, this.#cells.subarray(x), last + 1, count);
    });
    return 'found';
  }

  /** The step at which all have arrived, continuing from `step`; -1 if that is impossible. */
  #from(step: number): number {
    if (this.#haveArrived(step)) return step;
    if (step > this.#end) return -1;
    if (this.work > this.#limit) {
      this.#spent = true;
      return -1;
    }
    this.#resting[step + 1] = this.#resting[step] as number;
    return this.#move(step, 0);
  }

  #haveArrived(step: number): boolean {
    const { goals } = this.#terrain;
    const members = this.#members;
    const first = step * members.length;
    for (let x = 0; x < members.length; x++) if (this.#cells[first + x] !== goals[members[x] as number]) return false;
    return members.every((agent) => this.#others.isQuiet(goals[agent] as Cell, step));
  }

  /** Moves member number `x` and those after it. */
  #move(step: number, x: number): number {
    if (x === this.#members.length) return this.#isNew(step + 1) ? this.#from(step + 1) : -1;
    const { cells, neighbours, toGoal, goals } = this.#terrain;
    const agent = this.#members[x] as number;
    const cell = this.#cells[step * this.#members.length + x] as Cell;
    const rests = this.#restsAlready(step, x, agent);
    if (rests) return this.#try(step, x, cell, cell);
    const distance = toGoal[agent * cells + cell] as number;
    const slack = (this.#arrivals[agent] as number) - step - distance;
    const last = slack <= 0 ? staying : slack === 1 ? away : all;
    for (let move = 0; move < last; move++) {
      if (move === staying) {
        if (!this.#mayWait) continue;
        const end = this.#try(step, x, cell, cell);
        if (end >= 0 || this.#spent) return end;
        continue;
      }
      const next = neighbours[4 * cell + (move < staying ? move : move - away)] as Cell;
      if (next < 0) continue;
      const gain = distance - (toGoal[agent * cells + next] as number);
      if (move < staying ? gain <= 0 : gain > 0) continue;
      const end = this.#try(step, x, cell, next);
      if (end >= 0 || this.#spent) return end;
    }
    if (this.#mayWait || cell !== goals[agent]) return -1;
    this.#resting[step + 1] = (this.#resting[step + 1] as number) | (1 << x);
    const end = this.#try(step, x, cell, cell);
    if (end < 0) this.#resting[step + 1] = (this.#resting[step + 1] as number) & ~(1 << x);
    return end;
  }

  /** Resting agents stay; an agent may also rest if it has no time left to come back. */
  #restsAlready(step: number, x: number, agent: number): boolean {
    if ((((this.#resting[step] as number) >> x) & 1) === 1) return true;
    if (step < (this.#arrivals[agent] as number)) return false;
    if (!this.#mayWait) this.#resting[step + 1] = (this.#resting[step + 1] as number) | (1 << x);
    return true;
  }

  #try(step: number, x: number, cell: Cell, next: Cell): number {
    this.work++;
    const count = this.#members.length;
    const now = step * count;
    const later = now + count;
    for (let y = 0; y < x; y++) {
      const there = this.#cells[later + y] as Cell;
      if (there === next || (there === cell && this.#cells[now + y] === next)) return -1;
      if (this.#guide?.allows(y, x, step + 1, there, next) === false) return -1;
    }
    if (!this.#others.isFree(step, cell, next)) return -1;
    this.#cells[later + x] = next;
    return this.#move(step, x + 1);
  }

  #isNew(step: number): boolean {
    const { cells } = this.#terrain;
    const count = this.#members.length;
    let key = step;
    for (let x = 0; x < count; x++) key = key * cells + (this.#cells[step * count + x] as Cell);
    if (!this.#mayWait) key = key * 2 ** count + (this.#resting[step] as number);
    return key >= Number.MAX_SAFE_INTEGER || this.#seen.add(key);
  }
}

// The positions a search has visited: a set of whole numbers with open addressing, much faster than a Set for numbers beyond 31 bits.

const nothing = -1;
const smallest = 1 << 10;
/** A larger table is released when it is cleared. */
const largestKept = 1 << 16;

export class Seen {
  #table = new Float64Array(smallest).fill(nothing);
  #count = 0;

  clear(): void {
    if (this.#count === 0) return;
    if (this.#table.length > largestKept) this.#table = new Float64Array(smallest);
    this.#table.fill(nothing);
    this.#count = 0;
  }

  /** Keys are whole numbers from 0 to below 2 ** 53. False if it was present. */
  add(key: number): boolean {
    const slot = this.#slot(key);
    if (this.#table[slot] === key) return false;
    this.#table[slot] = key;
    this.#count++;
    if (2 * this.#count > this.#table.length) this.#grow();
    return true;
  }

  #slot(key: number): number {
    const mask = this.#table.length - 1;
    let mixed = Math.imul(key | 0, 0x9e3779b1) ^ Math.imul((key / 2 ** 32) | 0, 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
    for (let slot = (mixed ^ (mixed >>> 13)) & mask; ; slot = (slot + 1) & mask) {
      const there = this.#table[slot];
      if (there === key || there === nothing) return slot;
    }
  }

  #grow(): void {
    const keys = this.#table;
    this.#table = new Float64Array(2 * keys.length).fill(nothing);
    for (const key of keys) if (key !== nothing) this.#table[this.#slot(key)] = key;
  }
}
