// Which blobs a ledger says were erased. Asked again, it reads only what was recorded since.
import type { Cursor } from './cursor.ts';
import type { Ledger } from './ledger.ts';
import { placeOf } from './places.ts';
import type { StoredEvent } from './stored.ts';

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
      for (const event of events) for (const blob of erasedBy(event)) this.#by.set(blob, placeOf(event));
    }
    this.#looked = cursor;
    return this.#by;
  }
}

/** None where the event cannot be read: a verification says what is wrong with it. */
function erasedBy(event: StoredEvent): readonly string[] {
  try {
    const { reading } = event;
    return reading.known && reading.type === 'Redacted' ? reading.data.erased.map(({ blob }) => blob) : [];
  } catch {
    return [];
  }
}
