// Inclusion proofs of RFC 6962: the few hashes that lead from one leaf to the root. They are collected in one pass over the
// leaves, and verified with SHA-256 alone.
import { type Hash, leafHash, nodeHash, Span } from './span.ts';

/** A proof that one leaf belongs to a Merkle tree with this root; `isIncluded` checks it. */
export interface Inclusion {
  /** The index of the leaf, from 0. */
  readonly index: number;
  /** The number of leaves in the tree. */
  readonly size: number;
  readonly root: Hash;
  /** The hash of the sibling at each level, from the leaf up. */
  readonly path: Hash[];
}

/** A sibling on the path: the leaves it covers, and its side. */
interface Sibling {
  readonly from: number;
  readonly to: number;
  readonly side: 'left' | 'right';
  readonly tree: Span;
}

/** Takes all digests of a tree in order, and builds the proof for one of them. */
export class InclusionProof {
  readonly #index: number;
  readonly #size: number;
  readonly #siblings: readonly Sibling[];
  #leaf: Hash | null = null;
  #taken = 0;

  constructor(index: number, size: number) {
    if (index < 0 || index >= size) throw new RangeError(`a tree of ${size} leaves has no leaf ${index}`);
    this.#index = index;
    this.#size = size;
    this.#siblings = siblings(index, size);
  }

  add(digest: Hash): void {
    const at = this.#taken++;
    if (at === this.#index) this.#leaf = leafHash(digest);
    else this.#siblings.find(({ from, to }) => at >= from && at < to)?.tree.add(digest);
  }

  proof(): Inclusion {
    if (this.#leaf === null || this.#taken !== this.#size)
      throw new RangeError(`of ${this.#size} leaves, ${this.#taken} were given`);
    let root = this.#leaf;
    const path: Hash[] = [];
    for (const { side, tree } of this.#siblings) {
      const sibling = tree.root();
      path.push(sibling);
      root = side === 'left' ? nodeHash(sibling, root) : nodeHash(root, sibling);
    }
    return { index: this.#index, size: this.#size, root, path };
  }
}

/** From the leaf up; a tree is split at the largest power of two below its size. */
function siblings(index: number, size: number): readonly Sibling[] {
  const found: Sibling[] = [];
  let [from, to] = [0, size];
  while (to - from > 1) {
    const middle = from + 2 ** Math.floor(Math.log2(to - from - 1));
    const isLeft = index < middle;
    const [start, end] = isLeft ? [middle, to] : [from, middle];
    found.push({ from: start, to: end, side: isLeft ? 'right' : 'left', tree: new Span() });
    [from, to] = isLeft ? [from, middle] : [middle, to];
  }
  return found.reverse();
}

/** Whether the proof shows that an event with this digest is in the tree. */
export function isIncluded(digest: Hash, { index, size, root, path }: Inclusion): boolean {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size) || index < 0 || index >= size) return false;
  let hash = leafHash(digest);
  let [at, last] = [index, size - 1];
  for (const sibling of path) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      hash = nodeHash(sibling, hash);
      while (at % 2 === 0 && at !== 0) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
    } else {
      hash = nodeHash(hash, sibling);
    }
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 && hash === root;
}
