// Tracks which attempts are reported by run events, with their numbers of events: the first AttemptFinished or EvidenceSealed that
// names an attempt reports it. They are few, one for thousands of rollouts, so all are kept in memory, and new ones are read on
// demand.
import { parseStream, streamOf } from '../../../schemas/streams.ts';
import { BadCursor } from '../errors.ts';
import type { Cursor, CursorOrder } from '../event.ts';
import type { EvidencePlace, Head, Ledger } from '../ledger.ts';
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

/** A run event that reports evidence. */
export interface Report {
  /** A cursor of the store of run events. */
  readonly cursor: Cursor;
  readonly stream: string;
  readonly revision: number;
  /** In the order in which they are read after it. */
  readonly attempts: readonly Attempt[];
  /** The number of events of all of them together. */
  readonly events: number;
}

interface Named {
  readonly stream: string;
  readonly count: number;
  readonly root: string;
  /** Undefined: unknown. */
  readonly place?: EvidencePlace | undefined;
}

export interface Attempt extends Named {
  readonly report: Report;
  /** The number of events of the attempts before it in the same report. */
  readonly offset: number;
}

export const reportingTypes: readonly string[] = ['AttemptFinished', 'EvidenceSealed'];

/** The reports, and with them the order of the whole ledger: the cursor of a run event is that of its store. */
export class Reports {
  readonly #decisions: Ledger;
  readonly #store: Store;
  readonly url: string;
  readonly #reports = new Map<Cursor, Report>();
  readonly #attempts = new Map<string, Attempt>();
  /** Attempts that were named, including those without events. */
  readonly #named = new Set<string>();
  #events = 0;
  #seen: Cursor | null = null;
  readonly #turns = new Turns();

  /** `url` is that of the whole ledger. */
  constructor(decisions: Ledger, store: Store, url: string) {
    this.#decisions = decisions;
    this.#store = store;
    this.url = url;
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
    if (this.#isUnseen(head.cursor)) {
      const options = { types: reportingTypes, until: head.cursor, after: this.#seen ?? undefined };
      const found: StoredEvent[] = [];
      for await (const events of this.#store.pages((ledger) => ledger.readAll(options))) found.push(...events);
      for (const event of found) this.#take(event);
      this.#seen = head.cursor;
    }
    return { cursor: this.endOf(head.cursor), events: head.events + this.#events };
  }

  #isUnseen(cursor: Cursor): boolean {
    return this.#compareRuns(this.#seen, cursor) === 'before';
  }

  #take(event: StoredEvent): void {
    const { cursor, stream, revision } = event;
    const attempts: Attempt[] = [];
    const report = { cursor, stream, revision, attempts, events: 0 };
    for (const named of namedBy(event)) {
      if (this.#named.has(named.stream)) continue;
      this.#named.add(named.stream);
      if (named.count === 0) continue;
      const attempt = { ...named, report, offset: report.events };
      attempts.push(attempt);
      this.#attempts.set(named.stream, attempt);
      report.events += named.count;
    }
    if (report.events > 0) this.#reports.set(cursor, report);
    this.#events += report.events;
  }

  /** The report of a run event; null: it reports nothing new. */
  async by({ type, cursor }: StoredEvent): Promise<Report | null> {
    if (!reportingTypes.includes(type)) return null;
    if (this.#isUnseen(cursor)) await this.refresh();
    return this.at(cursor);
  }

  /** The end of the read part of the run events, with the evidence reported there. */
  async reached(cursor: Cursor): Promise<Cursor> {
    if (this.#isUnseen(cursor)) await this.refresh();
    return this.endOf(cursor);
  }

  /** The place after a run event and all evidence that it reports. */
  endOf(cursor: Cursor): Cursor {
    return this.write({ run: cursor, events: this.at(cursor)?.events ?? 0 });
  }

  /** The report at this cursor of the run events' store. */
  at(cursor: Cursor): Report | null {
    return this.#reports.get(cursor) ?? null;
  }

  /** Throws BadCursor if no evidence is reported there. */
  placeAt(cursor: Cursor | undefined): Place {
    if (cursor === undefined) return beginning;
    const place = this.read(cursor);
    const reported = place.run === null ? 0 : (this.at(place.run)?.events ?? 0);
    if (place.events > reported) throw this.bad(cursor, `only ${reported} events are reported there`);
    return place;
  }

  /** `ledger@12+57`: the cursor of the run event, whose store has the same id, and the number of events. */
  write({ run, events }: Place): Cursor {
    return `${run ?? `${this.#decisions.id}@`}${events > 0 ? `+${events}` : ''}`;
  }

  get beginning(): Cursor {
    return this.write(beginning);
  }

  /** After this number of events of an attempt. */
  within({ report, offset }: Pick<Attempt, 'report' | 'offset'>, events: number): Cursor {
    return this.write({ run: report.cursor, events: offset + events });
  }

  /** Throws BadCursor for a cursor of another ledger; the store of run events checks its own part. */
  read(cursor: Cursor): Place {
    const { id } = this.#decisions;
    const [, owner, run = '', events = '0'] = /^([^@+]+)@([^@+]*)(?:\+([1-9][0-9]{0,14}))?$/.exec(cursor) ?? [];
    if (owner === undefined || (run === '' && events !== '0')) throw this.bad(cursor, 'it has another form');
    if (owner !== id) throw this.bad(cursor, `it belongs to ledger ${owner}, this is ${id}`);
    return { run: run === '' ? null : `${owner}@${run}`, events: Number(events) };
  }

  bad(cursor: Cursor, why: string): BadCursor {
    return new BadCursor(cursor, this.url, why);
  }

  compare(a: Place, b: Place): CursorOrder {
    const order = this.#compareRuns(a.run, b.run);
    if (order !== 'equal' || a.events === b.events) return order;
    return a.events < b.events ? 'before' : 'after';
  }

  #compareRuns(a: Cursor | null, b: Cursor | null): CursorOrder {
    if (a === null || b === null) return a === b ? 'equal' : a === null ? 'before' : 'after';
    return this.#decisions.compareCursors(a, b);
  }
}

/** A damaged event reports nothing; `verify` describes the damage. */
function namedBy(event: StoredEvent): readonly Named[] {
  try {
    const { reading, envelope } = event;
    const name = parseStream(event.stream);
    if (!reading.known || name === null || envelope.stage === null) return [];
    if (reading.type === 'EvidenceSealed' && (name.category === 'run' || name.category === 'ablation'))
      return reading.data.attempts.filter(isWhole);
    if (reading.type !== 'AttemptFinished' || name.category !== 'work') return [];
    const { part, attempt, count, root, place } = reading.data;
    return [{ stream: streamOf.evidence(name.run, envelope.stage, part, attempt), count, root, place }].filter(isWhole);
  } catch {
    return [];
  }
}

function isWhole({ stream, count }: Pick<Named, 'stream' | 'count'>): boolean {
  return parseStream(stream)?.category === 'evidence' && Number.isSafeInteger(count) && count >= 0;
}
