// Taking a page of a lane into the index: each of its records counts or is refused, in the order of the log, all of the page
// in one transaction. Whoever reads a page first does it; who comes later finds it done.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { after, newStream, type Refusal, refusalOf, type StreamState } from '../admission.ts';
import type { Lanes } from '../lanes.ts';
import type { FoundRecord, UnreadableBatch } from '../transport/transport.ts';
import { holdsAnEvent, type Placed, Placing } from '../wire.ts';
import { SpanKeeper } from './spans.ts';
import { inWords, meaningOf } from './unusable.ts';
import { ZoneKeeper } from './zones.ts';

export interface Page {
  readonly lane: number;
  /** The offset that was asked for, and the one to go on from. */
  readonly from: number;
  readonly next: number;
  readonly records: readonly FoundRecord[];
  readonly unreadable: readonly UnreadableBatch[];
}

/** A record that counts, and the time of its block. */
export interface Admitted {
  readonly record: FoundRecord;
  readonly placed: Placed;
  readonly time: number;
}

/** A page taken in: what of it counts, and whether some of it is no event or holds none. */
export interface Taken {
  readonly events: readonly Admitted[];
  readonly hasRejected: boolean;
}

/** A lane as far as the index knows it. */
export interface LaneState {
  readonly next: number;
  readonly events: number;
  readonly latest: number;
}

interface Known {
  readonly number: number;
  state: StreamState;
  readonly spans: SpanKeeper;
  readonly zones: ZoneKeeper;
}

/** A block ends when its lane's time has gone on by so much, or when it is so long. */
const blockMs = 5;
const blockOffsets = 1024;

export class Admitting {
  readonly #db: DatabaseSync;
  readonly #lanes: Lanes;
  readonly #lane: StatementSync;
  readonly #moveLane: StatementSync;
  readonly #block: StatementSync;
  readonly #insertBlock: StatementSync;
  readonly #stream: StatementSync;
  readonly #insertStream: StatementSync;
  readonly #moveStream: StatementSync;
  readonly #refuse: StatementSync;
  readonly #reject: StatementSync;

  constructor(db: DatabaseSync, lanes: Lanes) {
    this.#db = db;
    this.#lanes = lanes;
    this.#lane = db.prepare('SELECT next, events, latest FROM lanes WHERE lane = ?');
    this.#moveLane = db.prepare('UPDATE lanes SET next = ?, events = ?, latest = ? WHERE lane = ?');
    this.#block = db.prepare('SELECT first, time FROM blocks WHERE lane = ? ORDER BY first DESC LIMIT 1');
    this.#insertBlock = db.prepare('INSERT INTO blocks (lane, first, time, before) VALUES (?, ?, ?, ?)');
    this.#stream = db.prepare('SELECT stream, next, last, epoch, session FROM streams WHERE name = ?');
    this.#insertStream = db.prepare(
      "INSERT INTO streams (name, lane, next, last, at) VALUES (?, ?, 0, '', 0) RETURNING stream",
    );
    this.#moveStream = db.prepare(
      'UPDATE streams SET next = ?, last = ?, epoch = ?, session = ?, at = ? WHERE stream = ?',
    );
    this.#refuse = db.prepare(
      'INSERT INTO refused (lane, first, count, why, stream, revision, id, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#reject = db.prepare('INSERT INTO rejected (lane, first, count, why) VALUES (?, ?, ?, ?)');
  }

  laneState(lane: number): LaneState {
    const { next, events, latest } = inWords(this.#db, () => this.#lane.get(lane)) as Record<string, number>;
    return { next: Number(next), events: Number(events), latest: Number(latest) };
  }

  /** Null where the lane stands elsewhere by now: somebody else has taken it, or more. Meets a lock before it does anything. */
  admit(page: Page): Taken | null {
    inWords(this.#db, () => this.#db.exec('BEGIN IMMEDIATE'));
    try {
      const lane = this.laneState(page.lane);
      const admitted = lane.next === page.from ? this.#admit(page, lane) : null;
      this.#db.exec('COMMIT');
      return admitted;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw meaningOf(this.#db, error);
    }
  }

  #admit(page: Page, lane: LaneState): Taken {
    const admitted: Admitted[] = [];
    let hasRejected = page.unreadable.length > 0;
    const streams = new Map<string, Known>();
    const placing = new Placing();
    let block = this.#block.get(page.lane) as { first: number; time: number } | undefined;
    let { latest } = lane;
    let expected = page.from;
    for (const record of page.records) {
      const { offset } = record;
      if (offset > expected) this.#refuseWithout(page, expected, offset);
      expected = offset + 1;
      const placed = placing.placedIn(record);
      const known = typeof placed === 'string' ? null : this.#known(streams, placed.stream, page.lane);
      if (typeof placed === 'string' || known === null) {
        const why = typeof placed === 'string' ? placed : 'its stream lies in another partition';
        this.#refuseForeign(page.lane, { first: offset, count: 1, why });
        hasRejected = true;
        continue;
      }
      const why = refusalOf(placed, known.state);
      if (why !== null) {
        this.#refuse.run(page.lane, offset, 1, why, placed.stream, placed.revision, placed.id, placed.digest);
        continue;
      }
      latest = Math.max(latest, record.timestamp);
      if (block === undefined || latest - block.time >= blockMs || offset - block.first >= blockOffsets) {
        block = { first: offset, time: latest };
        this.#insertBlock.run(page.lane, offset, latest, lane.events + admitted.length);
      }
      this.#take(known, placed, record);
      if (!holdsAnEvent(record)) {
        this.#reject.run(page.lane, offset, 1, 'its value is no event');
        hasRejected = true;
      }
      admitted.push({ record, placed, time: block.time });
    }
    if (page.next > expected) this.#refuseWithout(page, expected, page.next);
    for (const known of streams.values()) this.#keep(known);
    this.#moveLane.run(page.next, lane.events + admitted.length, latest, page.lane);
    return { events: admitted, hasRejected };
  }

  /** Offsets without records: nothing of anybody's, or batches that nobody can read. */
  #refuseWithout({ lane, unreadable }: Page, from: number, to: number): void {
    let expected = from;
    for (const batch of unreadable) {
      if (batch.first < from || batch.first >= to) continue;
      this.#refuseEmpty(lane, expected, batch.first - expected);
      this.#refuseForeign(lane, batch);
      expected = batch.first + batch.count;
    }
    this.#refuseEmpty(lane, expected, to - expected);
  }

  #refuseEmpty(lane: number, first: number, count: number): void {
    if (count > 0) this.#refuse.run(lane, first, count, 'empty' satisfies Refusal, null, null, null, null);
  }

  #refuseForeign(lane: number, { first, count, why }: UnreadableBatch): void {
    this.#refuse.run(lane, first, count, 'foreign' satisfies Refusal, null, null, null, null);
    this.#reject.run(lane, first, count, why);
  }

  /** Null where the stream's events lie in another lane: whoever sent this one chose the partition otherwise. */
  #known(streams: Map<string, Known>, name: string, lane: number): Known | null {
    const known = streams.get(name);
    if (known !== undefined) return known;
    if (this.#lanes.ofStream(name)?.number !== lane) return null;
    const found = this.#lookUp(name, lane);
    streams.set(name, found);
    return found;
  }

  #lookUp(name: string, lane: number): Known {
    const row = this.#stream.get(name) ?? this.#insertStream.get(name, lane);
    const number = Number(row?.['stream']);
    const state = row?.['next'] === undefined ? newStream : stateIn(row);
    return { number, state, spans: new SpanKeeper(this.#db, number), zones: new ZoneKeeper(this.#db, number) };
  }

  #take(known: Known, placed: Placed, { offset, value }: FoundRecord): void {
    known.spans.add(placed.revision, offset, value?.length ?? 0);
    known.zones.add(placed.id, placed.revision);
    known.state = after(placed);
  }

  #keep({ number, state, spans, zones }: Known): void {
    const last = spans.keep();
    if (last === null) return;
    zones.keep();
    const { epoch, session } = state.writer ?? { epoch: null, session: null };
    this.#moveStream.run(state.next, state.last ?? '', epoch, session, last, number);
  }
}

export function stateIn(row: Readonly<Record<string, unknown>>): StreamState {
  const { next, last, epoch, session } = row;
  const writer = epoch === null ? null : { epoch: Number(epoch), session: String(session) };
  return { next: Number(next), last: String(last) || null, writer };
}
