// The store in EventStoreDB: decisions, and evidence where it is not too much. The server says who was first, keeps the streams
// and their revisions, and has one order of all there is; what was read of it lies in a mirror on this machine (mirror/), in which
// all reading is done once it has caught up.
import type { NewEvent } from '../../../schemas/envelope.ts';
import type { Cursor, CursorOrder } from '../cursor.ts';
import { LedgerClosed, UnsupportedByStore } from '../errors.ts';
import { newRunId } from '../identity/ids.ts';
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
import { StreamTurns } from '../remote/stream-turns.ts';
import type { Shards } from '../shards.ts';
import { Attempts } from '../sqlite/attempts.ts';
import { Cursors } from '../sqlite/cursors.ts';
import { Feeds } from '../sqlite/feeds.ts';
import { Survey } from '../sqlite/survey.ts';
import type { StoredEvent } from '../stored.ts';
import { auditServer } from './audit.ts';
import { CatchingUp } from './catching-up.ts';
import { Connection } from './connection.ts';
import { follow } from './following.ts';
import { makeLedger, readIdentity } from './identity.ts';
import { Keeping } from './keeping.ts';
import { type Mirror, mirrorFault, mirrorPath, openMirror } from './mirror/mirror.ts';
import { OwnStreams } from './own-streams.ts';
import { type EventStorePlace, nameOf } from './place.ts';
import { replicate, wantedOf } from './replicating.ts';
import { Sending } from './sending.ts';
import { StreamNames } from './streams.ts';
import { headOf, rangesOf } from './survey.ts';
import { type Parts, Writing } from './writing.ts';

const capabilities: Capabilities = {
  attempts: 'open',
  totalOrder: true,
  expectations: ['any', 'none', 'exists', 'revision'],
  // What is larger than the server takes at once goes in several appends.
  atomicAppend: false,
  atomicReplicate: false,
  backwards: true,
  indexedStreams: true,
  findById: true,
  ids: 'stream',
  fairWriters: false,
  maxEventBytes,
  shares: false,
};

interface Located {
  readonly url: string;
  readonly place: EventStorePlace;
}

export async function openEventStore({ url, place }: Located, options: OpenOptions): Promise<Ledger> {
  const { signal } = options;
  signal?.throwIfAborted();
  const connection = new Connection(place, options.onWait);
  const names = new StreamNames(place.prefix);
  const giveUp = (): void => connection.end(signal?.reason);
  signal?.addEventListener('abort', giveUp, { once: true });
  try {
    await connection.requireVersion();
    if (options.create === true && options.readOnly !== true) {
      await makeLedger(connection, names, options.createAs ?? newRunId(), options.part);
    }
    const identity = await readIdentity(connection, names, url);
    const mirror = await openMirror(mirrorPath(identity.incarnation, nameOf(place)), identity.ledger);
    return new EventStoreLedger({ url, connection, names, mirror, part: identity.part }, options.readOnly ?? false);
  } catch (error) {
    await connection.close();
    throw error;
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
}

interface Opened {
  readonly url: string;
  readonly connection: Connection;
  readonly names: StreamNames;
  readonly mirror: Mirror;
  readonly part: Ledger['part'];
}

class EventStoreLedger implements Ledger {
  readonly id: string;
  readonly url: string;
  readonly capabilities = capabilities;
  readonly part: Ledger['part'];
  readonly #readOnly: boolean;
  readonly #connection: Connection;
  readonly #mirror: Mirror;
  readonly #attempts: Attempts;
  readonly #cursors: Cursors;
  readonly #feeds: Feeds;
  readonly #survey: Survey;
  readonly #parts: Parts;
  readonly #writing: Writing;
  readonly #turns = new StreamTurns();
  readonly #end = new AbortController();
  #closing: Promise<void> | null = null;

  constructor({ url, connection, names, mirror, part }: Opened, readOnly: boolean) {
    this.id = mirror.identity.ledger;
    this.url = url;
    this.part = part;
    this.#readOnly = readOnly;
    this.#connection = connection;
    this.#mirror = mirror;
    this.#attempts = new Attempts(mirror.identity.path, url, mirrorFault);
    this.#cursors = new Cursors(this.id, url, mirror.reading, this.#attempts);
    this.#feeds = new Feeds(mirror.identity, mirror.reading, this.#cursors, this.#attempts);
    this.#survey = new Survey(mirror.reading, this.#cursors, this.#attempts);
    this.#parts = {
      mirror,
      catchingUp: new CatchingUp(connection, mirror, names, this.#end.signal),
      sending: new Sending(connection, names),
      keeping: new Keeping(connection, names, mirror),
      own: new OwnStreams(),
    };
    this.#writing = new Writing(this.#parts);
  }

  async append(stream: string, events: readonly NewEvent[], options: AppendOptions): Promise<Appended> {
    const signal = this.#writable(options.signal);
    const turn = this.#turns.of(stream);
    const done = await turn.take(() => this.#writing.append(stream, events, options, signal), signal);
    const { position, ...appended } = done;
    return { ...appended, cursor: this.#cursors.at(Math.max(position, 0)) };
  }

  async replicate(events: readonly StoredEvent[], signal?: AbortSignal): Promise<Replicated> {
    const ended = this.#writable(signal);
    const wanted = wantedOf(events);
    const streams = events.map(({ stream }) => stream);
    const done = await this.#turns.ofAll(streams, ended, () => replicate(this.#parts, wanted, ended));
    return { existed: done.existed, cursor: this.#cursors.at(Math.max(done.position, 0)) };
  }

  read(stream: string, options: ReadOptions = {}): AsyncGenerator<readonly StoredEvent[]> {
    return this.#caughtUp(() => {
      this.#parts.keeping.requireWhole(stream);
      return this.#feeds.ofStream(stream, options);
    });
  }

  readAll(options: ReadAllOptions = {}): AsyncGenerator<readonly StoredEvent[]> {
    return this.#caughtUp(() => this.#feeds.ofAll(options));
  }

  async *subscribe(options: SubscribeOptions = {}): AsyncGenerator<Delivery> {
    this.#requireOpen();
    yield* follow(this.#connection, this.#parts.catchingUp, this.#feeds, options, this.#ended(options.signal));
  }

  streams(prefix = ''): AsyncGenerator<readonly StreamEnd[]> {
    return this.#caughtUp(() => this.#survey.streams(prefix));
  }

  digests(of: DigestsOf): AsyncGenerator<string> {
    return this.#caughtUp(() => this.#survey.digests(of));
  }

  async ranges(events: number, span: { after?: Cursor; until?: Cursor } = {}): Promise<readonly EventRange[]> {
    await this.#catchUp();
    return await rangesOf(this.#mirror, this.#cursors, events, span);
  }

  async *audit({ wholly = true }: { wholly?: boolean } = {}): AsyncGenerator<StoreFault> {
    this.#requireOpen();
    yield* auditServer(this.#mirror, this.#parts.catchingUp, wholly, this.#ended());
  }

  async find(id: string, limit = 2): Promise<readonly StoredEvent[]> {
    const digits = id.toLowerCase().replaceAll('-', '');
    if (!/^[0-9a-f]{4,32}$/.test(digits)) return [];
    await this.#catchUp();
    const [low, high] = [digits.padEnd(32, '0'), digits.padEnd(32, 'f')];
    return await this.#attempts.make(() => this.#mirror.reading.byId(low, high, limit));
  }

  async head(): Promise<Head> {
    await this.#catchUp();
    return await headOf(this.#mirror, this.#cursors);
  }

  shards(): Shards {
    throw new UnsupportedByStore(this.url, 'be shared between the members of a group');
  }

  compareCursors(a: Cursor, b: Cursor): CursorOrder {
    return this.#cursors.compare(a, b);
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    const closed = new LedgerClosed(this.url);
    this.#attempts.end();
    this.#end.abort(closed);
    this.#connection.end(closed);
    await this.#turns.allDone();
    await this.#connection.close();
    this.#mirror.close();
  }

  async #catchUp(): Promise<void> {
    this.#requireOpen();
    await this.#parts.catchingUp.toNow(this.#ended());
  }

  async *#caughtUp<Item>(read: () => AsyncGenerator<Item>): AsyncGenerator<Item> {
    await this.#catchUp();
    yield* read();
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
