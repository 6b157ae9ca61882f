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

/** The events by type and version, and by place. */
type Met = Map<string, Set<string>>;

/**
 * Starts counting the events that are read from the ledger, each once, however often it is read. Returns a function for those so far,
 * sorted by type and version.
 */
export function countUnknown(ledger: Pick<Ledger, 'read' | 'readAll'>): () => readonly UnknownEvents[] {
  const met: Met = new Map();
  const { read, readAll } = ledger;
  ledger.read = (stream, options) => noting(met, read.call(ledger, stream, options));
  ledger.readAll = (options) => noting(met, readAll.call(ledger, options));
  return () => {
    const kinds = Array.from(met, ([kind, { size }]) => {
      const [type = '', version] = kind.split('\n');
      return { type, version: Number(version), events: size };
    });
    return kinds.sort((a, b) => (a.type === b.type ? a.version - b.version : a.type < b.type ? -1 : 1));
  };
}

async function* noting(met: Met, pages: AsyncIterable<readonly StoredEvent[]>): AsyncGenerator<readonly StoredEvent[]> {
  for await (const page of pages) {
    for (const event of page) if (!event.isKnown) note(met, event);
    yield page;
  }
}

function note(met: Met, { type, body, stream, revision }: StoredEvent): void {
  const version = Number(/"version":(\d+)\}$/.exec(body.slice(-40))?.[1]);
  if (Number.isNaN(version)) return;
  getOrCreate(met, `${type}\n${version}`, () => new Set()).add(`${stream} ${revision}`);
}
