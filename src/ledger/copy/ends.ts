// How far the streams of a copy go: looked up once each, and kept up as they grow.
import { type Ledger, lastOf } from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';

const remembered = 10_000;

export interface Divided {
  readonly there: readonly StoredEvent[];
  readonly missing: readonly StoredEvent[];
}

export class Ends {
  readonly #ledger: Ledger;
  readonly #last = new Map<string, number>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Events that the copy has, and events to be stored at once. */
  async divide(events: readonly StoredEvent[]): Promise<Divided> {
    const there: StoredEvent[] = [];
    const missing: StoredEvent[] = [];
    for (const event of events) {
      const last = this.#last.get(event.stream) ?? (await this.#lookUp(event.stream));
      if (event.revision <= last) {
        there.push(event);
      } else {
        missing.push(event);
        this.#remember(event.stream, event.revision);
      }
    }
    return { there, missing };
  }

  async #lookUp(stream: string): Promise<number> {
    const last = (await lastOf(this.#ledger, stream))?.revision ?? -1;
    this.#remember(stream, last);
    return last;
  }

  #remember(stream: string, last: number): void {
    if (!this.#last.has(stream) && this.#last.size >= remembered) this.#last.clear();
    this.#last.set(stream, last);
  }
}
