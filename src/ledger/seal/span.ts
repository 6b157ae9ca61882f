// A range of a Merkle tree's leaves, from one index to another, held as the few perfect subtrees it is made of. It grows
// at its end, by leaves or by the range that follows it, so that a tree can be hashed in pieces, in one pass or by
// several threads, in memory that grows with the logarithm of its size.
import { emptyRoot, type Hash, leafHash, nodeHash } from './hashing.ts';

export const digestDigits = 64;

interface Subtree {
  readonly level: number;
  readonly hash: Hash;
}

/** As it travels between threads and rests in a file. */
export interface SpanState {
  readonly from: number;
  readonly subtrees: readonly (readonly [level: number, hash: Hash])[];
}

export class Span {
  readonly from: number;
  #to: number;
  readonly #subtrees: Subtree[] = [];

  constructor(from = 0) {
    this.from = from;
    this.#to = from;
  }

  static of({ from, subtrees }: SpanState): Span {
    const span = new Span(from);
    for (const [level, hash] of subtrees) span.#push(level, hash);
    return span;
  }

  /** One past the index of its last leaf. */
  get to(): number {
    return this.#to;
  }

  /** Adds the next leaf: an event, by its digest. */
  add(digest: Hash): void {
    this.#push(0, leafHash(digest));
  }

  /** Adds leaves given as the ledger gives them: digests put together. */
  addAll(digests: string): void {
    for (let i = 0; i < digests.length; i += digestDigits) this.add(digests.slice(i, i + digestDigits));
  }

  /** Adds the range that begins where this one ends. */
  join(next: Span): void {
    if (next.from !== this.#to) throw new RangeError(`leaves up to ${this.#to} cannot be followed by ${next.from}`);
    for (const { level, hash } of next.#subtrees) this.#push(level, hash);
  }

  /** The root of the tree of all leaves so far; the span must begin at the first. */
  root(): Hash {
    if (this.from !== 0) throw new RangeError(`leaves from ${this.from} on have no root of their own`);
    const last = this.#subtrees.at(-1);
    if (last === undefined) return emptyRoot;
    return this.#subtrees.slice(0, -1).reduceRight((right, { hash }) => nodeHash(hash, right), last.hash);
  }

  toJSON(): SpanState {
    return { from: this.from, subtrees: this.#subtrees.map(({ level, hash }) => [level, hash]) };
  }

  /** Two subtrees of one size become one where they lie as the tree has them. Sizes go beyond 32 bits: no shifts here. */
  #push(level: number, hash: Hash): void {
    this.#to += 2 ** level;
    let grown: Subtree = { level, hash };
    for (;;) {
      const before = this.#subtrees.at(-1);
      if (before?.level !== grown.level || this.#to % 2 ** (grown.level + 1) !== 0) break;
      this.#subtrees.pop();
      grown = { level: grown.level + 1, hash: nodeHash(before.hash, grown.hash) };
    }
    this.#subtrees.push(grown);
  }
}
