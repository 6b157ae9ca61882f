// The embedded store: one SQLite file in WAL mode, with durable commits, a total order, optimistic concurrency, and many
// processes that read and write concurrently. One connection reads and one writes; the second is opened on first use.
import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { unsupportedByStore } from '../errors.ts';
import { maxEventBytes } from '../event.ts';
import type { Appended, AppendOptions, Capabilities, Ledger, OpenOptions, Replicated } from '../ledger.ts';
import { prepareEvents } from '../prepare.ts';
import { type StoredEvent, skim } from '../stored.ts';
import { Turns } from '../turns.ts';
import { translate } from './access.ts';
import { connect, connectWriter, create, migrate } from './connection.ts';
import { SqliteReader } from './reader.ts';
import { Writing } from './writing.ts';

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

class SqliteLedger extends SqliteReader implements Ledger {
  readonly capabilities = capabilities;
  readonly #readOnly: boolean;
  #writing: Writing | null = null;
  readonly #turns = new Turns();
  #closing: Promise<void> | null = null;

  constructor(path: string, url: string, reader: DatabaseSync, readOnly: boolean) {
    super(path, url, reader);
    this.#readOnly = readOnly;
  }

  async append(stream: string, events: readonly NewEvent[], options: AppendOptions): Promise<Appended> {
    this.access.requireOpen();
    const prepared = prepareEvents(stream, events, maxEventBytes, options.types);
    const { position, ...appended } = await this.#write(
      (writing) => writing.append(stream, prepared, options.expect),
      options.signal,
    );
    return { ...appended, cursor: this.cursorAt(position) };
  }

  async replicate(events: readonly StoredEvent[], signal?: AbortSignal): Promise<Replicated> {
    this.access.requireOpen();
    const skimmed = events.map((event) => [event, skim(event)] as const);
    const { existed, position } = await this.#write((writing) => writing.replicate(skimmed), signal);
    return { existed, cursor: this.cursorAt(position) };
  }

  /** Writes in the order of the calls. */
  async #write<Result>(work: (writing: Writing) => Result, signal: AbortSignal | undefined): Promise<Result> {
    return await this.#turns.take(async () => {
      if (this.#readOnly) throw unsupportedByStore(this.url, 'append: it was opened read-only');
      this.#writing ??= new Writing(await connectWriter(this.identity), this.identity);
      const writing = this.#writing;
      return await this.access.run(() => work(writing), signal);
    }, signal);
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    this.access.close();
    await this.#turns.allDone();
    this.reader.close();
    // The last connection that closes checkpoints the log into the file, which a read-only one cannot do.
    this.#writing?.close();
  }
}
