// One append, one write transaction: check what is there, give revisions and digests, insert, commit.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isChained } from '../../../schemas/streams.ts';
import { DuplicateId, NewerLedger, WrongRevision } from '../errors.ts';
import { sha256 } from '../identity/ids.ts';
import { differences } from '../identity/sameness.ts';
import type { Expectation } from '../ledger.ts';
import { bodyAt, type PreparedEvent } from '../prepare.ts';
import { type Identity, requireSameFile } from './connection.ts';
import { formatVersion } from './layout.ts';
import { Names } from './names.ts';

export interface Written {
  readonly revision: number;
  readonly existed: boolean[];
  /** The last position of the ledger after this append. */
  readonly position: number;
}

/** The end of a stream: its last revision (-1 for none) and that event's digest. */
interface End {
  readonly revision: number;
  readonly digest: string | null;
}

/** How far an append has come. */
interface Progress {
  end: End;
  readonly existed: boolean[];
  /** Of the last event inserted. */
  position: number | null;
}

const noEnd: End = { revision: -1, digest: null };

/** As many streams' ends are remembered; beyond it, all are looked up again. */
const rememberedEnds = 10_000;

/** How often to look whether the file is still the one that was opened. */
const fileCheckMs = 250;

interface Place {
  readonly stream: string;
  readonly revision: number;
}

export class Writing {
  readonly #db: DatabaseSync;
  readonly #identity: Identity;
  readonly #streams: Names;
  readonly #types: Names;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #insertEvent: StatementSync;
  readonly #findEnd: StatementSync;
  readonly #findById: StatementSync;
  readonly #findLastPosition: StatementSync;
  readonly #format: StatementSync;
  readonly #dataVersion: StatementSync;
  /** What the last append left behind; true as long as nobody else has committed. */
  readonly #ends = new Map<string, End>();
  #seenDataVersion = -1;
  #fileSeenAt = 0;

  constructor(db: DatabaseSync, identity: Identity) {
    this.#db = db;
    this.#identity = identity;
    this.#streams = new Names(db, 'streams', 'write');
    this.#types = new Names(db, 'types', 'write');
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#insertEvent = db.prepare(
      `INSERT INTO events (stream, revision, id, type, recorded_at, digest, body)
       VALUES (?, ?, unhex(?, '-'), ?, ?, unhex(?), ?) ON CONFLICT (id) DO NOTHING`,
    );
    this.#findEnd = db.prepare(
      'SELECT revision, lower(hex(digest)) AS digest FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1',
    );
    this.#findById = db.prepare("SELECT stream, revision, body FROM events WHERE id = unhex(?, '-')");
    this.#findLastPosition = db.prepare('SELECT max(position) AS position FROM events');
    this.#format = db.prepare('PRAGMA user_version');
    this.#dataVersion = db.prepare('PRAGMA data_version');
  }

  /**
   * Appends all batches in one transaction; the expectation is held against the first of them. Meets a lock with SQLite's
   * busy error before any batch is asked for; the caller tries again. Everything else it throws is final.
   */
  append(stream: string, batches: Iterable<readonly PreparedEvent[]>, expect: Expectation): Written {
    this.#begin.run();
    try {
      this.#requireSameFile();
      this.#noticeOthers();
      const written = this.#insertAll(stream, batches, expect);
      this.#commit.run();
      this.#streams.committed();
      this.#types.committed();
      return written;
    } catch (error) {
      this.#streams.rolledBack();
      this.#types.rolledBack();
      this.#ends.delete(stream);
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  #requireSameFile(): void {
    const now = performance.now();
    if (now - this.#fileSeenAt < fileCheckMs) return;
    requireSameFile(this.#identity);
    this.#fileSeenAt = now;
  }

  /** If another connection has committed, nothing remembered holds: not the ends of streams, not even the format. */
  #noticeOthers(): void {
    const version = Number(this.#dataVersion.get()?.['data_version']);
    if (version === this.#seenDataVersion) return;
    const format = Number(this.#format.get()?.['user_version']);
    if (format !== formatVersion) throw new NewerLedger(this.#identity.path, format, formatVersion);
    this.#ends.clear();
    this.#seenDataVersion = version;
  }

  #insertAll(stream: string, batches: Iterable<readonly PreparedEvent[]>, expect: Expectation): Written {
    const done: Progress = { end: this.#endOf(stream), existed: [], position: null };
    let expected: Expectation | null = expect;
    for (const events of batches) {
      const leading = expected === null ? 0 : this.#leadingRepeats(stream, events, expected, done.end);
      for (let i = 0; i < leading; i++) done.existed.push(true);
      if (leading < events.length) this.#insert(stream, events, leading, done);
      expected = null;
    }
    this.#remember(stream, done.end);
    return { revision: done.end.revision, existed: done.existed, position: done.position ?? this.#lastPosition() };
  }

  /** Inserts the events of a batch from an index on. */
  #insert(stream: string, events: readonly PreparedEvent[], from: number, done: Progress): void {
    const number = this.#streams.ensure(stream);
    const chained = isChained(stream);
    const now = Date.now();
    let { revision, digest } = done.end;
    for (let i = from; i < events.length; i++) {
      const event = events[i] as PreparedEvent;
      const body = bodyAt(event, revision + 1, chained ? digest : null);
      const bodyDigest = sha256(body);
      const type = this.#types.ensure(event.type);
      const inserted = this.#insertEvent.run(number, revision + 1, event.id, type, now, bodyDigest, body);
      done.existed.push(inserted.changes === 0);
      if (inserted.changes === 0) {
        this.#storedAs(event);
        continue;
      }
      revision++;
      digest = bodyDigest;
      done.position = Number(inserted.lastInsertRowid);
    }
    done.end = { revision, digest };
  }

  #lastPosition(): number {
    return Number(this.#findLastPosition.get()?.['position'] ?? 0);
  }

  /**
   * Holds the expectation against the stream's end. Events at the front that were stored by an earlier try of the same
   * append, right after the expected revision, count as having been expected; their number is returned.
   */
  #leadingRepeats(stream: string, events: readonly PreparedEvent[], expect: Expectation, end: End): number {
    if (expect === 'any') return 0;
    if (expect === 'exists') {
      if (end.revision < 0) throw new WrongRevision(stream, expect, end.revision);
      return 0;
    }
    let expected = expect === 'none' ? -1 : expect;
    let leading = 0;
    while (leading < events.length && end.revision > expected) {
      const stored = this.#storedAs(events[leading] as PreparedEvent);
      if (stored?.stream !== stream || stored.revision > expected + 1) break;
      expected = Math.max(expected, stored.revision);
      leading++;
    }
    const allThere = leading === events.length && leading > 0;
    if (expected !== end.revision && !allThere) throw new WrongRevision(stream, expect, end.revision);
    return leading;
  }

  #endOf(stream: string): End {
    const remembered = this.#ends.get(stream);
    if (remembered !== undefined) return remembered;
    const number = this.#streams.numberOf(stream);
    const row = number === null ? undefined : this.#findEnd.get(number);
    return row === undefined ? noEnd : { revision: Number(row['revision']), digest: String(row['digest']) };
  }

  #remember(stream: string, end: End): void {
    if (this.#ends.size >= rememberedEnds) this.#ends.clear();
    this.#ends.set(stream, end);
  }

  /** Where an event with this id is; throws DuplicateId when it is another event. */
  #storedAs(event: PreparedEvent): Place | null {
    const row = this.#findById.get(event.id);
    if (row === undefined) return null;
    const place = { stream: this.#streams.nameOf(Number(row['stream'])), revision: Number(row['revision']) };
    const differing = differences(String(row['body']), bodyAt(event, 0, null));
    if (differing.length > 0) throw new DuplicateId(event.id, place, differing);
    return place;
  }
}
