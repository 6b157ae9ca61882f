// Which blobs a ledger says were erased. Asked again, it reads only what was recorded since.
import type { Cursor } from '../../ledger/cursor.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';

export class Erasures {
  readonly #ledger: Ledger;
  readonly #by = new Map<string, string>();
  #looked: Cursor | undefined;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** By blob, the place of the last event that says so. */
  async look(): Promise<ReadonlyMap<string, string>> {
    const { cursor } = await this.#ledger.head();
    if (cursor === this.#looked) return this.#by;
    const since = this.#looked === undefined ? {} : { after: this.#looked };
    for await (const events of this.#ledger.readAll({ types: ['Redacted'], ...since, until: cursor })) {
      for (const event of events)
        for (const blob of erasedBy(event)) this.#by.set(blob, `${event.stream}@${event.revision}`);
    }
    this.#looked = cursor;
    return this.#by;
  }
}

function erasedBy({ reading }: StoredEvent): readonly string[] {
  return reading.known && reading.type === 'Redacted' ? reading.data.erased.map(({ blob }) => blob) : [];
}
