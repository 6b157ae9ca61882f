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
  type OnWait,
  type ReadAllOptions,
  type ReadOptions,
  type Replicated,
  type StoreFault,
  type StreamEnd,
  type SubscribeOptions,
} from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';
import { StreamTurns, unlessAborted } from '../turns.ts';
import { Calls } from './calls.ts';
import { IdIndex } from './id-index.ts';
import type { Position, ServerLog } from './log.ts';
import { Reading } from './reading.ts';
import { RepeatedIds } from './repeated-ids.ts';
import { originalsOf, replicate } from './replicating.ts';
import { Waits } from './retry.ts';
import { Writing } from './writing.ts';

export interface RemoteOptions {
  /** How long to wait for a server that does not answer, in seconds. */
  readonly patience: number;
  readonly waits: Waits;
  readonly readOnly: boolean;
}

/** Calls `onWait` when the ledger's server is away, and when it is back. */
export function waitsOf(onWait: OnWait | undefined, patience: number): Waits {
  return new Waits((what) => {
    onWait?.({ store: 'ledger', away: what === null ? null : { what, seconds: patience } });
  });
}

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

  constructor(log: ServerLog, { patience, waits, readOnly }: RemoteOptions) {
    this.id = log.ledger;
    this.url = log.url;
    this.part = log.part;
    this.capabilities = capabilitiesOf(log);
    this.#log = log;
    this.#readOnly = readOnly;
    this.calls = new Calls(log, patience * 1_000, waits);
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
    const originals = originalsOf(events);
    const streams = events.map(({ stream }) => stream);
    const work = (): ReturnType<typeof replicate> => replicate(this.calls, this.#writing, originals, ended, signal);
    const { existed, positions } = await unlessAborted(this.#turns.ofAll(streams, ended, work), signal);
    return { existed, cursor: this.reading.cursorAt(await this.#latest(positions, ended)) };
  }

  read(stream: string, options: ReadOptions = {}): AsyncGenerator<readonly StoredEvent[]> {
    return this.whileOpen((signal) => this.reading.stream(stream, options, signal));
  }

  readAll(options: ReadAllOptions = {}): AsyncGenerator<readonly StoredEvent[]> {
    return this.whileOpen((signal) => this.reading.all(options, signal));
  }

  async *subscribe(options: SubscribeOptions = {}): AsyncGenerator<Delivery> {
    this.#requireOpen();
    const signal = this.#ended(options.signal);
    if (!signal.aborted) yield* this.reading.live(options, signal);
  }

  streams(prefix = ''): AsyncGenerator<readonly StreamEnd[]> {
    return this.whileOpen((signal) => this.#streamEnds(prefix, signal));
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
    for await (const { id, first, other } of ids.find(
      (stream) => this.read(stream),
      () => false,
    )) {
      yield { where: placeOf(other), what: `has the id ${id}, which ${placeOf(first)} has too` };
    }
  }

  async foreign(stream: string): Promise<ReadonlySet<number>> {
    return await this.ask(async (log, signal) => (await log.foreignIn?.(stream, signal)) ?? new Set());
  }

  /** Searches run events; evidence is found through the tables. */
  async find(id: string, limit = 2): Promise<readonly StoredEvent[]> {
    this.#requireOpen();
    return await this.#finding.find(id, limit, this.#ended());
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

  async *#streamEnds(prefix: string, signal: AbortSignal): AsyncGenerator<readonly StreamEnd[]> {
    for await (const ends of this.calls.streams(prefix, signal)) {
      yield ends.map(({ stream, revision, position }) => {
        return { stream, revision, cursor: this.reading.cursorAt(position) };
      });
    }
  }

  /** The latest of these positions. If single events have no position, all have the same one. */
  async #latest(positions: readonly Position[], signal: AbortSignal): Promise<Position | null> {
    let latest: Position | null = null;
    for (const position of new Set(positions)) {
      const order: CursorOrder = latest === null ? 'after' : this.#log.comparePositions(position, latest);
      if (order === 'concurrent') return (await this.calls.make((log) => log.head(signal), signal)).position;
      if (order === 'after') latest = position;
    }
    return latest;
  }

  protected async *whileOpen<Item>(read: (signal: AbortSignal) => AsyncGenerator<Item>): AsyncGenerator<Item> {
    this.#requireOpen();
    yield* read(this.#ended());
  }

  protected async ask<Answer>(question: (log: ServerLog, signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    this.#requireOpen();
    const signal = this.#ended();
    return await this.calls.make((log) => question(log, signal), signal);
  }

  #requireOpen(): void {
    if (this.#end.signal.aborted) throw new LedgerClosed(this.url);
  }

  /** Aborts when the ledger is closed or the caller's signal aborts. */
  #ended(signal?: AbortSignal): AbortSignal {
    return signal === undefined ? this.#end.signal : AbortSignal.any([this.#end.signal, signal]);
  }

  #writable(signal: AbortSignal | undefined): AbortSignal {
    this.#requireOpen();
    if (this.#readOnly) throw unsupportedByStore(this.url, 'append: it was opened read-only');
    signal?.throwIfAborted();
    return this.#ended(signal);
  }
}

function capabilitiesOf({ traits }: ServerLog): Capabilities {
  const isOpen = traits.attempts === 'open';
  return {
    totalOrder: isOpen,
    atomicReplicate: false,
    backwards: isOpen,
    findById: false,
    ids: 'stream',
    fairWriters: false,
    maxEventBytes: traits.maxEventBytes,
    attempts: traits.attempts,
  };
}
