// Counts the events that were read but whose type or version this icecore does not know. Code that folds events skips them, and
// has to report the count.
import { getOrCreate } from '../base/get-or-create.ts';
import type { Ledger } from './ledger.ts';
import type { StoredEvent } from './stored.ts';

/** The number of events of a type and version, one of which is unknown. */
export interface UnknownEvents {
  readonly type: string;
  readonly version: number;
  readonly events: number;
}

/** Counts each event once, however often it is read. */
export class UnknownEventCounter {
  readonly #met = new Map<string, Set<string>>();

  /** Starts counting the events that are read from the ledger. */
  watch(ledger: Pick<Ledger, 'read' | 'readAll'>): void {
    const read = ledger.read.bind(ledger);
    const readAll = ledger.readAll.bind(ledger);
    ledger.read = (stream, options) => this.#watching(read(stream, options));
    ledger.readAll = (options) => this.#watching(readAll(options));
  }

  /** Sorted by type and version. */
  get found(): readonly UnknownEvents[] {
    const kinds = Array.from(this.#met, ([kind, { size }]) => {
      const [type = '', version] = kind.split('\n');
      return { type, version: Number(version), events: size };
    });
    return kinds.sort((a, b) => (a.type === b.type ? a.version - b.version : a.type < b.type ? -1 : 1));
  }

  async *#watching(pages: AsyncIterable<readonly StoredEvent[]>): AsyncGenerator<readonly StoredEvent[]> {
    for await (const page of pages) {
      for (const event of page) this.#note(event);
      yield page;
    }
  }

  #note(event: StoredEvent): void {
    if (event.isKnown) return;
    const { type, body, stream, revision } = event;
    const version = Number(/"version":(\d+)\}$/.exec(body.slice(-40))?.[1]);
    if (Number.isNaN(version)) return;
    const kind = `${type}\n${version}`;
    getOrCreate(this.#met, kind, () => new Set()).add(`${stream} ${revision}`);
  }
}
