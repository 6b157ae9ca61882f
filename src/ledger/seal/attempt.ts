// The Merkle tree over one attempt's evidence, built while it is appended, so that a seal needs no second reading. Events from
// before this process are read once.
import type { Appended, Ledger } from '../ledger.ts';
import { Span, treeOf } from './span.ts';

/** What `EvidenceSealed` records of an attempt. */
export interface SealedAttempt {
  readonly stream: string;
  readonly count: number;
  readonly root: string;
}

/** Seals the first events of an attempt; later events do not count. */
export async function sealBeginning(ledger: Ledger, stream: string, count: number): Promise<SealedAttempt> {
  const tree = count > 0 ? await treeOf(ledger, { stream, from: 0, to: count - 1 }) : new Span();
  return { stream, count: tree.to, root: tree.root() };
}

/** Computes the Merkle root over the evidence of one attempt while it is appended. */
export class AttemptTree {
  readonly #ledger: Ledger;
  readonly #stream: string;
  readonly #tree = new Span();
  /** Appended but not hashed yet. */
  #waiting: string[] = [];
  /** The number of events in the tree or waiting. */
  #appended = 0;
  #hashing: NodeJS.Immediate | null = null;

  constructor(ledger: Ledger, stream: string) {
    this.#ledger = ledger;
    this.#stream = stream;
  }

  /**
   * Takes appended events of the attempt. Missing or out-of-order events are read when it is sealed. Hashing is deferred until
   * this thread is idle, for example while the store writes the next batch.
   */
  appended({ revision, existed, digests }: Appended): void {
    if (existed.includes(true) || this.#appended !== revision + 1 - existed.length) return;
    this.#appended += existed.length;
    this.#waiting.push(digests);
    this.#hashing ??= setImmediate(() => this.#hash());
  }

  /** Seals all events that the attempt has now. */
  async seal(): Promise<SealedAttempt> {
    this.#hash();
    for await (const digests of this.#ledger.digests({ stream: this.#stream, from: this.#tree.to })) {
      this.#tree.addAll(digests);
    }
    this.#appended = this.#tree.to;
    return { stream: this.#stream, count: this.#tree.to, root: this.#tree.root() };
  }

  #hash(): void {
    if (this.#hashing !== null) clearImmediate(this.#hashing);
    this.#hashing = null;
    for (const digests of this.#waiting) this.#tree.addAll(digests);
    this.#waiting = [];
  }
}
