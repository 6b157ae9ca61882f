// A ledger on top of a server's log. The log appends at an exact end, reads a range, and follows from a position; all other
// operations of a ledger are built from these here, once for every server.
import type { NewEvent } from '../../../schemas/envelope.ts';
import { LedgerClosed, unsupportedByStore } from '../errors.ts';
import { type Cursor, type CursorOrder, placeOf } from '../event.ts';
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
import type { StoredEvent } from '../stored.ts';
import { StreamTurns, unlessAborted } from '../turns.ts';
import { IdIndex, RepeatedIds } from './ids.ts';
import type { Position, ServerLog } from './log.ts';
import { Reading } from './reading.ts';
import { originalOf, replicate } from './replicating.ts';
import { Calls, type Waits } from './retry.ts';
import { Writing } from './writing.ts';

export class RemoteLedger implements Ledger {
  readonly id: string;
  readonly url: string;
  readonly capabilities: Capabilities;
  readonly part: Ledger['part'];
  protected readonly calls: Calls;
  protected readonly reading: Reading;
  readonly #log: ServerLog;
  readonly #readOnly: boolean;
  readonly #writing: Writing;
  readonly #finding: IdIndex;
  readonly #turns = new StreamTurns();
  readonly #end = new AbortController();
  #closing: Promise<void> | null = null;

  constructor(log: ServerLog, waits: Waits, readOnly: boolean) {
    const { maxEventBytes, attempts } = log.traits;
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
    this.reading = new Reading(this.calls);
    this.#writing = new Writing(this.calls);
    this.#finding = new IdIndex(this.calls, this.reading);
  }

  async append(stream: string, events: readonly NewEvent[], options: AppendOptions): Promise<Appended> {
    const signal = this.#writable(options.signal);
    const turn = this.#turns.of(stream);
    // A caller that aborts does not wait, but the turn ends only when the server has answered.
    const written = turn.take(() => this.#writing.append(stream, events, options, signal), signal);
    const { position, ...appended } = await unlessAborted(written, options.signal);
    return { ...appended, cursor: this.reading.cursorAt(position) };
  }

  async replicate(events: readonly StoredEvent[], signal?: AbortSignal): Promise<Replicated> {
    const ended = this.#writable(signal);
    const originals = events.map(originalOf);
    const streams = events.map(({ stream }) => stream);
    const work = (): ReturnType<typeof replicate> => replicate(this.calls, this.#writing, originals, ended, signal);
    const { existed, positions } = await unlessAborted(this.#turns.ofAll(streams, ended, work), signal);
    return { existed, cursor: this.reading.cursorAt(this.#latest(positions)) };
  }

  read(stream: string, options: ReadOptions = {}): AsyncGenerator<readonly StoredEvent[]> {
    return this.whileOpen((signal) => this.reading.stream(stream, options, signal));
  }

  readAll(options: ReadAllOptions = {}): AsyncGenerator<readonly StoredEvent[]> {
    return this.whileOpen((signal) => this.reading.all(options, signal));
  }

  async *subscribe(options: SubscribeOptions = {}): AsyncGenerator<Delivery> {
    const signal = this.#signal(options.signal);
    if (!signal.aborted) yield* this.reading.live(options, signal);
  }

  async *streams(prefix = ''): AsyncGenerator<readonly StreamEnd[]> {
    const streams = await this.ask((log, signal) => log.streams(prefix, signal));
    const ends = streams.map(({ stream, revision, position }) => {
      return { stream, revision, cursor: this.reading.cursorAt(position) };
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
    return await this.#finding.find(id, limit, this.#signal());
  }

  async head(): Promise<Head> {
    const { position, events } = await this.ask((log, signal) => log.head(signal));
    return { cursor: this.reading.cursorAt(position), events };
  }

  compareCursors(a: Cursor, b: Cursor): CursorOrder {
    return this.reading.compare(a, b);
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

  /** Single events of a log of attempts have no position, and all the same one instead. */
  #latest(positions: readonly Position[]): Position | null {
    const [first = null, ...others] = new Set(positions);
    return others.reduce(
      (latest, one) => (latest === null || this.#log.comparePositions(one, latest) === 'after' ? one : latest),
      first,
    );
  }

  protected async *whileOpen<Item>(read: (signal: AbortSignal) => AsyncGenerator<Item>): AsyncGenerator<Item> {
    yield* read(this.#signal());
  }

  protected async ask<Answer>(question: (log: ServerLog, signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const signal = this.#signal();
    return await this.calls.make((log) => question(log, signal), signal);
  }

  /** Aborts when the ledger is closed or the caller's signal aborts. Throws LedgerClosed. */
  #signal(signal?: AbortSignal): AbortSignal {
    const { signal: end } = this.#end;
    if (end.aborted) throw new LedgerClosed(this.url);
    return signal === undefined ? end : AbortSignal.any([end, signal]);
  }

  #writable(signal: AbortSignal | undefined): AbortSignal {
    const ended = this.#signal(signal);
    if (this.#readOnly) throw unsupportedByStore(this.url, 'append: it was opened read-only');
    signal?.throwIfAborted();
    return ended;
  }
}
