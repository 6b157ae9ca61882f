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
  DigestsOf,
  Head,
  Ledger,
  OpenOptions,
  ReadAllOptions,
  ReadOptions,
  Replicated,
  StoreFault,
  StreamEnd,
  Stretch,
  SubscribeOptions,
} from '../ledger.ts';
import { type PreparedEvent, prepareEvents } from '../prepare.ts';
import type { StoredEvent } from '../stored.ts';
import { auditFile } from './audit.ts';
import { Bulk, bulkEvents } from './bulk.ts';
import { connect, connectWriter, create, type Identity, identityOf, stillTrue } from './connection.ts';
import { makeCursor, positionOf } from './cursors.ts';
import { isBusy, translate } from './faults.ts';
import { Following } from './following.ts';
import { type Merged, merged, type Span } from './lanes.ts';
import { maxEventBytes } from './layout.ts';
import { migrate } from './migrate.ts';
import { patiently } from './patience.ts';
import { Reading } from './reading.ts';
import { Turns } from './turns.ts';
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
  if (options.create === true && options.readOnly !== true) await create(path, options.createAs);
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
  readonly #identity: Identity;
  readonly #readOnly: boolean;
  readonly #reader: DatabaseSync;
  readonly #reading: Reading;
  #writer: Writer | null = null;
  #opening: Promise<Writer> | null = null;
  #bulk: Bulk | null = null;
  readonly #turns = new Turns();
  #closing: Promise<void> | null = null;
  readonly #closed = new AbortController();

  constructor(path: string, url: string, reader: DatabaseSync, readOnly: boolean) {
    this.#identity = identityOf(reader, path);
    this.url = url;
    this.#readOnly = readOnly;
    this.#reader = reader;
    this.id = this.#identity.ledger;
    this.#reading = new Reading(reader, (position) => makeCursor(this.id, position), stillTrue(reader, path));
  }

  async append(stream: string, events: readonly NewEvent[], options: AppendOptions): Promise<Appended> {
    this.#requireOpen();
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
    return this.#patiently(() => writing.append(stream, prepared, options.expect), options.signal);
  }

  #appended({ revision, existed, digests, position }: Written): Appended {
    return { revision, existed, digests, cursor: makeCursor(this.id, position) };
  }

  async replicate(events: readonly StoredEvent[], signal?: AbortSignal): Promise<Replicated> {
    this.#requireOpen();
    const done = await this.#turns.take(async () => {
      const { writing } = this.#writer ?? (await this.#openWriter());
      return await this.#patiently(() => writing.replicate(events), signal);
    }, signal);
    return { existed: done.existed, cursor: makeCursor(this.id, done.position) };
  }

  async #appendBulk(stream: string, events: readonly NewEvent[], signal: AbortSignal | undefined): Promise<Written> {
    if (this.#readOnly) throw this.#refuseToWrite();
    this.#requireOpen();
    signal?.throwIfAborted();
    const stop = AbortSignal.any([this.#closed.signal, ...(signal === undefined ? [] : [signal])]);
    try {
      if (this.#bulk === null || this.#bulk.broken) this.#bulk = new Bulk(this.#identity);
      return await this.#bulk.append(stream, events, stop);
    } catch (error) {
      if (this.#closed.signal.aborted && error === stop.reason) throw new LedgerClosed(this.url);
      throw translate(error, this.#identity.path);
    }
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
    const start = await this.#startOf(options.after);
    const end = await this.#endOf(options.until);
    const span = backwards
      ? { after: 0, before: options.after === undefined ? end + 1 : start }
      : { after: start, before: end + 1 };
    if (left <= 0) return;
    for await (const { events } of this.#round(options, span, backwards)) {
      const some = events.length > left ? events.slice(0, left) : events;
      if (some.length > 0) yield some;
      left -= some.length;
      if (left <= 0) return;
    }
  }

  async *subscribe(options: SubscribeOptions = {}): AsyncGenerator<Delivery> {
    this.#requireOpen();
    const ended = AbortSignal.any([this.#closed.signal, ...(options.signal === undefined ? [] : [options.signal])]);
    let after = await this.#startOf(options.after);
    const following = new Following(this.#identity, () => this.#reading.dataVersion(), ended);
    try {
      while (!ended.aborted) {
        const end = await this.#patiently(() => this.#reading.lastPosition());
        for await (const { events, position } of this.#round(options, { after, before: end + 1 }, false)) {
          yield { kind: 'events', events, cursor: makeCursor(this.id, position) };
          if (ended.aborted) return;
        }
        after = end;
        yield { kind: 'caught-up', cursor: makeCursor(this.id, after) };
        await following.changed();
      }
    } catch (error) {
      // Closing the ledger ends its subscriptions; it is no failure of theirs.
      if (!(error instanceof LedgerClosed)) throw error;
    } finally {
      following.close();
    }
  }

  async *streams(prefix = ''): AsyncGenerator<readonly StreamEnd[]> {
    for (let after: string | null = null; ; ) {
      const page: readonly StreamEnd[] = await this.#patiently(() => this.#reading.streamEnds(prefix, after));
      if (page.length === 0) return;
      yield page;
      after = page.at(-1)?.stream ?? null;
    }
  }

  async *digests(of: DigestsOf): AsyncGenerator<string> {
    const step =
      'stream' in of
        ? await this.#patiently(() => this.#reading.digestsOfStream(of.stream, of.from ?? 0, of.to ?? beyond))
        : this.#reading.digestsOfSpan(await this.#startOf(of.after ?? undefined), await this.#endOf(of.until));
    for (;;) {
      const digests = await this.#patiently(step);
      if (digests === '') return;
      yield digests;
    }
  }

  async stretches(events: number, span: { after?: Cursor; until?: Cursor } = {}): Promise<readonly Stretch[]> {
    const start = await this.#startOf(span.after);
    const end = await this.#endOf(span.until);
    await this.#patiently(() => this.#reading.requirePlausible(end));
    const found: Stretch[] = [];
    for (let from = start; from < end; from += events) {
      const to = Math.min(from + events, end);
      found.push({
        after: from === 0 ? null : makeCursor(this.id, from),
        until: makeCursor(this.id, to),
        events: to - from,
      });
    }
    return found;
  }

  async *audit({ wholly = true }: { wholly?: boolean } = {}): AsyncGenerator<StoreFault> {
    yield* await this.#patiently(() => [...auditFile(this.#reader, this.#identity.path, wholly)]);
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

  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    this.#closed.abort();
    await this.#opening?.catch(nothing);
    await this.#turns.allDone();
    await this.#bulk?.close();
    this.#reader.close();
    // The last to close folds the log back into the file, which one that only reads cannot do.
    this.#writer?.db.close();
  }

  /** What is wanted of a span; whatever is committed meanwhile lies beyond it. */
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

  async #startOf(cursor: Cursor | undefined): Promise<number> {
    if (cursor === undefined) return 0;
    const position = positionOf(cursor, this.id, this.url);
    const last = await this.#patiently(() => this.#reading.lastPosition());
    if (position > last) throw new BadCursor(cursor, this.url, `the ledger ends at ${last}`);
    return position;
  }

  /** The position of a cursor; without one, the last there is. */
  async #endOf(until: Cursor | undefined): Promise<number> {
    return until === undefined ? await this.#patiently(() => this.#reading.lastPosition()) : this.#startOf(until);
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

  /** Mostly there is no lock to wait for, and then nothing is waited for. */
  #patiently<Result>(attempt: () => Result, signal?: AbortSignal): Result | Promise<Result> {
    this.#requireOpen();
    signal?.throwIfAborted();
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw translate(error, this.#identity.path);
    }
    return this.#waitingly(attempt, signal);
  }

  async #waitingly<Result>(attempt: () => Result, signal?: AbortSignal): Promise<Result> {
    const step = (): Result => {
      this.#requireOpen();
      return attempt();
    };
    try {
      return await patiently(this.#identity.path, step, signal);
    } catch (error) {
      throw translate(error, this.#identity.path);
    }
  }

  #requireOpen(): void {
    if (this.#closed.signal.aborted) throw new LedgerClosed(this.url);
  }
}
