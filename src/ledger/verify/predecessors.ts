// The event before an event in its stream: the last ones seen are remembered, any other is looked up. So a scan can begin
// anywhere, and its memory does not grow with the number of streams.

import type { Cursor } from '../event.ts';
import { eventAt, type Ledger } from '../ledger.ts';

export interface Predecessor {
  readonly revision: number;
  /** What its bytes hash to. */
  readonly hashed: string;
  /** What it is said to hash to: another value only where it is damaged, which is its own fault and not its successor's. */
  readonly said: string;
  /** Where it stands in the ledger; null where it has just come by, and so stands before. */
  readonly cursor: Cursor | null;
}

const kept = 10_000;

export class Predecessors {
  readonly #ledger: Ledger;
  readonly #last = new Map<string, Predecessor>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Where it has just come by; null where it must be looked up. */
  lastSeen(stream: string, revision: number): Predecessor | null {
    const last = this.#last.get(stream);
    return last?.revision === revision - 1 ? last : null;
  }

  /** It has just come by. */
  remember(stream: string, revision: number, hashed: string, said: string): void {
    if (!this.#last.has(stream) && this.#last.size >= kept) this.#last.clear();
    this.#last.set(stream, { revision, hashed, said, cursor: null });
  }

  /** Null when the event at the revision before is not there. Throws what keeps it from being read. */
  async lookUp(stream: string, revision: number): Promise<Predecessor | null> {
    if (revision === 0) return null;
    const before = revision - 1;
    const event = await eventAt(this.#ledger, { stream, revision: before });
    if (event === null) return null;
    return { revision: before, hashed: event.hashed, said: event.digest, cursor: event.cursor };
  }
}
