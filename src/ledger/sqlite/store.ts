// The embedded store: one SQLite file in WAL mode. Durable commits, a total order, optimistic concurrency, many processes
// reading and writing at once. One connection writes, one reads; each is opened when it is first needed.
import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { isChained } from '../../../schemas/streams.ts';
import type { Cursor, CursorOrder } from '../cursor.ts';
import { BadCursor, LedgerClosed, UnsupportedByStore } from '../errors.ts';
import type {
  Appended,
  AppendOptions,
  Capabilities,
  Delivery,
  Head,
  Ledger,
  OpenOptions,
  ReadAllOptions,
  ReadOptions,
  SubscribeOptions,
} from '../ledger.ts';
import { prepareEvents } from '../prepare.ts';
import type { StoredEvent } from '../stored.ts';
import { bulkEvents } from './bulk.ts';
import { BulkTurns } from './bulk-turns.ts';
import { connect, create, readMeta } from './connection.ts';
import { makeCursor, positionOf } from './cursors.ts';
import { isBusy, translate } from './faults.ts';
import { Following } from './following.ts';
import { type Merged, merged, type Span } from './lanes.ts';
import { maxEventBytes } from './layout.ts';
import { migrate } from './migrate.ts';
import { patiently } from './patience.ts';
import { Reading } from './reading.ts';
import { Writing, type Written } from './writing.ts';

const capabilities: Capabilities = {
  totalOrder: true,
  expectations: ['any', 'none', 'exists', 'revision'],
  atomicAppend: true,
  backwards: true,
  indexedStreams: true,
  findById: true,
  maxEventBytes,
};

const beyond = Number.MAX_SAFE_INTEGER;

export async function openSqlite(place: string, options: OpenOptions): Promise<Ledger> {
  const path = resolve(place);
  if (options.create === true) await create(path);
  if (options.readOnly !== true) await migrate(path);
  const reader = await connect(path, 'read');
  return new SqliteLedger(path, `sqlite:${place}`, reader, options.readOnly ?? false);
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
  readonly #path: string;
  readonly #readOnly: boolean;
  readonly #reader: DatabaseSync;
  readonly #reading: Reading;
  #writer: Writer | null = null;
  #opening: Promise<Writer> | null = null;
  readonly #bulk: BulkTurns;
  readonly #closed = new AbortController();

  constructor(path: string, url: string, reader: DatabaseSync, readOnly: boolean) {
    this.#path = path;
    this.url = url;
    this.#readOnly = readOnly;
    this.#reader = reader;
    this.#bulk = new BulkTurns(path);
    this.id = readMeta(reader, 'ledger');
    this.#reading = new Reading(reader, (position) => makeCursor(this.id, position));
  }

  async append(stream: string, events: readonly NewEvent[], options: AppendOptions): Promise<Appended> {
    this.#requireOpen();
    const { writing } = this.#writer ?? (await this.#openWriter());
    const { expect, signal } = options;
    if (expect === 'any' && events.length >= bulkEvents && !isChained(stream)) {
      const mayBegin = (): void => {
        this.#requireOpen();
        signal?.throwIfAborted();
      };
      return this.#appended(await this.#bulk.append(stream, events, mayBegin));
    }
    const prepared = [prepareEvents(stream, events, maxEventBytes)];
    if (this.#bulk.underWay !== null) await this.#bulk.underWay;
    return this.#appended(await this.#patiently(() => writing.append(stream, prepared, expect), signal));
  }

  #appended({ revision, existed, position }: Written): Appended {
    return { revision, existed, cursor: makeCursor(this.id, position) };
  }

  async *read(stream: string, options: ReadOptions = {}): AsyncGenerator<readonly StoredEvent[]> {
    const backwards = options.backwards ?? false;
    const order = backwards ? 'DESC' : 'ASC';
    const where = `stream = ? AND revision BETWEEN ? AND ? ORDER BY revision ${order}`;
    let { from = 0, to = beyond, limit = beyond } = options;
    while (limit > 0 && from <= to) {
      const number = await this.#patiently(() => this.#reading.streams.numberOf(stream));
      if (number === null) return;
      const page = await this.#patiently(() => this.#reading.page(where, [number, from, to], limit));
      const last = page.events.at(-1);
      if (last === undefined) return;
      yield page.events;
      if (!page.full) return;
      limit -= page.events.length;
      if (backwards) to = last.revision - 1;
      else from = last.revision + 1;
    }
  }

  async *readAll(options: ReadAllOptions = {}): AsyncGenerator<readonly StoredEvent[]> {
    const backwards = options.backwards ?? false;
    let left = options.limit ?? beyond;
    for await (const { events } of this.#rounds(options, backwards)) {
      const some = events.length > left ? events.slice(0, left) : events;
      if (some.length > 0) yield some;
      left -= some.length;
      if (left <= 0) return;
    }
  }

  async *subscribe(options: SubscribeOptions = {}): AsyncGenerator<Delivery> {
    this.#requireOpen();
    const ended = AbortSignal.any([this.#closed.signal, ...(options.signal === undefined ? [] : [options.signal])]);
    const following = new Following(this.#path, () => this.#reading.dataVersion(), ended);
    let cursor = makeCursor(this.id, this.#startOf(options.after));
    try {
      while (!ended.aborted) {
        for await (const { events, position } of this.#rounds({ ...options, after: cursor }, false)) {
          cursor = makeCursor(this.id, position);
          if (events.length > 0) yield { kind: 'events', events, cursor };
          if (ended.aborted) return;
        }
        yield { kind: 'caught-up', cursor };
        await following.changed();
      }
    } catch (error) {
      // Closing the ledger ends its subscriptions; it is no failure of theirs.
      if (!(error instanceof LedgerClosed)) throw error;
    } finally {
      following.close();
    }
  }

  async find(id: string, limit = 2): Promise<readonly StoredEvent[]> {
    const digits = id.toLowerCase().replaceAll('-', '');
    if (!/^[0-9a-f]{4,32}$/.test(digits)) return [];
    return await this.#patiently(() => this.#reading.byId(digits.padEnd(32, '0'), digits.padEnd(32, 'f'), limit));
  }

  async head(): Promise<Head> {
    const position = await this.#patiently(() => this.#reading.lastPosition());
    return { cursor: makeCursor(this.id, position), events: position };
  }

  compareCursors(a: Cursor, b: Cursor): CursorOrder {
    const difference = positionOf(a, this.id, this.url) - positionOf(b, this.id, this.url);
    return difference === 0 ? 'equal' : difference < 0 ? 'before' : 'after';
  }

  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    await this.#opening?.catch(nothing);
    await this.#bulk.close();
    this.#reader.close();
    // The last to close folds the log back into the file, which one that only reads cannot do.
    this.#writer?.db.close();
  }

  /**
   * What is wanted after a position, in rounds: each goes as far as the ledger reached at its start, and the last one
   * found nothing new. Every round ends with where it has come to, also when nothing there was wanted.
   */
  async *#rounds(options: ReadAllOptions, backwards: boolean): AsyncGenerator<Merged> {
    let after = backwards ? 0 : this.#startOf(options.after);
    for (;;) {
      const end = await this.#patiently(() => this.#reading.lastPosition());
      if (end <= after) return;
      const before = backwards && options.after !== undefined ? this.#startOf(options.after) : end + 1;
      yield* this.#round(options, { after, before }, backwards);
      if (backwards) return;
      yield { events: [], position: end };
      after = end;
    }
  }

  async *#round(wanted: ReadAllOptions, span: Span, backwards: boolean): AsyncGenerator<Merged> {
    let rest = span;
    let pages: Generator<Merged> | null = null;
    const step = (): IteratorResult<Merged> => {
      pages ??= merged(this.#reading, wanted, rest, backwards);
      try {
        return pages.next();
      } catch (error) {
        // A generator that threw has ended: a second try must begin where the last page ended.
        pages = null;
        throw error;
      }
    };
    for (;;) {
      const next = await this.#patiently(step);
      if (next.done === true) return;
      yield next.value;
      rest = backwards ? { ...rest, before: next.value.position } : { ...rest, after: next.value.position };
    }
  }

  #startOf(cursor: Cursor | undefined): number {
    if (cursor === undefined) return 0;
    const position = positionOf(cursor, this.id, this.url);
    const last = this.#reading.lastPosition();
    if (position > last) throw new BadCursor(cursor, this.url, `the ledger ends at ${last}`);
    return position;
  }

  #openWriter(): Promise<Writer> {
    this.#opening ??= this.#connectWriter().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #connectWriter(): Promise<Writer> {
    if (this.#readOnly) throw new UnsupportedByStore(this.url, 'append: it was opened for reading only');
    const db = await connect(this.#path, 'write');
    this.#writer = { db, writing: new Writing(db, this.#path) };
    return this.#writer;
  }

  /** Mostly there is no lock to wait for, and then nothing is waited for. */
  #patiently<Result>(attempt: () => Result, signal?: AbortSignal): Result | Promise<Result> {
    this.#requireOpen();
    signal?.throwIfAborted();
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw translate(error, this.#path);
    }
    return this.#waitingly(attempt, signal);
  }

  async #waitingly<Result>(attempt: () => Result, signal?: AbortSignal): Promise<Result> {
    const step = (): Result => {
      this.#requireOpen();
      return attempt();
    };
    try {
      return await patiently(this.#path, step, signal);
    } catch (error) {
      throw translate(error, this.#path);
    }
  }

  #requireOpen(): void {
    if (this.#closed.signal.aborted) throw new LedgerClosed(this.url);
  }
}
