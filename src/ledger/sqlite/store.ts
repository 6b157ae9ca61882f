// The embedded store: one SQLite file in WAL mode. Durable commits, a total order, optimistic concurrency, many processes
// reading and writing at once. One connection writes, one reads; each is opened when it is first needed.
import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { isChained } from '../../../schemas/streams.ts';
import type { Cursor, CursorOrder } from '../cursor.ts';
import { LedgerClosed, UnsupportedByStore } from '../errors.ts';
import type {
  Appended,
  AppendOptions,
  AuditOptions,
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
import { prepareEvents } from '../prepare.ts';
import type { PreparedEvent } from '../prepared.ts';
import type { StoredEvent } from '../stored.ts';
import { Turns } from '../turns.ts';
import { Attempts } from './attempts.ts';
import { auditFile } from './audit.ts';
import { Bulk, bulkEvents } from './bulk.ts';
import { connect, connectWriter, create, type Identity, identityOf, stillTrue } from './connection.ts';
import { Cursors, makeCursor } from './cursors.ts';
import { translate } from './faults.ts';
import { Feeds } from './feeds.ts';
import { migrate } from './migrate.ts';
import { Reading } from './reading.ts';
import { Survey } from './survey.ts';
import { Writing, type Written } from './writing.ts';

const capabilities: Capabilities = {
  attempts: 'open',
  totalOrder: true,
  expectations: ['any', 'none', 'exists', 'revision'],
  atomicAppend: true,
  atomicReplicate: true,
  backwards: true,
  indexedStreams: true,
  findById: true,
  ids: 'ledger',
  fairWriters: true,
  maxEventBytes,
};

export async function openSqlite(place: string, options: OpenOptions): Promise<Ledger> {
  const path = resolve(place);
  if (options.create === true && options.readOnly !== true) await create(path, options.createAs, options.part);
  if (options.readOnly !== true) await migrate(path);
  const reader = await connect(path, 'read');
  try {
    return new SqliteLedger(path, `sqlite:${place}`, reader, options.readOnly ?? false);
  } catch (error) {
    reader.close();
    throw translate(error, path);
  }
}

const nothing = (): void => undefined;

interface Writer {
  readonly db: DatabaseSync;
  readonly writing: Writing;
}

class SqliteLedger implements Ledger {
  readonly id: string;
  readonly url: string;
  readonly capabilities = capabilities;
  readonly part: Ledger['part'];
  readonly #identity: Identity;
  readonly #readOnly: boolean;
  readonly #reader: DatabaseSync;
  readonly #attempts: Attempts;
  readonly #reading: Reading;
  readonly #cursors: Cursors;
  readonly #feeds: Feeds;
  readonly #survey: Survey;
  #writer: Writer | null = null;
  #opening: Promise<Writer> | null = null;
  #bulk: Bulk | null = null;
  readonly #turns = new Turns();
  #closing: Promise<void> | null = null;

  constructor(path: string, url: string, reader: DatabaseSync, readOnly: boolean) {
    this.#identity = identityOf(reader, path);
    this.url = url;
    this.#readOnly = readOnly;
    this.#reader = reader;
    this.id = this.#identity.ledger;
    this.part = this.#identity.part;
    this.#attempts = new Attempts(path, url);
    this.#reading = new Reading(reader, (position) => makeCursor(this.id, position), stillTrue(reader, path));
    this.#cursors = new Cursors(this.id, url, this.#reading, this.#attempts);
    this.#feeds = new Feeds(this.#identity, this.#reading, this.#cursors, this.#attempts);
    this.#survey = new Survey(this.#reading, this.#cursors, this.#attempts);
  }

  async append(stream: string, events: readonly NewEvent[], options: AppendOptions): Promise<Appended> {
    this.#attempts.requireOpen();
    const { expect, signal } = options;
    if (expect === 'any' && events.length >= bulkEvents && !isChained(stream)) {
      return this.#appended(await this.#turns.take(() => this.#appendBulk(stream, events, signal), signal));
    }
    const prepared = [prepareEvents(stream, events, maxEventBytes)];
    return this.#appended(await this.#turns.take(() => this.#appendHere(stream, prepared, options), signal));
  }

  #appendHere(
    stream: string,
    prepared: readonly PreparedEvent[][],
    options: AppendOptions,
  ): Written | Promise<Written> {
    if (this.#writer === null) return this.#openWriter().then(() => this.#appendHere(stream, prepared, options));
    const { writing } = this.#writer;
    return this.#attempts.make(() => writing.append(stream, prepared, options.expect), options.signal);
  }

  #appended({ revision, existed, digests, position }: Written): Appended {
    return { revision, existed, digests, cursor: this.#cursors.at(position) };
  }

  async replicate(events: readonly StoredEvent[], signal?: AbortSignal): Promise<Replicated> {
    this.#attempts.requireOpen();
    const done = await this.#turns.take(async () => {
      const { writing } = this.#writer ?? (await this.#openWriter());
      return await this.#attempts.make(() => writing.replicate(events), signal);
    }, signal);
    return { existed: done.existed, cursor: this.#cursors.at(done.position) };
  }

  async #appendBulk(stream: string, events: readonly NewEvent[], signal: AbortSignal | undefined): Promise<Written> {
    if (this.#readOnly) throw this.#refuseToWrite();
    this.#attempts.requireOpen();
    signal?.throwIfAborted();
    const stop = this.#attempts.endOr(signal);
    try {
      if (this.#bulk === null || this.#bulk.broken) this.#bulk = new Bulk(this.#identity);
      return await this.#bulk.append(stream, events, stop);
    } catch (error) {
      if (this.#attempts.areOver && error === stop.reason) throw new LedgerClosed(this.url);
      throw translate(error, this.#identity.path);
    }
  }

  read(stream: string, options: ReadOptions = {}): AsyncGenerator<readonly StoredEvent[]> {
    return this.#feeds.ofStream(stream, options);
  }

  readAll(options: ReadAllOptions = {}): AsyncGenerator<readonly StoredEvent[]> {
    return this.#feeds.ofAll(options);
  }

  subscribe(options: SubscribeOptions = {}): AsyncGenerator<Delivery> {
    return this.#feeds.live(options);
  }

  streams(prefix = ''): AsyncGenerator<readonly StreamEnd[]> {
    return this.#survey.streams(prefix);
  }

  digests(of: DigestsOf): AsyncGenerator<string> {
    return this.#survey.digests(of);
  }

  ranges(events: number, span: { after?: Cursor; until?: Cursor } = {}): Promise<readonly EventRange[]> {
    return this.#survey.ranges(events, span);
  }

  async *audit({ wholly = true, run = null }: AuditOptions = {}): AsyncGenerator<StoreFault> {
    yield* await this.#attempts.make(() => [...auditFile(this.#reader, this.#identity.path, wholly, run)]);
  }

  async find(id: string, limit = 2): Promise<readonly StoredEvent[]> {
    const digits = id.toLowerCase().replaceAll('-', '');
    if (!/^[0-9a-f]{4,32}$/.test(digits)) return [];
    return await this.#attempts.make(() => this.#reading.byId(digits.padEnd(32, '0'), digits.padEnd(32, 'f'), limit));
  }

  async head(): Promise<Head> {
    const events = await this.#cursors.last();
    return { cursor: this.#cursors.at(events), events };
  }

  compareCursors(a: Cursor, b: Cursor): CursorOrder {
    return this.#cursors.compare(a, b);
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    this.#attempts.end();
    await this.#opening?.catch(nothing);
    await this.#turns.allDone();
    await this.#bulk?.close();
    this.#reader.close();
    // The last to close folds the log back into the file, which one that only reads cannot do.
    this.#writer?.db.close();
  }

  #openWriter(): Promise<Writer> {
    this.#opening ??= this.#connectWriter().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #connectWriter(): Promise<Writer> {
    if (this.#readOnly) throw this.#refuseToWrite();
    const db = await connectWriter(this.#identity);
    this.#writer = { db, writing: new Writing(db, this.#identity) };
    return this.#writer;
  }

  #refuseToWrite(): UnsupportedByStore {
    return new UnsupportedByStore(this.url, 'append: it was opened for reading only');
  }
}
