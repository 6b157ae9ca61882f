// The tree over one attempt's evidence, grown as it is appended, so that a seal costs no second reading. What was there
// before this process came is read once.
import type { Appended, Ledger } from '../ledger.ts';
import { Span } from './span.ts';

/** What `EvidenceSealed` says of an attempt. */
export interface SealedAttempt {
  readonly stream: string;
  readonly count: number;
  readonly root: string;
}

export class AttemptTree {
  readonly #ledger: Ledger;
  readonly #stream: string;
  readonly #tree = new Span();

  constructor(ledger: Ledger, stream: string) {
    this.#ledger = ledger;
    this.#stream = stream;
  }

  /** Tells of what was appended to the attempt. What is not told, or told out of order, is read when it is sealed. */
  appended({ revision, existed, digests }: Appended): void {
    if (existed.includes(true) || this.#tree.to !== revision + 1 - existed.length) return;
    this.#tree.addAll(digests);
  }

  /** Vouches for everything the attempt holds now. */
  async seal(): Promise<SealedAttempt> {
    for await (const digests of this.#ledger.digests({ stream: this.#stream, from: this.#tree.to })) {
      this.#tree.addAll(digests);
    }
    return { stream: this.#stream, count: this.#tree.to, root: this.#tree.root() };
  }
}
