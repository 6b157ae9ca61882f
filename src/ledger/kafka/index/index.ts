// What is known of a ledger in Kafka without asking Kafka: how far each lane was taken in, which of its offsets do not count,
// where the streams and the ids lie, in which order the blocks of all lanes stand.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Highs } from '../../remote/families.ts';
import type { StreamState } from '../admission.ts';
import type { Lanes } from '../lanes.ts';
import { Admitting, type LaneState, stateIn } from './admitting.ts';
import { IdCollection } from './id-collection.ts';
import { queries } from './queries.ts';
import { inWords } from './unusable.ts';

/** Where some events of a stream lie; ends included. */
export interface Span {
  readonly firstRevision: number;
  readonly lastRevision: number;
  readonly firstOffset: number;
  readonly lastOffset: number;
}

export interface StreamFound extends StreamState {
  readonly number: number;
  readonly name: string;
  readonly lane: number;
  /** The offset of its last event. */
  readonly at: number;
}

export interface Block {
  readonly first: number;
  readonly time: number;
}

export interface Refused {
  readonly lane: number;
  readonly first: number;
  readonly count: number;
  readonly why: string;
  readonly stream: string | null;
  readonly revision: number | null;
  readonly id: string | null;
  readonly digest: string | null;
  /** Of what is no event: why not, in words. */
  readonly because: string | null;
  readonly isCopied: boolean;
}

/** What is no event, or holds none: one record, or a batch that nobody can read. */
export interface Rejected {
  readonly first: number;
  readonly why: string;
}

/** Where an event with an id may be: in these revisions of a stream. */
export interface Candidate {
  readonly stream: string;
  readonly from: number;
  readonly to: number;
}

export class Index {
  readonly admitting: Admitting;
  readonly #db: DatabaseSync;
  readonly #statements = new Map<keyof typeof queries, StatementSync>();

  constructor(db: DatabaseSync, lanes: Lanes) {
    this.#db = db;
    this.admitting = inWords(db, () => new Admitting(db, lanes));
  }

  lane(lane: number): LaneState {
    return this.admitting.laneState(lane);
  }

  /** All of them at one moment. */
  lanes(): readonly LaneState[] {
    return this.#all('lanes');
  }

  /** Null for one that has no events. */
  stream(name: string): StreamFound | null {
    const row = this.#get('stream', name);
    if (row === undefined) return null;
    const own = { number: Number(row['stream']), name, lane: Number(row['lane']), at: Number(row['at']) };
    return { ...stateIn(row), ...own };
  }

  /** Up to a thousand streams whose names begin so, in the order of their names, behind `after`. */
  streams(prefix: string, after: string): readonly Pick<StreamFound, 'name' | 'lane' | 'next' | 'at'>[] {
    return this.#all('streams', prefix, `${prefix}\u{10ffff}`, after);
  }

  /** At most so many spans that hold revisions from one to another. */
  spans(stream: number, from: number, to: number, limit: number): readonly Span[] {
    return this.#all<Span>('spans', stream, stream, from, to, limit).filter((span) => span.lastRevision >= from);
  }

  spansBackwards(stream: number, from: number, to: number, limit: number): readonly Span[] {
    return this.#all('spansBack', stream, to, from, limit);
  }

  /** The offsets from `from` on and before `to` among which the stream's events lie. */
  offsets(stream: number, from: number, to: number): readonly { readonly first: number; readonly last: number }[] {
    return this.#all('offsets', stream, from, to);
  }

  /** The offsets from one on and before another that do not count. */
  refusedIn(lane: number, from: number, to: number): ReadonlySet<number> {
    const refused = new Set<number>();
    for (const { first, count } of this.#refusals(lane, from, to)) {
      const end = Math.min(first + count, to);
      for (let offset = Math.max(first, from); offset < end; offset++) refused.add(offset);
    }
    return refused;
  }

  /** How many events lie in a lane from one offset on and before another. */
  countIn(lane: number, from: number, to: number): number {
    if (to <= from) return 0;
    let events = to - from;
    for (const { first, count } of this.#refusals(lane, from, to)) {
      events -= Math.max(0, Math.min(first + count, to) - Math.max(first, from));
    }
    return events;
  }

  #refusals(lane: number, from: number, to: number): readonly { readonly first: number; readonly count: number }[] {
    const before = this.#all<{ first: number; count: number }>('refusedBefore', lane, from);
    return [
      ...before.filter(({ first, count }) => first + count > from),
      ...this.#all<{ first: number; count: number }>('refusedIn', lane, from, to),
    ];
  }

  /** Up to a thousand of those that do not count, behind an offset. */
  refused(lane: number, after: number): readonly Refused[] {
    const rows = this.#all<Omit<Refused, 'isCopied'> & { readonly isCopied: number }>('refused', lane, after);
    return rows.map((row) => ({ ...row, isCopied: row.isCopied === 1 }));
  }

  /** How many records are no events or hold none. */
  countRejected(): number {
    return Number(this.#get('rejected')?.['count']);
  }

  /** Those in which something lies that is to be copied. */
  lanesToCopy(): readonly number[] {
    return this.#all<{ lane: number }>('lanesToCopy').map(({ lane }) => lane);
  }

  /** Up to a thousand of them. */
  toCopy(lane: number): readonly Rejected[] {
    return this.#all('toCopy', lane);
  }

  /** What lies before an offset has been copied. */
  noteCopied(lane: number, before: number): void {
    inWords(this.#db, () => this.#statement('noteCopied').run(before, lane));
  }

  /** The blocks that have offsets from one on and before another. */
  blocks(lane: number, from: number, to: number): readonly (Block & { readonly before: number })[] {
    return this.#all('blocks', lane, lane, from, to);
  }

  /** Of another lane: the first offset that stands behind an event of this time and lane; null where none does. */
  firstBehind(lane: number, time: number, ofLane: number): number | null {
    const first = this.#get('laterBlock', lane, time, time, ofLane)?.['first'];
    return first == null ? null : Number(first);
  }

  /** Of the ids of a stream, the highest of each family. */
  highs(stream: number): Highs {
    const rows = this.#all<{ family: string; high: string }>('families', stream);
    return new Highs(new Map(rows.map(({ family, high }) => [family, high])));
  }

  /** The revisions of a stream among which an id is, if it is there at all; null where it is not. */
  placeOfId(stream: number, id: string): { readonly from: number; readonly to: number } | null {
    const single = this.#get('idIn', id, stream);
    if (single !== undefined) return { from: Number(single['revision']), to: Number(single['revision']) };
    const zone = this.#get('zoneOfId', stream, id);
    if (zone === undefined || String(zone['high']) < id) return null;
    return { from: Number(zone['from']), to: Number(zone['to']) };
  }

  /** Where events may be whose ids lie between these two. */
  candidates(low: string, high: string, limit: number): readonly Candidate[] {
    return [...this.#all<Candidate>('idsLike', low, high, limit), ...this.#all<Candidate>('zonesLike', high, low)];
  }

  /** To find ids that stand in more than one stream: as large as the ledger is long, and gone when this is closed. */
  collectIds(): IdCollection {
    return new IdCollection(this.#db);
  }

  close(): void {
    this.#db.close();
  }

  #statement(name: keyof typeof queries): StatementSync {
    let statement = this.#statements.get(name);
    if (statement === undefined) {
      statement = this.#db.prepare(queries[name]);
      this.#statements.set(name, statement);
    }
    return statement;
  }

  #get(name: keyof typeof queries, ...values: (string | number)[]): Record<string, unknown> | undefined {
    return inWords(this.#db, () => this.#statement(name).get(...values));
  }

  #all<Row>(name: keyof typeof queries, ...values: (string | number)[]): readonly Row[] {
    return inWords(this.#db, () => this.#statement(name).all(...values)) as Row[];
  }
}
