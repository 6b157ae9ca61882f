// A ledger on top of a server's log. The log appends at an exact end, reads a range, and follows from a position; all other
// operations of a ledger are built from these here, once for every server: positions become cursors, and pages are filtered.
import type { NewEvent } from '../../../schemas/envelope.ts';
import { MergeHeap } from '../../base/merge-heap.ts';
import { BadCursor, LedgerClosed, unsupportedByStore } from '../errors.ts';
import { type Cursor, type CursorOrder, maxEventBytes, placeOf, plainId } from '../event.ts';
import {
  type Appended,
  type AppendOptions,
  type AuditOptions,
  type Capabilities,
  type Delivery,
  type DigestsOf,
  digestsByReading,
  type EventRange,
  type Head,
  type Ledger,
  type ReadAllOptions,
  type ReadOptions,
  type Replicated,
  type StoreFault,
  type StreamEnd,
  type SubscribeOptions,
} from '../ledger.ts';
import { StoredEvent } from '../stored.ts';
import { StreamTurns, unlessAborted } from '../turns.ts';
import { BadPosition } from './errors.ts';
import { IdIndex, RepeatedIds } from './ids.ts';
import { type FoundEvent, inPages, type Page, type Position, pageEvents, type ServerLog } from './log.ts';
import { originalOf, replicate } from './replicating.ts';
import { Calls, type Waits } from './retry.ts';
import { Writing } from './writing.ts';

export class RemoteLedger implements Ledger {
  readonly id: string;
  readonly url: string;
  readonly capabilities: Capabilities;
  readonly part: Ledger['part'];
  protected readonly calls: Calls;
  readonly #log: ServerLog;
  readonly #readOnly: boolean;
  readonly #writing: Writing;
  readonly #finding: IdIndex;
  readonly #turns = new StreamTurns();
  readonly #end = new AbortController();
  #closing: Promise<void> | null = null;

  constructor(log: ServerLog, waits: Waits, readOnly: boolean) {
    const { attempts } = log.traits;
    const isOpen = attempts === 'open';
    this.id = log.ledger;
    this.url = log.url;
    this.part = log.part;
    this.capabilities = {
      totalOrder: isOpen,
      atomicReplicate: false,
      backwards: isOpen,
      findById: false,
      ids: 'stream',
      fairWriters: false,
      maxEventBytes,
      attempts,
    };
    this.#log = log;
    this.#readOnly = readOnly;
    this.calls = new Calls(log, waits);
    this.#writing = new Writing(this.calls);
    this.#finding = new IdIndex(this.calls);
  }

  async append(stream: string, events: readonly NewEvent[], options: AppendOptions): Promise<Appended> {
    const signal = this.#writable(options.signal);
    const turn = this.#turns.of(stream);
    // A caller that aborts does not wait, but the turn ends only when the server has answered.
    const written = turn.take(() => this.#writing.append(stream, events, options, signal), signal);
    const { position, ...appended } = await unlessAborted(written, options.signal);
    return { ...appended, cursor: this.#cursorAt(position) };
  }

  async replicate(events: readonly StoredEvent[], signal?: AbortSignal): Promise<Replicated> {
    const ended = this.#writable(signal);
    const originals = events.map(originalOf);
    const streams = events.map(({ stream }) => stream);
    const work = (): ReturnType<typeof replicate> => replicate(this.calls, this.#writing, originals, ended, signal);
    const { existed, positions } = await unlessAborted(this.#turns.ofAll(streams, ended, work), signal);
    // Single events of a log of attempts have no position, and all the same one instead.
    const [latest = null] = [...new Set(positions)].sort((a, b) =>
      this.#log.comparePositions(a, b) === 'after' ? -1 : 1,
    );
    return { existed, cursor: this.#cursorAt(latest) };
  }

  async *read(stream: string, options: ReadOptions = {}): AsyncGenerator<readonly StoredEvent[]> {
    const signal = this.untilClosed();
    const { from = 0, to, backwards = false, limit } = options;
    if (backwards) this.#requireBackwards();
    if (limit === 0 || from > (to ?? Number.POSITIVE_INFINITY)) return;
    const range = { from, to, backwards, limit };
    for await (const events of this.calls.readStream(stream, range, signal)) yield events.map(this.stored);
  }

  async *readAll(options: ReadAllOptions = {}): AsyncGenerator<readonly StoredEvent[]> {
    const signal = this.untilClosed();
    const { after, until, types, streams, backwards = false, limit = Number.POSITIVE_INFINITY } = options;
    const [start, end] = [this.#positionOf(after), this.#positionOf(until)];
    if (backwards) this.#requireBackwards();
    if (limit === 0 || types?.length === 0 || streams?.length === 0) return;
    if (until !== undefined && end === null) return;
    const pages = backwards
      ? inPages(this.#latestFirst(start, options, signal), Math.min(limit, pageEvents))
      : eventsOf(this.#pagesAfter({ after: start, until: end ?? undefined, live: false }, options, signal));
    let left = limit;
    for await (const events of pages) {
      yield events.slice(0, left).map(this.stored);
      left -= events.length;
      if (left <= 0) return;
    }
  }

  /** Ends when the signal aborts. */
  async *subscribe(options: SubscribeOptions = {}): AsyncGenerator<Delivery> {
    const signal = this.untilClosed(options.signal);
    if (signal.aborted) return;
    const after = this.#positionOf(options.after);
    let delivered: Cursor | null = null;
    try {
      for await (const { events, position, isCaughtUp } of this.#pagesAfter({ after, live: true }, options, signal)) {
        const cursor = this.#cursorAt(position);
        if (events.length > 0) yield { kind: 'events', events: events.map(this.stored), cursor };
        if (!isCaughtUp || cursor === delivered) continue;
        delivered = cursor;
        yield { kind: 'caught-up', cursor };
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async *streams(prefix = ''): AsyncGenerator<readonly StreamEnd[]> {
    const streams = await this.ask((log, signal) => log.streams(prefix, signal));
    const ends = streams.map(({ stream, revision, position }) => {
      return { stream, revision, cursor: this.#cursorAt(position) };
    });
    if (ends.length > 0) yield ends;
  }

  digests(of: DigestsOf): AsyncGenerator<string> {
    return digestsByReading(this, of);
  }

  /** Reads the span. */
  async ranges(most: number, span: Pick<ReadAllOptions, 'after' | 'until'> = {}): Promise<readonly EventRange[]> {
    const found: EventRange[] = [];
    let [after, last, events]: [Cursor | null, Cursor | null, number] = [span.after ?? null, null, 0];
    for await (const page of this.readAll(span)) {
      for (const { cursor } of page) {
        last = cursor;
        if (++events < most) continue;
        found.push({ after, until: cursor, events });
        [after, events] = [cursor, 0];
      }
    }
    return events > 0 && last !== null ? [...found, { after, until: last, events }] : found;
  }

  async *audit({ wholly = true, run = null }: AuditOptions = {}): AsyncGenerator<StoreFault> {
    yield* await this.ask(async (log, signal) => {
      const faults: StoreFault[] = [];
      for await (const fault of log.faults({ wholly, run }, signal)) faults.push(fault);
      return faults;
    });
    // Only the ledger knows that it is a part, where evidence may repeat ids of decisions.
    if (!wholly || this.part === 'evidence') return;
    const ids = new RepeatedIds();
    for await (const events of this.readAll()) {
      for (const { stream, revision, filedId } of events) ids.add(stream, revision, filedId);
    }
    for await (const { id, first, other } of ids.find((stream) => this.read(stream))) {
      yield { where: placeOf(other), what: `has the id ${id}, which ${placeOf(first)} has too` };
    }
  }

  async foreign(stream: string): Promise<ReadonlySet<number>> {
    return await this.ask(async (log, signal) => (await log.foreignIn?.(stream, signal)) ?? new Set());
  }

  /** Searches run events; evidence is found through the tables. */
  async find(id: string, limit = 2): Promise<readonly StoredEvent[]> {
    const signal = this.untilClosed();
    const found: StoredEvent[] = [];
    for (const { stream, revision } of await this.#finding.find(id, limit, signal)) {
      const range = { from: revision, to: revision };
      for await (const events of this.calls.readStream(stream, range, signal)) found.push(...events.map(this.stored));
    }
    return found;
  }

  async head(): Promise<Head> {
    const { position, events } = await this.ask((log, signal) => log.head(signal));
    return { cursor: this.#cursorAt(position), events };
  }

  compareCursors(a: Cursor, b: Cursor): CursorOrder {
    const [first, second] = [this.#positionOf(a), this.#positionOf(b)];
    if (first === null || second === null) return first === second ? 'equal' : first === null ? 'before' : 'after';
    return this.#log.comparePositions(first, second);
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    this.#end.abort(new LedgerClosed(this.url));
    await this.#turns.allDone();
    await this.#log.close();
  }

  protected readonly stored = (event: FoundEvent): StoredEvent => {
    const { stream, revision, type, id, recordedMs, digest, body, position } = event;
    const cursor = this.#cursorAt(position);
    return new StoredEvent(stream, revision, type, plainId(id), recordedMs, digest, body, cursor, digest);
  };

  async *#pagesAfter(
    options: Parameters<ServerLog['follow']>[0],
    filter: Filter,
    signal: AbortSignal,
  ): AsyncGenerator<Page> {
    const isMatch = matcher(filter);
    try {
      for await (const page of this.calls.follow(options, signal)) {
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
    for (const { stream, position } of await this.calls.make((log) => log.streams('', signal), signal)) {
      if (filter.streams?.includes(stream) === false) continue;
      streams.push({ position, event: null, events: this.#eachBackwards(stream, signal) });
    }
    const latest = new MergeHeap(streams, (a, b) => compare(a.position, b.position) === 'after');
    try {
      for (let last = latest.first; last !== undefined; last = latest.first) {
        const event = last.event ?? (await last.events.next()).value;
        const isBefore = event !== undefined && (before === null || compare(event.position, before) === 'before');
        if (isBefore && isMatch(event)) yield event;
        last.event = (await last.events.next()).value ?? null;
        last.position = last.event?.position ?? last.position;
        if (last.event === null) latest.removeFirst();
        else latest.moved();
      }
    } finally {
      await Promise.all(streams.map(({ events }) => events.return(undefined)));
    }
  }

  async *#eachBackwards(stream: string, signal: AbortSignal): AsyncGenerator<FoundEvent, undefined> {
    for await (const events of this.calls.readStream(stream, { from: 0, backwards: true }, signal)) yield* events;
  }

  #cursorAt(position: Position | null): Cursor {
    return `${this.id}@${position ?? 0}`;
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
    return new BadCursor(this.#cursorAt(error.position), this.#log.url, error.message);
  }

  #requireBackwards(): void {
    const { url, traits } = this.#log;
    if (traits.attempts === 'reported') throw unsupportedByStore(url, 'read backwards');
  }

  protected async ask<Answer>(question: (log: ServerLog, signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const signal = this.untilClosed();
    return await this.calls.make((log) => question(log, signal), signal);
  }

  /** Aborts when the ledger is closed or the caller's signal aborts. Throws LedgerClosed. */
  protected untilClosed(signal?: AbortSignal): AbortSignal {
    const { signal: end } = this.#end;
    if (end.aborted) throw new LedgerClosed(this.url);
    return signal === undefined ? end : AbortSignal.any([end, signal]);
  }

  #writable(signal: AbortSignal | undefined): AbortSignal {
    const ended = this.untilClosed(signal);
    if (this.#readOnly) throw unsupportedByStore(this.url, 'append: it was opened read-only');
    signal?.throwIfAborted();
    return ended;
  }
}

/** The unread rest of a stream. */
interface Backwards {
  /** The position of the next event. */
  position: Position;
  /** The next event; null before the first of them is read. */
  event: FoundEvent | null;
  readonly events: AsyncGenerator<FoundEvent, undefined>;
}

type Filter = Pick<ReadAllOptions, 'types' | 'streams'>;

function matcher({ types, streams }: Filter): (event: FoundEvent) => boolean {
  const [ofTypes, ofStreams] = [types && new Set(types), streams && new Set(streams)];
  return ({ type, stream }) => ofTypes?.has(type) !== false && ofStreams?.has(stream) !== false;
}

async function* eventsOf(pages: AsyncIterable<Page>): AsyncGenerator<readonly FoundEvent[]> {
  for await (const { events } of pages) if (events.length > 0) yield events;
}
