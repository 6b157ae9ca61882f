// Which events were read whose type or version this icecore does not know: whoever folds events leaves them out, and has to
// say so.
import type { Ledger } from './ledger.ts';
import type { StoredEvent } from './stored.ts';

/** How many events there are of a type in a version, where one of the two is not known. */
export interface UnknownEvents {
  readonly type: string;
  readonly version: number;
  readonly events: number;
}

/** Counts each of them once, however often it is read. */
export class UnknownWatch {
  readonly #met = new Map<string, Set<string>>();

  /** From now on, what is read of the ledger is counted. */
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
    const places = this.#met.get(kind) ?? new Set();
    this.#met.set(kind, places.add(`${stream} ${revision}`));
  }
}
