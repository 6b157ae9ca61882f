// Reading events in pages. A page is read in one short step and given out whole, so that no snapshot is held while the
// reader works: a long one would keep the write-ahead log from being folded back.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Cursor } from '../event.ts';
import type { StreamEnd } from '../ledger.ts';
import { StoredEvent } from '../stored.ts';
import { isBusy } from './faults.ts';
import { DamagedPosition } from './impossible.ts';
import { Names } from './names.ts';
import { inPack, PackReader } from './packs.ts';

/** A page ends at so many events or so many characters, whichever comes first. */
export const pageEvents = 1000;
export const pageCharacters = 4_000_000;

const pageDigests = 4000;
const pageStreams = 1000;

/** More than that, each with its envelope, do not fit. */
const eventsOnAPage = 100;

export interface Page {
  readonly events: readonly StoredEvent[];
  /** The position of each event. */
  readonly positions: readonly number[];
  /** There may be more behind this page. */
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

/** A larger body is fetched by itself, so that the rows of a page, which are fetched in one call, are no larger than a page. */
const largestWithRow = pageCharacters / pageEvents;

const columns = `position, stream, revision, type, lower(hex(id)), recorded_at, lower(hex(digest)),
  CASE WHEN octet_length(body) <= ${largestWithRow} THEN body END`;

export class Reading {
  readonly #db: DatabaseSync;
  readonly #cursorOf: (position: number) => Cursor;
  readonly #stillTrue: () => void;
  readonly #prepared = new Map<string, StatementSync>();
  readonly streams: Names;
  readonly types: Names;
  readonly #packs: PackReader;
  readonly #last: StatementSync;
  readonly #end: StatementSync;
  readonly #positionOf: StatementSync;
  readonly #streamEnds: StatementSync;
  readonly #dataVersion: StatementSync;
  #seenDataVersion = -1;

  /** `stillTrue` throws when what the connection reads is no longer what is there. */
  constructor(db: DatabaseSync, cursorOf: (position: number) => Cursor, stillTrue: () => void) {
    this.#db = db;
    this.#cursorOf = cursorOf;
    this.#stillTrue = stillTrue;
    this.streams = new Names(db, 'streams', 'read');
    this.types = new Names(db, 'types', 'read');
    this.#packs = new PackReader(db);
    this.#last = db.prepare('SELECT max(position) AS position FROM events');
    this.#end = db.prepare('SELECT revision, position FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1');
    this.#positionOf = db.prepare('SELECT position FROM events WHERE stream = ? AND revision = ?');
    this.#streamEnds = db.prepare(
      `SELECT name, revision, position FROM streams JOIN events USING (stream)
       WHERE name > ? AND name >= ? AND name < ?
         AND revision = (SELECT max(revision) FROM events WHERE stream = streams.stream)
       ORDER BY name LIMIT ${pageStreams}`,
    );
    this.#dataVersion = db.prepare('PRAGMA data_version');
  }

  /** The last position; 0 in an empty ledger. Positions have no gaps, so it is also the number of events. */
  lastPosition(): number {
    this.#stillTrue();
    return Number(this.#last.get()?.['position'] ?? 0);
  }

  /** Throws where a position is one that no file of this size can have: whoever went through them all would never end. */
  requirePlausible(position: number): void {
    const pages = Number(Object.values(this.#db.prepare('PRAGMA page_count').get() ?? {})[0]);
    if (position > pages * eventsOnAPage) throw new DamagedPosition(position);
  }

  /** Changes whenever another connection, in this process or another, has committed. Busy counts as unchanged. */
  dataVersion(): number {
    this.#stillTrue();
    try {
      this.#seenDataVersion = Number(this.#dataVersion.get()?.['data_version']);
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    return this.#seenDataVersion;
  }

  /** The last revision of a stream, and its position; null for a stream without events. */
  endOf(stream: number): { readonly revision: number; readonly position: number } | null {
    const row = this.#end.get(stream);
    return row === undefined ? null : { revision: Number(row['revision']), position: Number(row['position']) };
  }

  /** How many of a stream's first `count` revisions lie before a position: by bisection, since both grow together. */
  revisionsBefore(stream: number, position: number, count: number): number {
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = Number(this.#positionOf.get(stream, middle)?.['position']);
      if (found < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The streams after one in the order of names, those with events only, a page of them. */
  streamEnds(prefix: string, after: string | null): readonly StreamEnd[] {
    this.#stillTrue();
    // Names are ASCII: this is above every name with the prefix.
    const rows = this.#streamEnds.all(after ?? '', prefix, `${prefix}\u007f`);
    return rows.map((row) => {
      const cursor = this.#cursorOf(Number(row['position']));
      return { stream: String(row['name']), revision: Number(row['revision']), cursor };
    });
  }

  /** Each call gives the next digests of a stream, put together; nothing at the end. */
  digestsOfStream(stream: string, from: number, to: number): () => string {
    const number = this.streams.numberOf(stream);
    const statement = this.#digestsOf('revision', 'stream = ? AND revision BETWEEN ? AND ? ORDER BY revision');
    let next = from;
    return () => {
      this.#stillTrue();
      if (number === null || next > to) return '';
      const [last, digests] = statement.get(number, next, to) as unknown as [number | null, string | null];
      next = (last ?? to) + 1;
      return digests ?? '';
    };
  }

  /** The same of the whole ledger, behind one position up to another. */
  digestsOfSpan(after: number, until: number): () => string {
    const statement = this.#digestsOf('position', 'position BETWEEN ? AND ? ORDER BY position');
    let next = after + 1;
    return () => {
      this.#stillTrue();
      if (next > until) return '';
      const [last, digests] = statement.get(next, until) as unknown as [number | null, string | null];
      next = (last ?? until) + 1;
      return digests ?? '';
    };
  }

  #digestsOf(key: string, where: string): StatementSync {
    const rows = `SELECT ${key} AS key, digest FROM events WHERE ${where} LIMIT ${pageDigests}`;
    return this.#prepare(`SELECT max(key), lower(group_concat(hex(digest), '')) FROM (${rows})`);
  }

  /** The events whose ids lie between two UUIDs, as 32 hexadecimal digits, both included. */
  byId(from: string, to: string, limit: number): readonly StoredEvent[] {
    return this.page('id BETWEEN unhex(?) AND unhex(?) ORDER BY id', [from, to], limit).events;
  }

  /** At most one page of the rows that `where` (with its order) selects. */
  page(where: string, parameters: readonly SQLInputValue[], limit = pageEvents, most = pageCharacters): Page {
    this.#stillTrue();
    const rowsAtMost = Math.min(limit, pageEvents);
    const events: StoredEvent[] = [];
    const positions: number[] = [];
    let characters = 0;
    const statement = this.#prepare(`SELECT ${columns} FROM events WHERE ${where} LIMIT ?`);
    const rows = statement.all(...parameters, rowsAtMost) as unknown as readonly Row[];
    for (const row of rows) {
      const event = this.#event(row);
      events.push(event);
      positions.push(row[0]);
      characters += event.body.length;
      if (characters >= most) return { events, positions, full: true };
    }
    return { events, positions, full: events.length === rowsAtMost };
  }

  #bodyAt(position: number): string {
    const [body] = this.#prepare('SELECT body FROM events WHERE position = ?').get(position) as unknown as [string];
    return body;
  }

  /** Each statement once; its rows come as arrays. */
  #prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(sql);
    statement.setReturnArrays(true);
    this.#prepared.set(sql, statement);
    return statement;
  }

  #event([position, stream, revision, type, filedId, recordedAt, digest, small]: Row): StoredEvent {
    const body = small ?? this.#bodyAt(position);
    const unpacked = body === inPack ? this.#packs.bodyAt(position, digest) : '';
    return new StoredEvent(
      this.streams.nameOf(stream),
      revision,
      this.types.nameOf(type),
      filedId,
      recordedAt,
      digest,
      body === inPack ? unpacked : body,
      this.#cursorOf(position),
      unpacked === '' ? null : digest,
    );
  }
}
