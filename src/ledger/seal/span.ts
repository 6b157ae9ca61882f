// Merkle trees of RFC 6962: leaves and nodes differ in their first byte, so that a node cannot be presented as a leaf. A leaf is
// an event, as the 32 bytes of its digest. A span is a range of leaves, stored as the few perfect subtrees it consists of. It
// grows at its end, by leaves or by the range that follows it, so a tree can be hashed in pieces, in one pass or by several
// threads, in memory that grows with the logarithm of its size.
import { hash } from 'node:crypto';
import type { DigestsOf, Ledger } from '../ledger.ts';

/** 64 hexadecimal digits, which is the fastest form to hash on this platform. */
export type Hash = string;

const digestBytes = 32;
const leaf = Buffer.alloc(1 + digestBytes, 0);
const node = Buffer.alloc(1 + 2 * digestBytes, 1);

/** The hash of a tree without leaves. */
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

type Subtree = readonly [level: number, hash: Hash];

/** The form for messages between threads and for files. */
export interface SpanState {
  readonly from: number;
  readonly subtrees: readonly Subtree[];
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

  /** Adds leaves as the ledger returns them: concatenated digests. */
  addAll(digests: string): void {
    for (let i = 0; i < digests.length; i += digestDigits) this.add(digests.slice(i, i + digestDigits));
  }

  /** Adds the range that begins where this one ends. */
  join(next: Span): void {
    if (next.from !== this.#to) throw new RangeError(`leaves up to ${this.#to} cannot be followed by ${next.from}`);
    for (const [level, hash] of next.#subtrees) this.#push(level, hash);
  }

  /** The root of the tree of all leaves so far; the span must begin at the first. */
  root(): Hash {
    if (this.from !== 0) throw new RangeError(`leaves from ${this.from} on have no root of their own`);
    const last = this.#subtrees.at(-1);
    if (last === undefined) return emptyRoot;
    return this.#subtrees.slice(0, -1).reduceRight((right, [, hash]) => nodeHash(hash, right), last[1]);
  }

  toJSON(): SpanState {
    return { from: this.from, subtrees: [...this.#subtrees] };
  }

  /** Joins two subtrees of one size if the tree joins them. Sizes exceed 32 bits, so no shifts. */
  #push(level: number, hash: Hash): void {
    this.#to += 2 ** level;
    let [size, root] = [level, hash];
    for (;;) {
      const before = this.#subtrees.at(-1);
      if (before?.[0] !== size || this.#to % 2 ** (size + 1) !== 0) break;
      this.#subtrees.pop();
      [size, root] = [size + 1, nodeHash(before[1], root)];
    }
    this.#subtrees.push([size, root]);
  }
}

/** The tree over the current events of a ledger. Its leaves are counted from 0, wherever the events begin. */
export async function treeOf(ledger: Ledger, of: DigestsOf): Promise<Span> {
  const tree = new Span();
  for await (const digests of ledger.digests(of)) tree.addAll(digests);
  return tree;
}
