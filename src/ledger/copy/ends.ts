// How far the streams of a copy go: looked up once each, and kept up as they grow.
import type { Ledger } from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';

const remembered = 10_000;

export class Ends {
  readonly #ledger: Ledger;
  readonly #last = new Map<string, number>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** The events that the copy does not have. Those it has are held against the original at the end. */
  async missing(events: readonly StoredEvent[]): Promise<readonly StoredEvent[]> {
    const missing: StoredEvent[] = [];
    for (const event of events) {
      const last = this.#last.get(event.stream) ?? (await this.#lookUp(event.stream));
      if (event.revision <= last) continue;
      missing.push(event);
      this.#last.set(event.stream, event.revision);
    }
    return missing;
  }

  async #lookUp(stream: string): Promise<number> {
    if (this.#last.size >= remembered) this.#last.clear();
    let last = -1;
    for await (const [event] of this.#ledger.read(stream, { backwards: true, limit: 1 })) last = event?.revision ?? -1;
    this.#last.set(stream, last);
    return last;
  }
}
