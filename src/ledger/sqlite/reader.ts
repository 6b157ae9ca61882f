// The reading half of the embedded store: events of one stream, of the whole ledger, and as they are committed; the list of
// streams; and cursors, which consist of the ledger's id and a position, so that cursors of other ledgers are detected.
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { BadCursor, damagedLedger, LedgerClosed } from '../errors.ts';
import { type Cursor, type CursorOrder, idDigits } from '../event.ts';
import type {
  AuditOptions,
  Delivery,
  DigestsOf,
  EventRange,
  Head,
  Ledger,
  ReadAllOptions,
  ReadOptions,
  StoreFault,
  StreamEnd,
  SubscribeOptions,
} from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';
import { FileAccess } from './access.ts';
import { auditFile } from './audit.ts';
import { changeCheck, type Identity, identityOf, requireSameFile } from './connection.ts';
import { hasRandomIds } from './layout.ts';
import { Pages } from './pages.ts';
import { idBetween } from './random-ids.ts';
import { type Merged, merged, type Range } from './scans.ts';

const beyond = Number.MAX_SAFE_INTEGER;

export class SqliteReader {
  readonly id: string;
  readonly url: string;
  readonly part: Ledger['part'];
  protected readonly identity: Identity;
  protected readonly access: FileAccess;
  protected readonly reader: DatabaseSync;
  readonly #pages: Pages;

  constructor(path: string, url: string, reader: DatabaseSync) {
    this.identity = identityOf(reader, path);
    this.url = url;
    this.id = this.identity.ledger;
    this.part = this.identity.part;
    this.reader = reader;
    this.access = new FileAccess(path, url);
    this.#pages = new Pages(reader, (position) => this.cursorAt(position), changeCheck(reader, path));
  }

  async *read(stream: string, options: ReadOptions = {}): AsyncGenerator<readonly StoredEvent[]> {
    const { backwards = false } = options;
    const where = `stream = ? AND revision BETWEEN ? AND ? ORDER BY revision ${backwards ? 'DESC' : 'ASC'}`;
    let { from = 0, to = beyond, limit = beyond } = options;
    while (limit > 0 && from <= to) {
      const page = await this.access.run(() => {
        const number = this.#pages.streams.numberOf(stream);
        return number === null ? null : this.#pages.page(where, [number, from, to], limit);
      });
      const last = page?.events.at(-1);
      if (page === null || last === undefined) return;
      yield page.events;
      if (!page.full) return;
      limit -= page.events.length;
      if (backwards) to = last.revision - 1;
      else from = last.revision + 1;
    }
  }

  async *readAll(options: ReadAllOptions = {}): AsyncGenerator<readonly StoredEvent[]> {
    const { after, until, backwards = false, limit = beyond } = options;
    const [start, end] = await this.#ends(after, until);
    const range = backwards
      ? { after: 0, before: after === undefined ? end + 1 : start }
      : { after: start, before: end + 1 };
    if (limit <= 0) return;
    let left = limit;
    for await (const { events } of this.#merged(options, range, backwards)) {
      const some = events.length > left ? events.slice(0, left) : events;
      if (some.length > 0) yield some;
      left -= some.length;
      if (left <= 0) return;
    }
  }

  async *subscribe(options: SubscribeOptions = {}): AsyncGenerator<Delivery> {
    this.access.requireOpen();
    const ended = this.access.untilClosed(options.signal);
    let after = await this.#positionAt(options.after);
    const commits = new Commits(this.identity, () => this.#pages.dataVersion(), ended);
    try {
      while (!ended.aborted) {
        const end = await this.#lastPosition();
        for await (const { events, position } of this.#merged(options, { after, before: end + 1 }, false)) {
          yield { kind: 'events', events, cursor: this.cursorAt(position) };
          if (ended.aborted) return;
        }
        after = end;
        yield { kind: 'caught-up', cursor: this.cursorAt(after) };
        await commits.next();
      }
    } catch (error) {
      // Closing the ledger ends its subscriptions without an error.
      if (!(error instanceof LedgerClosed)) throw error;
    } finally {
      commits.close();
    }
  }

  /** The selected events of a range; later commits are beyond it. */
  async *#merged(selection: ReadAllOptions, range: Range, backwards: boolean): AsyncGenerator<Merged> {
    let rest = range;
    let pages: Generator<Merged> | null = null;
    const step = (): IteratorResult<Merged> => {
      pages ??= merged(this.#pages, selection, rest, backwards);
      try {
        return pages.next();
      } catch (error) {
        // A generator that threw has ended, so a retry must begin where the last page ended.
        pages = null;
        throw error;
      }
    };
    for (;;) {
      const next = await this.access.run(step);
      if (next.done === true) return;
      yield next.value;
      rest = backwards ? { ...rest, before: next.value.position } : { ...rest, after: next.value.position };
    }
  }

  async *streams(prefix = ''): AsyncGenerator<readonly StreamEnd[]> {
    for (let after: string | null = null; ; ) {
      const page: readonly StreamEnd[] = await this.access.run(() => this.#pages.streamEnds(prefix, after));
      if (page.length === 0) return;
      yield page;
      after = page.at(-1)?.stream ?? null;
    }
  }

  async *digests(of: DigestsOf): AsyncGenerator<string> {
    const step = await this.#digestsOf(of);
    for (;;) {
      const digests = await this.access.run(step);
      if (digests === '') return;
      yield digests;
    }
  }

  async #digestsOf(of: DigestsOf): Promise<() => string> {
    if ('stream' in of)
      return await this.access.run(() => this.#pages.digests(of.stream, of.from ?? 0, of.to ?? beyond));
    const [start, end] = await this.#ends(of.after ?? undefined, of.until);
    return this.#pages.digests(null, start + 1, end);
  }

  async ranges(events: number, span: Pick<ReadAllOptions, 'after' | 'until'> = {}): Promise<readonly EventRange[]> {
    const [start, end] = await this.#ends(span.after, span.until);
    // Iterating up to a forged position would never end.
    if (end > (await this.access.run(() => this.#pages.mostEvents())))
      throw damagedLedger(this.identity.path, `its last position is impossible for a file of this size: ${end}`);
    const found: EventRange[] = [];
    for (let from = start; from < end; from += events) {
      const to = Math.min(from + events, end);
      const after = from === 0 ? null : this.cursorAt(from);
      found.push({ after, until: this.cursorAt(to), events: to - from });
    }
    return found;
  }

  async *audit({ wholly = true, run = null }: AuditOptions = {}): AsyncGenerator<StoreFault> {
    yield* await this.access.run(() => [...auditFile(this.reader, this.identity.path, wholly, run)]);
  }

  async find(id: string, limit = 2): Promise<readonly StoredEvent[]> {
    const digits = idDigits(id);
    if (digits === null) return [];
    const bounds = [digits.padEnd(32, '0'), digits.padEnd(32, 'f')];
    return await this.access.run(() => {
      const where = hasRandomIds(this.reader) ? idBetween : 'id BETWEEN unhex(?) AND unhex(?)';
      return this.#pages.page(`${where} ORDER BY id`, bounds, limit).events;
    });
  }

  async head(): Promise<Head> {
    const events = await this.#lastPosition();
    return { cursor: this.cursorAt(events), events };
  }

  async #lastPosition(): Promise<number> {
    return await this.access.run(() => this.#pages.lastPosition());
  }

  protected cursorAt(position: number): Cursor {
    return `${this.id}@${position}`;
  }

  compareCursors(a: Cursor, b: Cursor): CursorOrder {
    const difference = this.#parsed(a) - this.#parsed(b);
    return difference === 0 ? 'equal' : difference < 0 ? 'before' : 'after';
  }

  /** The positions of two cursors; without them, those before and of the last event. */
  async #ends(after: Cursor | undefined, until: Cursor | undefined): Promise<[start: number, end: number]> {
    const start = await this.#positionAt(after);
    return [start, until === undefined ? await this.#lastPosition() : await this.#positionAt(until)];
  }

  /** The position of a cursor; without one, that before all events. */
  async #positionAt(cursor: Cursor | undefined): Promise<number> {
    if (cursor === undefined) return 0;
    const position = this.#parsed(cursor);
    const last = await this.#lastPosition();
    if (position > last) throw new BadCursor(cursor, this.url, `the ledger ends at ${last}`);
    return position;
  }

  #parsed(cursor: Cursor): number {
    const [, owner, digits] = /^([^@]+)@(0|[1-9][0-9]{0,15})$/.exec(cursor) ?? [];
    if (digits === undefined) throw new BadCursor(cursor, this.url, 'it has another form');
    if (owner !== this.id) throw new BadCursor(cursor, this.url, `it belongs to ledger ${owner}, this is ${this.id}`);
    return Number(digits);
  }
}

/** After a hint SQLite is polled often and then less often, up to this pause. */
const slowestMs = 100;

/**
 * Detects commits of other processes. SQLite's data_version is authoritative and cheap to poll; a watch on the folder is only a
 * hint to poll sooner, since the log grows a moment before its commit becomes visible.
 */
class Commits {
  readonly #identity: Identity;
  readonly #dataVersion: () => number;
  readonly #signal: AbortSignal;
  readonly #watcher: FSWatcher | null;
  #seen: number;
  #pause = 1;
  #wake = (): void => undefined;

  constructor(identity: Identity, dataVersion: () => number, signal: AbortSignal) {
    this.#identity = identity;
    this.#dataVersion = dataVersion;
    this.#signal = signal;
    this.#seen = dataVersion();
    this.#watcher = watchFolder(identity.path, this.#hint);
    signal.addEventListener('abort', this.#hint, { once: true });
  }

  /** Resolves once something was committed since the last check, or the signal aborts. */
  async next(): Promise<void> {
    while (!this.#signal.aborted) {
      const version = this.#dataVersion();
      if (version !== this.#seen) {
        this.#seen = version;
        this.#pause = 1;
        return;
      }
      requireSameFile(this.#identity);
      await this.#rest();
    }
  }

  close(): void {
    this.#signal.removeEventListener('abort', this.#hint);
    this.#watcher?.close();
  }

  readonly #hint = (): void => {
    this.#pause = 1;
    this.#wake();
  };

  async #rest(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#pause);
    this.#pause = Math.min(this.#pause * 2, slowestMs);
    this.#wake = resolve;
    await promise;
    clearTimeout(timer);
  }
}

/** Null: the system has no watches left, so polling has to suffice. */
function watchFolder(path: string, hint: () => void): FSWatcher | null {
  const log = `${basename(path)}-wal`;
  try {
    const watcher = watch(dirname(path), { persistent: false }, (_, name) => {
      if (name === null || name === log) hint();
    });
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}
