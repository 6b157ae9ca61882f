// Merkle trees as RFC 6962 has them: leaves and nodes differ in their first byte, so that no node can be passed off as a leaf.
// A leaf is an event: its entry is the 32 bytes of the event's digest. A span is a range of leaves, stored as the few perfect
// subtrees it is made of. It grows at its end, by leaves or by the range that follows it, so that a tree can be hashed in
// pieces, in one pass or by several threads, in memory that grows with the logarithm of its size.
import { hash } from 'node:crypto';
import type { DigestsOf, Ledger } from '../ledger.ts';

/** In hexadecimal, 64 digits: on this platform the fastest form to hash into and out of. */
export type Hash = string;

const digestBytes = 32;
const leaf = Buffer.alloc(1 + digestBytes, 0);
const node = Buffer.alloc(1 + 2 * digestBytes, 1);

/** What a tree without leaves hashes to. */
const emptyRoot: Hash = hash('sha256', '');

export function leafHash(digest: Hash): Hash {
  leaf.write(digest, 1, digestBytes, 'hex');
  return hash('sha256', leaf);
}

export function nodeHash(left: Hash, right: Hash): Hash {
  node.write(left, 1, digestBytes, 'hex');
  node.write(right, 1 + digestBytes, digestBytes, 'hex');
  return hash('sha256', node);
}

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

  /** Two subtrees of one size become one where the tree has them together. Sizes go beyond 32 bits: no shifts here. */
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

/** The tree over events of a ledger as they are there now. Its leaves are counted from 0, wherever the events begin. */
export async function treeOf(ledger: Ledger, of: DigestsOf): Promise<Span> {
  const tree = new Span();
  for await (const digests of ledger.digests(of)) tree.addAll(digests);
  return tree;
}
