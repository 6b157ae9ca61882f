// Random numbers that are the same on every machine: a generator of 32-bit words (sfc32) whose state is a hash of its
// seed and purpose. Different purposes never share a sequence, and no draw depends on how many were made for something
// else.
import { hash } from 'node:crypto';

/** Random numbers that are the same on every machine for the same seed and purpose. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter: number;

  /** `purpose` distinguishes this sequence from all others with the same seed: ['lake', 'suite', 8, 17]. */
  constructor(seed: string, ...purpose: readonly (string | number)[]) {
    const state = hash('sha256', JSON.stringify([seed, ...purpose]), 'buffer');
    this.#a = state.readInt32LE(0);
    this.#b = state.readInt32LE(4);
    this.#c = state.readInt32LE(8);
    this.#counter = state.readInt32LE(12);
  }

  /** 32 random bits as an unsigned integer. */
  word(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** A uniform integer in [0, bound); `bound` is an integer up to 2 ** 32. */
  below(bound: number): number {
    if (!Number.isInteger(bound) || bound < 1 || bound > 2 ** 32) throw new RangeError(outOfBounds(bound));
    const fair = 2 ** 32 - (2 ** 32 % bound);
    for (;;) {
      const word = this.word();
      if (word < fair) return word % bound;
    }
  }

  /** In [0, 1), in steps of 2 ** -32. */
  fraction(): number {
    return this.word() / 2 ** 32;
  }
}

function outOfBounds(bound: number): string {
  return `the bound of a random number: found ${bound}, allowed: a whole number from 1 to 4294967296`;
}
