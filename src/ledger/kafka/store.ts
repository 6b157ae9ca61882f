// The store in Kafka: evidence at scale. A stream lies in one partition, its events have the revisions their one writer
// gave them, and every reader finds by the same rule which records count (admission.ts). What a reader has seen is kept in an
// index on this machine (index/), so that nothing is read twice only to find something in it.
import type { NewEvent } from '../../../schemas/envelope.ts';
import type { Cursor, CursorOrder } from '../cursor.ts';
import { LedgerClosed, UnsupportedByStore } from '../errors.ts';
import type {
  Appended,
  AppendOptions,
  Capabilities,
  Delivery,
  DigestsOf,
  EventRange,
  Head,
  Ledger,
  OpenOptions,
  ReadAllOptions,
  ReadOptions,
  Replicated,
  StoreFault,
  StreamEnd,
  SubscribeOptions,
} from '../ledger.ts';
import { maxEventBytes } from '../limits.ts';
import type { Shards } from '../shards.ts';
import type { StoredEvent } from '../stored.ts';
import { auditLog } from './audit.ts';
import { Cursors } from './cursors.ts';
import { Feeds } from './feeds.ts';
import { findById } from './finding.ts';
import type { Log } from './log.ts';
import { type Located, type Opened, openParts } from './opening.ts';
import { Replicating } from './replicating.ts';
import { Sending } from './sending.ts';
import { Session } from './session.ts';
import { KafkaShards } from './shards.ts';
import { StreamReading } from './stream-reading.ts';
import { Survey } from './survey.ts';
import { Writing } from './writing.ts';

const capabilities: Capabilities = {
  attempts: 'open',
  totalOrder: false,
  expectations: ['any', 'none', 'exists', 'revision'],
  atomicAppend: false,
  atomicReplicate: false,
  backwards: true,
  indexedStreams: true,
  findById: true,
  ids: 'stream',
  fairWriters: false,
  maxEventBytes,
  shares: true,
};

export async function openKafka(at: Located, options: OpenOptions): Promise<KafkaLedger> {
  return new KafkaLedger(await openParts(at, options), options.readOnly ?? false);
}

export class KafkaLedger implements Ledger {
  readonly id: string;
  readonly url: string;
  readonly capabilities = capabilities;
  readonly part: Ledger['part'];
  readonly #opened: Opened;
  readonly #readOnly: boolean;
  readonly #log: Log;
  readonly #cursors: Cursors;
  readonly #feeds: Feeds;
  readonly #reading: StreamReading;
  readonly #survey: Survey;
  readonly #session = new Session();
  readonly #writing: Writing;
  readonly #replicating: Replicating;
  readonly #end = new AbortController();
  #closing: Promise<void> | null = null;

  constructor(opened: Opened, readOnly: boolean) {
    const { url, identity, log, transport } = opened;
    this.id = identity.ledger;
    this.part = identity.part;
    this.url = url;
    this.#opened = opened;
    this.#readOnly = readOnly;
    this.#log = log;
    this.#cursors = new Cursors(this.id, url, log.lanes, log.index);
    this.#feeds = new Feeds(log, this.#cursors);
    this.#reading = new StreamReading(log, this.#cursors);
    this.#survey = new Survey(log, this.#cursors, this.#feeds, this.#reading);
    const sending = new Sending(transport);
    this.#writing = new Writing(log, this.#reading, sending, this.#session, maxEventBytes);
    this.#replicating = new Replicating(log, this.#reading, sending, this.#session);
  }

  async append(stream: string, events: readonly NewEvent[], options: AppendOptions): Promise<Appended> {
    const signal = this.#writable(options.signal);
    const { lane, next, ...appended } = await this.#writing.append(stream, events, options, signal);
    return { ...appended, cursor: this.#cursorBehind(new Map([[lane.number, next]])) };
  }

  async replicate(events: readonly StoredEvent[], signal?: AbortSignal): Promise<Replicated> {
    const { existed, ends } = await this.#replicating.replicate(events, this.#writable(signal));
    return { existed, cursor: this.#cursorBehind(ends) };
  }

  /** Behind what was sent to some lanes, and where this machine has come in the others. */
  #cursorBehind(ends: ReadonlyMap<number, number>): Cursor {
    const known = this.#log.index.lanes();
    return this.#cursors.everywhere(known.map(({ next }, lane) => Math.max(next, ends.get(lane) ?? 0)));
  }

  read(stream: string, options: ReadOptions = {}): AsyncIterable<readonly StoredEvent[]> {
    return this.#opening(() => this.#reading.read(stream, options, this.#ended()));
  }

  readAll(options: ReadAllOptions = {}): AsyncIterable<readonly StoredEvent[]> {
    return this.#opening(() => this.#feeds.ofAll(options, this.#ended()));
  }

  subscribe(options: SubscribeOptions = {}): AsyncIterable<Delivery> {
    return this.#opening(() => this.#feeds.live(options, this.#ended(options.signal)));
  }

  streams(prefix = ''): AsyncIterable<readonly StreamEnd[]> {
    return this.#opening(() => this.#survey.streams(prefix, this.#ended()));
  }

  digests(of: DigestsOf): AsyncIterable<string> {
    return this.#opening(() => this.#survey.digests(of, this.#ended()));
  }

  /** Refused, when it is begun, once the ledger is closed. */
  async *#opening<Item>(begin: () => AsyncGenerator<Item>): AsyncGenerator<Item> {
    this.#requireOpen();
    yield* begin();
  }

  async ranges(events: number, span: { after?: Cursor; until?: Cursor } = {}): Promise<readonly EventRange[]> {
    this.#requireOpen();
    return await this.#survey.ranges(events, span, this.#ended());
  }

  async *audit({ wholly = true }: { wholly?: boolean } = {}): AsyncGenerator<StoreFault> {
    this.#requireOpen();
    yield* auditLog(this.#opened.transport, this.#log, this.#reading, { wholly, signal: this.#ended() });
  }

  async find(id: string, limit = 2): Promise<readonly StoredEvent[]> {
    this.#requireOpen();
    return await findById(this.#log, this.#reading, id, limit, this.#ended());
  }

  async head(): Promise<Head> {
    this.#requireOpen();
    return await this.#survey.head(this.#ended());
  }

  /** How many records are no events or hold none, of those that were looked at. */
  countRejected(): number {
    this.#requireOpen();
    return this.#log.index.countRejected();
  }

  shards(): Shards {
    this.#requireOpen();
    const { place, transport } = this.#opened;
    return new KafkaShards(
      { transport, log: this.#log, cursors: this.#cursors, feeds: this.#feeds },
      place.prefix,
      this.#ended(),
    );
  }

  compareCursors(a: Cursor, b: Cursor): CursorOrder {
    return this.#cursors.compare(a, b);
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    this.#end.abort(new LedgerClosed(this.url));
    await this.#session.turns.allDone();
    await this.#opened.transport.close();
    this.#log.index.close();
  }

  #requireOpen(): void {
    if (this.#end.signal.aborted) throw new LedgerClosed(this.url);
  }

  /** Aborts when the ledger is closed, or somebody has it stopped. */
  #ended(signal?: AbortSignal): AbortSignal {
    return signal === undefined ? this.#end.signal : AbortSignal.any([this.#end.signal, signal]);
  }

  #writable(signal: AbortSignal | undefined): AbortSignal {
    this.#requireOpen();
    if (this.#readOnly) throw new UnsupportedByStore(this.url, 'append: it was opened for reading only');
    signal?.throwIfAborted();
    return this.#ended(signal);
  }
}
