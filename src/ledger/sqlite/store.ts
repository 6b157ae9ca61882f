// The embedded store: one SQLite file in WAL mode, with durable commits, a total order, optimistic concurrency, and many
// processes that read and write concurrently. One connection reads and one writes; the second is opened on first use.
import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { NewEvent } from '../../../schemas/envelope.ts';
import type { IcecoreError } from '../../../schemas/errors.ts';
import { isChained } from '../../../schemas/streams.ts';
import { LedgerClosed, unsupportedByStore } from '../errors.ts';
import { maxEventBytes, type PreparedEvent } from '../event.ts';
import type { Appended, AppendOptions, Capabilities, Ledger, OpenOptions, Replicated } from '../ledger.ts';
import { prepareEvents } from '../prepare.ts';
import { type StoredEvent, skim } from '../stored.ts';
import { Turns } from '../turns.ts';
import { translate } from './access.ts';
import { Bulk, bulkEvents } from './bulk.ts';
import { connect, connectWriter, create, migrate } from './connection.ts';
import { SqliteReader } from './reader.ts';
import { Writing, type Written } from './writing.ts';

const capabilities: Capabilities = {
  attempts: 'open',
  totalOrder: true,
  atomicReplicate: true,
  backwards: true,
  findById: true,
  ids: 'ledger',
  fairWriters: true,
  maxEventBytes,
};

export async function openSqlite(place: string, options: OpenOptions): Promise<Ledger> {
  const path = resolve(place);
  const { create: mayCreate = false, readOnly = false } = options;
  if (mayCreate && !readOnly) await create(path, options.createAs, options.part);
  if (!readOnly) await migrate(path);
  const reader = await connect(path, 'read');
  try {
    return new SqliteLedger(path, `sqlite:${place}`, reader, readOnly);
  } catch (error) {
    reader.close();
    throw translate(error, path);
  }
}

interface Writer {
  readonly db: DatabaseSync;
  readonly writing: Writing;
}

class SqliteLedger extends SqliteReader implements Ledger {
  readonly capabilities = capabilities;
  readonly #readOnly: boolean;
  #writer: Writer | null = null;
  #opening: Promise<Writer> | null = null;
  #bulk: Bulk | null = null;
  readonly #turns = new Turns();
  #closing: Promise<void> | null = null;

  constructor(path: string, url: string, reader: DatabaseSync, readOnly: boolean) {
    super(path, url, reader);
    this.#readOnly = readOnly;
  }

  async append(stream: string, events: readonly NewEvent[], options: AppendOptions): Promise<Appended> {
    this.access.requireOpen();
    const { expect, signal } = options;
    let append: () => Written | Promise<Written>;
    if (expect === 'any' && events.length >= bulkEvents && !isChained(stream)) {
      append = () => this.#appendBulk(stream, events, signal);
    } else {
      const prepared = prepareEvents(stream, events, maxEventBytes, options.types);
      append = () => this.#appendHere(stream, prepared, options);
    }
    const { revision, existed, digests, position } = await this.#turns.take(append, signal);
    return { revision, existed, digests, cursor: this.cursorAt(position) };
  }

  #appendHere(stream: string, prepared: readonly PreparedEvent[], options: AppendOptions): Written | Promise<Written> {
    if (this.#writer === null) return this.#openWriter().then(() => this.#appendHere(stream, prepared, options));
    const { writing } = this.#writer;
    return this.access.run(() => writing.append(stream, prepared, options.expect), options.signal);
  }

  async #appendBulk(stream: string, events: readonly NewEvent[], signal: AbortSignal | undefined): Promise<Written> {
    if (this.#readOnly) throw this.#refuseToWrite();
    this.access.requireOpen();
    signal?.throwIfAborted();
    const stop = this.access.untilClosed(signal);
    try {
      if (this.#bulk === null || this.#bulk.broken) this.#bulk = new Bulk(this.identity);
      return await this.#bulk.append(stream, events, stop);
    } catch (error) {
      if (this.access.isClosed && error === stop.reason) throw new LedgerClosed(this.url);
      throw translate(error, this.identity.path);
    }
  }

  async replicate(events: readonly StoredEvent[], signal?: AbortSignal): Promise<Replicated> {
    this.access.requireOpen();
    const skimmed = events.map((event) => [event, skim(event)] as const);
    const done = await this.#turns.take(async () => {
      const { writing } = this.#writer ?? (await this.#openWriter());
      return await this.access.run(() => writing.replicate(skimmed), signal);
    }, signal);
    return { existed: done.existed, cursor: this.cursorAt(done.position) };
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    this.access.close();
    await this.#opening?.catch(() => undefined);
    await this.#turns.allDone();
    await this.#bulk?.close();
    this.reader.close();
    // The last connection that closes checkpoints the log into the file, which a read-only one cannot do.
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
    const db = await connectWriter(this.identity);
    this.#writer = { db, writing: new Writing(db, this.identity) };
    return this.#writer;
  }

  #refuseToWrite(): IcecoreError {
    return unsupportedByStore(this.url, 'append: it was opened read-only');
  }
}
