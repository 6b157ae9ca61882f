// Which positions a search has been in: a set of whole numbers in open addressing, much quicker than a Set of numbers that
// do not fit into 31 bits.

const nothing = -1;
const smallest = 1 << 10;
/** A table that grew larger than this is given back when it is cleared. */
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

  /** Keys are whole numbers from 0 to below 2 ** 53. False where it was there. */
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
