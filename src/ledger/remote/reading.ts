// Reads a log as a ledger: positions become cursors, and pages are filtered. Reading everything backwards merges the streams from
// their ends, so that the last events of a large log are cheap.

import { MergeHeap } from '../../base/merge-heap.ts';
import { BadCursor, unsupportedByStore } from '../errors.ts';
import { type Cursor, type CursorOrder, plainId } from '../event.ts';
import type { Delivery, ReadAllOptions, ReadOptions, SubscribeOptions } from '../ledger.ts';
import { StoredEvent } from '../stored.ts';
import type { Calls } from './calls.ts';
import { BadPosition } from './errors.ts';
import type { FoundEvent, Position, ServerLog } from './log.ts';

/** The approximate number of characters in a batch of events read backwards. */
const batchCharacters = 2 ** 20;
const batchEvents = 500;

export class Reading {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  cursorAt(position: Position | null): Cursor {
    return `${this.#calls.log.ledger}@${position ?? 0}`;
  }

  compare(a: Cursor, b: Cursor): CursorOrder {
    const [first, second] = [this.positionOf(a), this.positionOf(b)];
    if (first === null || second === null) return first === second ? 'equal' : first === null ? 'before' : 'after';
    return this.#refusingIn(a, () => this.#calls.log.comparePositions(first, second));
  }

  /** Null: the beginning. Throws BadCursor. */
  positionOf(cursor: Cursor | null | undefined): Position | null {
    if (cursor === undefined || cursor === null) return null;
    const { ledger, url } = this.#calls.log;
    const [, owner, position] = /^([^@]+)@(.+)$/.exec(cursor) ?? [];
    if (position === undefined) throw new BadCursor(cursor, url, 'it has another form');
    if (owner !== ledger) throw new BadCursor(cursor, url, `it belongs to ledger ${owner}, this is ${ledger}`);
    if (position === '0') return null;
    this.#refusingIn(cursor, () => this.#calls.log.comparePositions(position, position));
    return position;
  }

  async *stream(stream: string, options: ReadOptions, signal: AbortSignal): AsyncGenerator<readonly StoredEvent[]> {
    const { from = 0, to, backwards = false, limit } = options;
    if (backwards) this.#requireBackwards();
    if (limit === 0 || from > (to ?? Number.POSITIVE_INFINITY)) return;
    const range = { from, to, backwards, limit };
    for await (const events of this.#calls.readStream(stream, range, signal)) yield events.map(this.stored);
  }

  async *all(options: ReadAllOptions, signal: AbortSignal): AsyncGenerator<readonly StoredEvent[]> {
    const { after, until, types, backwards = false, limit = Number.POSITIVE_INFINITY } = options;
    const [start, end] = [this.positionOf(after), this.positionOf(until)];
    if (backwards) this.#requireBackwards();
    if (limit === 0 || types?.length === 0 || options.streams?.length === 0) return;
    if (until !== undefined && end === null) return;
    const read = backwards
      ? this.#backwards(start, options, signal)
      : this.#forwards({ after: start, until: end ?? undefined, live: false }, options, signal);
    let left = limit;
    for await (const { events } of read) {
      if (events.length > 0) yield events.slice(0, left);
      left -= events.length;
      if (left <= 0) return;
    }
  }

  /** Ends when the signal aborts. */
  async *live(options: SubscribeOptions, signal: AbortSignal): AsyncGenerator<Delivery> {
    let delivered: Cursor | null = null;
    const after = this.positionOf(options.after);
    try {
      for await (const page of this.#forwards({ after, live: true }, options, signal)) {
        const cursor = this.cursorAt(page.position);
        if (page.events.length > 0) yield { kind: 'events', events: page.events, cursor };
        if (!page.isCaughtUp || cursor === delivered) continue;
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
  ): AsyncGenerator<{ events: readonly StoredEvent[]; position: Position | null; isCaughtUp: boolean }> {
    const isMatch = matcher(filter);
    try {
      for await (const page of this.#calls.follow(options, signal)) {
        const { position, isCaughtUp } = page;
        yield { events: page.events.filter(isMatch).map(this.stored), position, isCaughtUp };
      }
    } catch (error) {
      throw this.#cursorError(error);
    }
  }

  async *#backwards(
    before: Position | null,
    filter: Filter,
    signal: AbortSignal,
  ): AsyncGenerator<{ events: readonly StoredEvent[] }> {
    const isMatch = matcher(filter);
    const most = Math.min(filter.limit ?? batchEvents, batchEvents);
    let batch: StoredEvent[] = [];
    let characters = 0;
    for await (const event of this.#latestFirst(filter.streams, signal)) {
      const isBefore = before === null || this.#calls.log.comparePositions(event.position, before) === 'before';
      if (!isBefore || !isMatch(event)) continue;
      batch.push(this.stored(event));
      characters += event.body.length;
      if (characters < batchCharacters && batch.length < most) continue;
      yield { events: batch };
      batch = [];
      characters = 0;
    }
    yield { events: batch };
  }

  /** The events of all streams by time of recording, the last one first. */
  async *#latestFirst(only: readonly string[] | undefined, signal: AbortSignal): AsyncGenerator<FoundEvent> {
    const { log } = this.#calls;
    const streams: Backwards[] = [];
    for await (const ends of this.#calls.streams('', signal)) {
      for (const { stream, position } of ends)
        if (only?.includes(stream) !== false) streams.push({ stream, position, events: null, event: null });
    }
    const latest = new MergeHeap(streams, (a, b) => log.comparePositions(a.position, b.position) === 'after');
    try {
      for (let last = latest.first; last !== undefined; last = latest.first) {
        last.events ??= this.#eachBackwards(last.stream, signal);
        const event = last.event ?? (await last.events.next()).value;
        if (event !== undefined) yield event;
        const before = event === undefined ? undefined : (await last.events.next()).value;
        if (before === undefined) latest.removeFirst();
        else {
          last.event = before;
          last.position = before.position;
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
    const { url, traits } = this.#calls.log;
    if (traits.attempts === 'reported') throw unsupportedByStore(url, 'read backwards');
  }

  #refusingIn<Result>(cursor: Cursor, call: () => Result): Result {
    try {
      return call();
    } catch (error) {
      if (error instanceof BadPosition) throw new BadCursor(cursor, this.#calls.log.url, error.message);
      throw error;
    }
  }

  #cursorError(error: unknown): unknown {
    if (!(error instanceof BadPosition)) return error;
    return new BadCursor(this.cursorAt(error.position), this.#calls.log.url, error.message);
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

type Filter = Pick<ReadAllOptions, 'types' | 'streams' | 'limit'>;

function matcher({ types, streams }: Filter): (event: FoundEvent) => boolean {
  const [ofTypes, ofStreams] = [types && new Set(types), streams && new Set(streams)];
  return ({ type, stream }) => ofTypes?.has(type) !== false && ofStreams?.has(stream) !== false;
}
