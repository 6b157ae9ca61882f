// Tracks which attempts are reported by run events, with their numbers of events: the first AttemptFinished or EvidenceSealed that
// names an attempt reports it. They are few, one for thousands of rollouts, so all are kept in memory, and new ones are read on
// demand.
import { parseStream, streamOf } from '../../../schemas/streams.ts';
import { BadCursor } from '../errors.ts';
import { type Cursor, type CursorOrder, placeOf } from '../event.ts';
import type { EvidencePlace, Head } from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';
import { Turns } from '../turns.ts';
import type { Store } from './parts.ts';

/** A place in the whole ledger: a run event, and the number of read events of the evidence that it reports. */
export interface Place {
  /** A cursor of the store of run events; null: before the first of them. */
  readonly run: Cursor | null;
  /** The number of events of the evidence that the run event reports. */
  readonly events: number;
}

export const beginning: Place = { run: null, events: 0 };

export class Cursors {
  readonly #ledger: string;
  readonly #url: string;
  readonly #compareRun: (a: Cursor, b: Cursor) => CursorOrder;

  constructor(ledger: string, url: string, compareRun: (a: Cursor, b: Cursor) => CursorOrder) {
    this.#ledger = ledger;
    this.#url = url;
    this.#compareRun = compareRun;
  }

  /** `ledger@12+57`: the cursor of the run event, whose store has the same id, and the number of events. */
  write({ run, events }: Place): Cursor {
    return `${run ?? `${this.#ledger}@`}${events > 0 ? `+${events}` : ''}`;
  }

  /** Throws BadCursor for a cursor of another ledger; the store of run events checks its own part. */
  read(cursor: Cursor): Place {
    const [, owner, run = '', events = '0'] = /^([^@+]+)@([^@+]*)(?:\+([1-9][0-9]{0,14}))?$/.exec(cursor) ?? [];
    if (owner === undefined || (run === '' && events !== '0')) throw this.bad(cursor, 'it has another form');
    if (owner !== this.#ledger) throw this.bad(cursor, `it belongs to ledger ${owner}, this is ${this.#ledger}`);
    return { run: run === '' ? null : `${owner}@${run}`, events: Number(events) };
  }

  bad(cursor: Cursor, why: string): BadCursor {
    return new BadCursor(cursor, this.#url, why);
  }

  compare(a: Place, b: Place): CursorOrder {
    const order = this.#compareRuns(a.run, b.run);
    if (order !== 'equal' || a.events === b.events) return order;
    return a.events < b.events ? 'before' : 'after';
  }

  /** The same event with its place in the whole ledger. */
  placed(event: StoredEvent, place: Place): StoredEvent {
    return event.at(this.write(place));
  }

  #compareRuns(a: Cursor | null, b: Cursor | null): CursorOrder {
    if (a === null || b === null) return a === b ? 'equal' : a === null ? 'before' : 'after';
    return this.#compareRun(a, b);
  }
}

/** A run event that reports evidence. */
export interface Report {
  /** A cursor of the store of run events. */
  readonly cursor: Cursor;
  readonly stream: string;
  readonly revision: number;
  readonly run: string;
  /** In the order in which they are read after it. */
  readonly attempts: readonly Attempt[];
  /** The number of events of all of them together. */
  readonly events: number;
}

export interface Attempt {
  readonly stream: string;
  readonly count: number;
  readonly root: string;
  readonly place: EvidencePlace | null;
  readonly report: Report;
  /** The number of events of the attempts before it in the same report. */
  readonly offset: number;
}

type Named = Pick<Attempt, 'stream' | 'count' | 'root' | 'place'>;

export const reportingTypes: readonly string[] = ['AttemptFinished', 'EvidenceSealed'];

export class Reports {
  readonly #store: Store;
  readonly #cursors: Cursors;
  /** In the order of the run events. */
  readonly #reports: Report[] = [];
  readonly #byPlace = new Map<string, Report>();
  readonly #attempts = new Map<string, Attempt>();
  /** Attempts that were named, including those without events. */
  readonly #named = new Set<string>();
  #events = 0;
  #seen: Cursor | null = null;
  readonly #turns = new Turns();

  constructor(store: Store, cursors: Cursors) {
    this.#store = store;
    this.#cursors = cursors;
  }

  get attempts(): Iterable<Attempt> {
    return this.#attempts.values();
  }

  attempt(stream: string): Attempt | null {
    return this.#attempts.get(stream) ?? null;
  }

  /** Reads new reports, and the head of the whole ledger. */
  async refresh(): Promise<Head> {
    return await this.#turns.take(() => this.#readNew(), undefined);
  }

  async #readNew(): Promise<Head> {
    const head = await this.#store.ask((ledger) => ledger.head());
    const seen = this.#seen;
    if (seen === null || this.#compare(seen, head.cursor) === 'before') {
      const span = { until: head.cursor, after: seen ?? undefined };
      const found: StoredEvent[] = [];
      for await (const events of this.#store.pages((ledger) => ledger.readAll({ types: reportingTypes, ...span })))
        found.push(...events);
      for (const event of found) this.#take(event);
      this.#seen = head.cursor;
    }
    return { cursor: this.endOf(head.cursor), events: head.events + this.#events };
  }

  #compare(a: Cursor, b: Cursor): string {
    return this.#cursors.compare({ run: a, events: 0 }, { run: b, events: 0 });
  }

  #take(event: StoredEvent): void {
    const fresh = namedBy(event).filter(({ stream }) => !this.#named.has(stream) && this.#named.add(stream));
    const counting = fresh.filter(({ count }) => count > 0);
    if (counting.length === 0) return;
    const { cursor, stream, revision } = event;
    const attempts: Attempt[] = [];
    const events = counting.reduce((sum, { count }) => sum + count, 0);
    const run = stream.slice(stream.indexOf('-') + 1);
    const report: Report = { cursor, stream, revision, run, attempts, events };
    let offset = 0;
    for (const named of counting) {
      const attempt = { ...named, report, offset };
      attempts.push(attempt);
      this.#attempts.set(named.stream, attempt);
      offset += named.count;
    }
    this.#reports.push(report);
    this.#byPlace.set(placeOf(report), report);
    this.#events += events;
  }

  /** The report of a run event; null: it reports nothing new. */
  async by(event: StoredEvent): Promise<Report | null> {
    if (!reportingTypes.includes(event.type)) return null;
    await this.#reach(event.cursor);
    return this.#byPlace.get(placeOf(event)) ?? null;
  }

  /** The end of the read part of the run events, with the evidence reported there. */
  async reached(cursor: Cursor): Promise<Cursor> {
    await this.#reach(cursor);
    return this.endOf(cursor);
  }

  async #reach(cursor: Cursor): Promise<void> {
    if (this.#seen === null || this.#compare(this.#seen, cursor) === 'before') await this.refresh();
  }

  /** The place after a run event and all evidence that it reports. */
  endOf(cursor: Cursor): Cursor {
    return this.#cursors.write({ run: cursor, events: this.at(cursor)?.events ?? 0 });
  }

  /** The report at this cursor of the run events' store. */
  at(cursor: Cursor): Report | null {
    let [low, high] = [0, this.#reports.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare((this.#reports[middle] as Report).cursor, cursor) === 'before') low = middle + 1;
      else high = middle;
    }
    const found = this.#reports[low];
    return found !== undefined && this.#compare(found.cursor, cursor) === 'equal' ? found : null;
  }

  /** Throws BadCursor if no evidence is reported there. */
  placeAt(cursor: Cursor | null | undefined): Place {
    if (cursor === undefined || cursor === null) return beginning;
    const place = this.#cursors.read(cursor);
    const reported = place.run === null || place.events === 0 ? 0 : (this.at(place.run)?.events ?? 0);
    if (place.events > reported) throw this.#cursors.bad(cursor, `only ${reported} events are reported there`);
    return place;
  }
}

/** A damaged event reports nothing; `verify` describes the damage. */
function namedBy(event: StoredEvent): readonly Named[] {
  try {
    const { reading, envelope } = event;
    const name = parseStream(event.stream);
    if (!reading.known || name === null || envelope.stage === null) return [];
    if (reading.type === 'EvidenceSealed' && (name.category === 'run' || name.category === 'ablation'))
      return reading.data.attempts.filter(isWhole).map((attempt) => ({ ...attempt, place: null }));
    if (reading.type !== 'AttemptFinished' || name.category !== 'work') return [];
    const { part, attempt, count, root, place = null } = reading.data;
    return [{ stream: streamOf.evidence(name.run, envelope.stage, part, attempt), count, root, place }].filter(isWhole);
  } catch {
    return [];
  }
}

function isWhole({ stream, count }: Pick<Named, 'stream' | 'count'>): boolean {
  return parseStream(stream)?.category === 'evidence' && Number.isSafeInteger(count) && count >= 0;
}
