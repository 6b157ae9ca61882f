// The embedded store: one SQLite file in WAL mode. Durable commits, a total order, optimistic concurrency, many processes
// reading and writing at once. One connection reads, one writes; the second is opened when it is first needed.
import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { Turns } from '../../base/turns.ts';
import { UnsupportedByStore } from '../errors.ts';
import { maxEventBytes } from '../event.ts';
import type { Appended, AppendOptions, Capabilities, Ledger, OpenOptions, Replicated } from '../ledger.ts';
import { prepareEvents } from '../prepare.ts';
import { type StoredEvent, skim } from '../stored.ts';
import { translate } from './access.ts';
import { connect, connectWriter, create, migrate } from './connection.ts';
import { SqliteReader } from './reader.ts';
import { Writing } from './writing.ts';

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

class SqliteLedger extends SqliteReader implements Ledger {
  readonly capabilities = capabilities;
  readonly #readOnly: boolean;
  #writer: DatabaseSync | null = null;
  #writing: Writing | null = null;
  readonly #turns = new Turns();
  #closing: Promise<void> | null = null;

  constructor(path: string, url: string, reader: DatabaseSync, readOnly: boolean) {
    super(path, url, reader);
    this.#readOnly = readOnly;
  }

  async append(stream: string, events: readonly NewEvent[], options: AppendOptions): Promise<Appended> {
    this.access.requireOpen();
    const { expect, types, signal } = options;
    const prepared = prepareEvents(stream, events, maxEventBytes, types);
    const written = await this.#write((writing) => writing.append(stream, prepared, expect), signal);
    const { revision, existed, digests, position } = written;
    return { revision, existed, digests, cursor: this.cursorAt(position) };
  }

  async replicate(events: readonly StoredEvent[], signal?: AbortSignal): Promise<Replicated> {
    this.access.requireOpen();
    const skimmed = events.map((event) => [event, skim(event)] as const);
    const { existed, position } = await this.#write((writing) => writing.replicate(skimmed), signal);
    return { existed, cursor: this.cursorAt(position) };
  }

  #write<Result>(work: (writing: Writing) => Result, signal: AbortSignal | undefined): Promise<Result> {
    const write = (): Result | Promise<Result> => {
      const writing = this.#writing;
      return writing === null ? this.#openWriter().then(write) : this.access.run(() => work(writing), signal);
    };
    return this.#turns.take(write, signal);
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    this.access.close();
    await this.#turns.allDone();
    this.reader.close();
    // The last to close folds the log back into the file, which one that only reads cannot do.
    this.#writer?.close();
  }

  async #openWriter(): Promise<void> {
    if (this.#readOnly) throw new UnsupportedByStore(this.url, 'append: it was opened for reading only');
    this.#writer = await connectWriter(this.identity);
    this.#writing = new Writing(this.#writer, this.identity);
  }
}
