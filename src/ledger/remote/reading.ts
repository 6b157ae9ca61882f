// Reads a log as a ledger: positions become cursors, and pages are filtered. Reading everything backwards merges the streams from
// their ends, so that the last events of a large log are cheap.

import { MergeHeap } from '../../base/merge-heap.ts';
import { BadCursor, unsupportedByStore } from '../errors.ts';
import { type Cursor, type CursorOrder, plainId } from '../event.ts';
import type { Delivery, ReadAllOptions, ReadOptions, SubscribeOptions } from '../ledger.ts';
import { StoredEvent } from '../stored.ts';
import { BadPosition } from './errors.ts';
import { type FoundEvent, inPages, type Page, type Position, type ServerLog } from './log.ts';
import type { Calls } from './retry.ts';

export class Reading {
  readonly #calls: Calls;
  readonly #log: ServerLog;

  constructor(calls: Calls) {
    this.#calls = calls;
    this.#log = calls.log;
  }

  cursorAt(position: Position | null): Cursor {
    return `${this.#log.ledger}@${position ?? 0}`;
  }

  compare(a: Cursor, b: Cursor): CursorOrder {
    const [first, second] = [this.#positionOf(a), this.#positionOf(b)];
    if (first === null || second === null) return first === second ? 'equal' : first === null ? 'before' : 'after';
    return this.#log.comparePositions(first, second);
  }

  async *stream(stream: string, options: ReadOptions, signal: AbortSignal): AsyncGenerator<readonly StoredEvent[]> {
    const { from = 0, to, backwards = false, limit } = options;
    if (backwards) this.#requireBackwards();
    if (limit === 0 || from > (to ?? Number.POSITIVE_INFINITY)) return;
    const range = { from, to, backwards, limit };
    for await (const events of this.#calls.readStream(stream, range, signal)) yield events.map(this.stored);
  }

  async *all(options: ReadAllOptions, signal: AbortSignal): AsyncGenerator<readonly StoredEvent[]> {
    const { after, until, types, streams, backwards = false, limit = Number.POSITIVE_INFINITY } = options;
    const [start, end] = [this.#positionOf(after), this.#positionOf(until)];
    if (backwards) this.#requireBackwards();
    if (limit === 0 || types?.length === 0 || streams?.length === 0) return;
    if (until !== undefined && end === null) return;
    const pages = backwards
      ? inPages(this.#latestFirst(start, options, signal), Math.min(limit, 500))
      : eventsOf(this.#forwards({ after: start, until: end ?? undefined, live: false }, options, signal));
    let left = limit;
    for await (const events of pages) {
      yield events.slice(0, left).map(this.stored);
      left -= events.length;
      if (left <= 0) return;
    }
  }

  /** Ends when the signal aborts. */
  async *live(options: SubscribeOptions, signal: AbortSignal): AsyncGenerator<Delivery> {
    let delivered: Cursor | null = null;
    const after = this.#positionOf(options.after);
    try {
      for await (const { events, position, isCaughtUp } of this.#forwards({ after, live: true }, options, signal)) {
        const cursor = this.cursorAt(position);
        if (events.length > 0) yield { kind: 'events', events: events.map(this.stored), cursor };
        if (!isCaughtUp || cursor === delivered) continue;
        delivered = cursor;
        yield { kind: 'caught-up', cursor };
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  readonly stored = (event: FoundEvent): StoredEvent => {
    const { stream, revision, type, id, recordedMs, digest, body, position } = event;
    const cursor = this.cursorAt(position);
    return new StoredEvent(stream, revision, type, plainId(id), recordedMs, digest, body, cursor, digest);
  };

  async *#forwards(
    options: Parameters<ServerLog['follow']>[0],
    filter: Filter,
    signal: AbortSignal,
  ): AsyncGenerator<Page> {
    const isMatch = matcher(filter);
    try {
      for await (const page of this.#calls.follow(options, signal)) {
        yield { ...page, events: page.events.filter(isMatch) };
      }
    } catch (error) {
      throw this.#cursorError(error);
    }
  }

  /** The events of all streams by time of recording, the last one first. */
  async *#latestFirst(before: Position | null, filter: Filter, signal: AbortSignal): AsyncGenerator<FoundEvent> {
    const compare = this.#log.comparePositions.bind(this.#log);
    const isMatch = matcher(filter);
    const streams: Backwards[] = [];
    for (const { stream, position } of await this.#calls.make((log) => log.streams('', signal), signal)) {
      if (filter.streams?.includes(stream) !== false) streams.push({ stream, position, events: null, event: null });
    }
    const latest = new MergeHeap(streams, (a, b) => compare(a.position, b.position) === 'after');
    try {
      for (let last = latest.first; last !== undefined; last = latest.first) {
        last.events ??= this.#eachBackwards(last.stream, signal);
        const event = last.event ?? (await last.events.next()).value;
        const isBefore = event !== undefined && (before === null || compare(event.position, before) === 'before');
        if (isBefore && isMatch(event)) yield event;
        const next = event === undefined ? undefined : (await last.events.next()).value;
        if (next === undefined) latest.removeFirst();
        else {
          last.event = next;
          last.position = next.position;
          latest.moved();
        }
      }
    } finally {
      for (const { events } of streams) await events?.return(undefined);
    }
  }

  async *#eachBackwards(stream: string, signal: AbortSignal): AsyncGenerator<FoundEvent, undefined> {
    for await (const events of this.#calls.readStream(stream, { from: 0, backwards: true }, signal)) yield* events;
    return undefined;
  }

  #requireBackwards(): void {
    const { url, traits } = this.#log;
    if (traits.attempts === 'reported') throw unsupportedByStore(url, 'read backwards');
  }

  /** Null: the beginning. Throws BadCursor. */
  #positionOf(cursor: Cursor | null | undefined): Position | null {
    if (cursor === undefined || cursor === null) return null;
    const { ledger, url } = this.#log;
    const [, owner, position] = /^([^@]+)@(.+)$/.exec(cursor) ?? [];
    if (position === undefined) throw new BadCursor(cursor, url, 'it has another form');
    if (owner !== ledger) throw new BadCursor(cursor, url, `it belongs to ledger ${owner}, this is ${ledger}`);
    if (position === '0') return null;
    try {
      this.#log.comparePositions(position, position);
    } catch (error) {
      throw this.#cursorError(error);
    }
    return position;
  }

  #cursorError(error: unknown): unknown {
    if (!(error instanceof BadPosition)) return error;
    return new BadCursor(this.cursorAt(error.position), this.#log.url, error.message);
  }
}

/** The unread rest of a stream. */
interface Backwards {
  readonly stream: string;
  /** The position of the next event. */
  position: Position;
  /** Null before the first of them is read. */
  events: AsyncGenerator<FoundEvent, undefined> | null;
  event: FoundEvent | null;
}

type Filter = Pick<ReadAllOptions, 'types' | 'streams'>;

function matcher({ types, streams }: Filter): (event: FoundEvent) => boolean {
  const [ofTypes, ofStreams] = [types && new Set(types), streams && new Set(streams)];
  return ({ type, stream }) => ofTypes?.has(type) !== false && ofStreams?.has(stream) !== false;
}

async function* eventsOf(pages: AsyncIterable<Page>): AsyncGenerator<readonly FoundEvent[]> {
  for await (const { events } of pages) if (events.length > 0) yield events;
}
