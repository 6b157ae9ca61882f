// Reads events in pages. Each page is read in one short step, so that no snapshot is held while the consumer works: a long snapshot
// would prevent checkpoints of the write-ahead log.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { getOrCreate } from '../../base/get-or-create.ts';
import type { Cursor } from '../event.ts';
import type { StreamEnd } from '../ledger.ts';
import { StoredEvent } from '../stored.ts';
import { isBusy } from './access.ts';
import { readPragma } from './layout.ts';
import { Names } from './names.ts';
import { inPack, PackReader } from './packs.ts';

/** A page ends at one of these limits, whichever comes first. */
export const pageEvents = 1000;
export const pageCharacters = 4_000_000;

const pageDigests = 4000;
const pageStreams = 1000;

/** The maximum number of events, with their envelopes, on a page of the file. */
const eventsOnAPage = 100;

export interface Page {
  readonly events: readonly StoredEvent[];
  /** The position of each event. */
  readonly positions: readonly number[];
  /** There may be more after this page. */
  readonly full: boolean;
}

type Row = [
  position: number,
  stream: number,
  revision: number,
  type: number,
  filedId: string,
  recordedAt: number,
  digest: string,
  body: string | null,
];

/** A larger body is fetched separately, so that the rows of a page, which are fetched in one call, are no larger than a page. */
const largestWithRow = pageCharacters / pageEvents;

const columns = `position, stream, revision, type, lower(hex(id)), recorded_at, lower(hex(digest)),
  CASE WHEN octet_length(body) <= ${largestWithRow} THEN body END`;

export class Pages {
  readonly #db: DatabaseSync;
  readonly #cursorAt: (position: number) => Cursor;
  readonly #requireUnchanged: () => void;
  readonly #prepared = new Map<string, StatementSync>();
  readonly #packs: PackReader;
  readonly streams: Names;
  readonly types: Names;
  #lastDataVersion = -1;

  /** `requireUnchanged` throws if the connection no longer reads the current content. */
  constructor(db: DatabaseSync, cursorAt: (position: number) => Cursor, requireUnchanged: () => void) {
    this.#db = db;
    this.#cursorAt = cursorAt;
    this.#requireUnchanged = requireUnchanged;
    this.streams = new Names(db, 'streams', 'read');
    this.types = new Names(db, 'types', 'read');
    this.#packs = new PackReader(db);
  }

  /** The last position; 0 in an empty ledger. Positions have no gaps, so it is also the number of events. */
  lastPosition(): number {
    const [position] = this.#first('SELECT max(position) FROM events') as [number | null];
    return position ?? 0;
  }

  /** A file of this size can have no more events. */
  mostEvents(): number {
    return readPragma(this.#db, 'page_count') * eventsOnAPage;
  }

  /** Changes whenever another connection, in this process or another, has committed. Busy counts as unchanged. */
  dataVersion(): number {
    try {
      [this.#lastDataVersion] = this.#first('PRAGMA data_version') as [number];
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    return this.#lastDataVersion;
  }

  /** The last revision of a stream, and its position; null: the stream has no events. */
  endOf(stream: number): { readonly revision: number; readonly position: number } | null {
    const last = 'SELECT revision, position FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1';
    const [revision, position] = (this.#first(last, stream) ?? []) as [number?, number?];
    return revision === undefined || position === undefined ? null : { revision, position };
  }

  /** How many of a stream's first `count` revisions are before a position: by bisection, since both increase together. */
  revisionsBefore(stream: number, position: number, count: number): number {
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = this.#first('SELECT position FROM events WHERE stream = ? AND revision = ?', stream, middle);
      if (Number(found?.[0]) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** A page of the streams with events, sorted by name, after a given one. */
  streamEnds(prefix: string, after: string | null): readonly StreamEnd[] {
    this.#requireUnchanged();
    const statement = this.#prepare(
      `SELECT name, revision, position FROM streams JOIN events USING (stream)
       WHERE name > ? AND name >= ? AND name < ?
         AND revision = (SELECT max(revision) FROM events WHERE stream = streams.stream)
       ORDER BY name LIMIT ${pageStreams}`,
    );
    // Names are ASCII, so this is above every name with the prefix.
    const rows = statement.all(after ?? '', prefix, `${prefix}\u007f`) as unknown as [string, number, number][];
    return rows.map(([stream, revision, position]) => ({ stream, revision, cursor: this.#cursorAt(position) }));
  }

  /**
   * Each call returns the next digests, concatenated; empty at the end. Of a stream by revision, or of the whole ledger by position;
   * both ends inclusive.
   */
  digests(stream: string | null, from: number, to: number): () => string {
    const number = stream === null ? null : this.streams.numberOf(stream);
    if (stream !== null && number === null) return () => '';
    const [key, filter] = number === null ? ['position', ''] : ['revision', 'stream = ? AND'];
    const parameters = number === null ? [] : [number];
    const rows = `SELECT ${key} AS key, digest FROM events WHERE ${filter} ${key} BETWEEN ? AND ? ORDER BY key LIMIT ${pageDigests}`;
    const sql = `SELECT max(key), lower(group_concat(hex(digest), '')) FROM (${rows})`;
    let next = from;
    return () => {
      if (next > to) return '';
      const [last, digests] = this.#first(sql, ...parameters, next, to) as [number | null, string | null];
      next = (last ?? to) + 1;
      return digests ?? '';
    };
  }

  /** At most one page of the rows that `where` (with its order) selects. */
  page(where: string, parameters: readonly SQLInputValue[], limit = pageEvents, most = pageCharacters): Page {
    this.#requireUnchanged();
    const rowsAtMost = Math.min(limit, pageEvents);
    const statement = this.#prepare(`SELECT ${columns} FROM events WHERE ${where} LIMIT ?`);
    const events: StoredEvent[] = [];
    const positions: number[] = [];
    let characters = 0;
    for (const row of statement.all(...parameters, rowsAtMost) as unknown as readonly Row[]) {
      const event = this.#event(row);
      events.push(event);
      positions.push(row[0]);
      characters += event.body.length;
      if (characters >= most) return { events, positions, full: true };
    }
    return { events, positions, full: events.length === rowsAtMost };
  }

  #event([position, stream, revision, type, filedId, recordedAt, digest, small]: Row): StoredEvent {
    const stored = small ?? String(this.#first('SELECT body FROM events WHERE position = ?', position)?.[0]);
    const unpacked = stored === inPack ? this.#packs.bodyAt(position, digest) : '';
    return new StoredEvent(
      this.streams.nameOf(stream),
      revision,
      this.types.nameOf(type),
      filedId,
      recordedAt,
      digest,
      stored === inPack ? unpacked : stored,
      this.#cursorAt(position),
      unpacked === '' ? null : digest,
    );
  }

  #first(sql: string, ...parameters: SQLInputValue[]): readonly unknown[] | undefined {
    this.#requireUnchanged();
    return this.#prepare(sql).get(...parameters) as unknown as readonly unknown[] | undefined;
  }

  /** Each statement is prepared once; its rows are arrays. */
  #prepare(sql: string): StatementSync {
    return getOrCreate(this.#prepared, sql, () => {
      const statement = this.#db.prepare(sql);
      statement.setReturnArrays(true);
      return statement;
    });
  }
}
