// An append is one write transaction: check existing events, assign revisions and digests, insert, commit.
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { isChained } from '../../../schemas/streams.ts';
import { Diverged, DuplicateId, newerLedger } from '../errors.ts';
import { bodyAt, type Expectation, type PreparedEvent, plainId } from '../event.ts';
import { sha256 } from '../identity/ids.ts';
import { differences } from '../identity/sameness.ts';
import { leadingRepeats, requireNext } from '../remote/planning.ts';
import type { Skimmed, StoredEvent } from '../stored.ts';
import { type Identity, requireSameFile } from './connection.ts';
import { firstWithRandomIds, formatVersion, isOrderedId, readPragma } from './layout.ts';
import { Names } from './names.ts';
import { fewestPacked, inPack, PackReader, PackWriter } from './packs.ts';
import { isRandom, RandomIds } from './random-ids.ts';

export interface Written {
  readonly revision: number;
  readonly existed: boolean[];
  /** The digests of all events, concatenated. */
  readonly digests: string;
  /** The last position of the ledger after this append. */
  readonly position: number;
}

/** The end of a stream: its last revision (-1: none) and the digest of that event. */
interface End {
  readonly revision: number;
  readonly digest: string | null;
}

const noEnd: End = { revision: -1, digest: null };

/** The number of streams whose ends are cached; a full cache is cleared. */
const rememberedEnds = 10_000;

/** How often to check whether the file is still the one that was opened. */
const fileCheckMs = 250;

interface Place {
  readonly stream: string;
  readonly revision: number;
  readonly digest: string;
}

type Statements = ReturnType<typeof statementsOf>;

const placeColumns = 'position, stream, revision, lower(hex(digest)) AS digest, body';

function statementsOf(db: DatabaseSync, format: number) {
  const indexed = format < firstWithRandomIds ? 'true' : isOrderedId;
  return {
    begin: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    insertEvent: db.prepare(
      `INSERT INTO events (stream, revision, id, type, recorded_at, digest, body)
       VALUES (?, ?, unhex(?, '-'), ?, ?, unhex(?), ?) ON CONFLICT (id) WHERE ${indexed} DO NOTHING`,
    ),
    findEnd: db.prepare(
      'SELECT revision, lower(hex(digest)) AS digest FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1',
    ),
    findById: db.prepare(`SELECT ${placeColumns} FROM events WHERE id = unhex(?, '-') AND ${indexed}`),
    findDigest: db.prepare('SELECT lower(hex(digest)) AS digest FROM events WHERE stream = ? AND revision = ?'),
    findLastPosition: db.prepare('SELECT max(position) AS position FROM events'),
    format: db.prepare('PRAGMA user_version'),
    dataVersion: db.prepare('PRAGMA data_version'),
  };
}

export class Writing {
  readonly #db: DatabaseSync;
  readonly #identity: Identity;
  readonly #streams: Names;
  readonly #types: Names;
  readonly #packs: PackWriter;
  readonly #packed: PackReader;
  readonly #format: number;
  readonly #sql: Statements;
  /** Null: the ledger has one index for all ids. */
  readonly #randomIds: RandomIds | null;
  /** The state after the last append; valid until another connection commits. */
  readonly #ends = new Map<string, End>();
  #seenDataVersion = -1;
  #fileSeenAt = 0;

  constructor(db: DatabaseSync, identity: Identity) {
    this.#db = db;
    this.#identity = identity;
    this.#streams = new Names(db, 'streams', 'write');
    this.#types = new Names(db, 'types', 'write');
    this.#packs = new PackWriter(db);
    this.#packed = new PackReader(db);
    this.#format = readPragma(db, 'user_version');
    this.#sql = statementsOf(db, this.#format);
    this.#randomIds = this.#format < firstWithRandomIds ? null : new RandomIds(db, placeColumns);
  }

  /** Appends the events in one transaction. Throws SQLite's busy error if another writer holds the lock; other errors are final. */
  append(stream: string, events: readonly PreparedEvent[], expect: Expectation): Written {
    return this.#transaction(() => {
      const end = this.#endOf(stream);
      const repeats = leadingRepeats({ stream, end: end.revision }, events, expect, (event) => {
        const stored = this.#storedAs(event);
        return stored?.stream === stream ? stored : null;
      });
      if (repeats.length < events.length) return this.#insert(stream, end, events, repeats);
      const digests = repeats.map(({ digest }) => digest).join('');
      return { revision: end.revision, existed: repeats.map(() => true), digests, position: this.#lastPosition() };
    });
  }

  /** Stores verified events as another ledger stored them, all in one transaction. */
  replicate(events: readonly (readonly [event: StoredEvent, skimmed: Skimmed])[]): {
    existed: number;
    position: number;
  } {
    return this.#transaction(() => {
      let existed = 0;
      for (const [event, skimmed] of events) if (!this.#insertAsIs(event, skimmed)) existed++;
      return { existed, position: this.#lastPosition() };
    });
  }

  close(): void {
    this.#db.close();
  }

  #transaction<Result>(work: () => Result): Result {
    this.#sql.begin.run();
    try {
      this.#requireSameFile();
      this.#noticeOthers();
      const result = work();
      this.#packs.flush();
      this.#sql.commit.run();
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  #rollBack(): void {
    this.#packs.clear();
    this.#packed.forget();
    this.#streams.forget();
    this.#types.forget();
    this.#ends.clear();
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
  }

  #requireSameFile(): void {
    const now = performance.now();
    if (now - this.#fileSeenAt < fileCheckMs) return;
    requireSameFile(this.#identity);
    this.#fileSeenAt = now;
  }

  /** If another connection has committed, all cached facts are invalid: the ends of streams, and even the format. */
  #noticeOthers(): void {
    const version = Number(this.#sql.dataVersion.get()?.['data_version']);
    if (version === this.#seenDataVersion) return;
    const format = Number(this.#sql.format.get()?.['user_version']);
    if (format !== this.#format) throw newerLedger(this.#identity.path, format, formatVersion);
    this.#ends.clear();
    this.#seenDataVersion = version;
  }

  /** Inserts the events after the leading ones that exist. */
  #insert(stream: string, end: End, events: readonly PreparedEvent[], repeats: readonly Place[]): Written {
    const number = this.#streams.ensure(stream);
    const chained = isChained(stream);
    const now = Date.now();
    const isPacked = !chained && events.length >= fewestPacked;
    let { revision, digest } = end;
    const existed = repeats.map(() => true);
    let digests = repeats.map((repeat) => repeat.digest).join('');
    let last: number | null = null;
    for (const event of events.slice(repeats.length)) {
      const body = bodyAt(event, revision + 1, chained ? digest : null);
      const bodyDigest = sha256(isPacked ? this.#packs.write(body) : body);
      const type = this.#types.ensure(event.type);
      const stored = isPacked ? inPack : body;
      const position = this.#insertRow(event.id, [number, revision + 1, event.id, type, now, bodyDigest, stored]);
      existed.push(position === null);
      if (position === null) {
        digests += this.#storedAs(event)?.digest ?? '';
        continue;
      }
      revision++;
      digest = bodyDigest;
      digests += bodyDigest;
      last = position;
      if (isPacked) this.#packs.keep(position);
    }
    this.#remember(stream, { revision, digest });
    return { revision, existed, digests, position: last ?? this.#lastPosition() };
  }

  #lastPosition(): number {
    return Number(this.#sql.findLastPosition.get()?.['position'] ?? 0);
  }

  /** False: it already existed. */
  #insertAsIs(event: StoredEvent, skimmed: Skimmed): boolean {
    const { stream, revision, digest } = event;
    const end = this.#endOf(stream);
    if (revision <= end.revision) {
      const there = this.#digestAt(stream, revision);
      if (there !== digest) throw new Diverged(stream, revision, digest, there);
      return false;
    }
    requireNext(event, skimmed, { next: end.revision + 1, last: end.digest });
    const type = this.#types.ensure(event.type);
    const number = this.#streams.ensure(stream);
    const isPacked = !isChained(stream);
    const stored = isPacked ? inPack : event.body;
    const { id } = skimmed;
    const position = this.#insertRow(id, [number, revision, id, type, event.recordedMs, digest, stored]);
    if (position === null) throw this.#takenBy(event, id);
    if (isPacked) this.#packs.add(position, event.body);
    this.#remember(stream, { revision, digest });
    return true;
  }

  /** The position of the new event; null: its id already exists. */
  #insertRow(id: string, row: readonly SQLInputValue[]): number | null {
    const digits = plainId(id);
    const index = isRandom(digits) ? this.#randomIds : null;
    if (index?.find(digits) !== undefined) return null;
    const { changes, lastInsertRowid } = this.#sql.insertEvent.run(...row);
    if (changes === 0) return null;
    const position = Number(lastInsertRowid);
    index?.add(digits, position);
    this.#randomIds?.moveOn(position);
    return position;
  }

  #find(id: string): Readonly<Record<string, SQLOutputValue>> | undefined {
    const digits = plainId(id);
    return this.#randomIds !== null && isRandom(digits) ? this.#randomIds.find(digits) : this.#sql.findById.get(id);
  }

  #takenBy(event: StoredEvent, id: string): DuplicateId {
    const row = this.#find(id);
    const stored = { stream: this.#streams.nameOf(Number(row?.['stream'])), revision: Number(row?.['revision']) };
    const differs = differences(row === undefined ? '' : this.#bodyIn(row), event.body);
    return new DuplicateId(id, stored, differs.length === 0 ? ['revision'] : differs);
  }

  #bodyIn(row: Readonly<Record<string, SQLOutputValue>>): string {
    const body = String(row['body']);
    if (body !== inPack) return body;
    const position = Number(row['position']);
    return this.#packs.pending(position) ?? this.#packed.bodyAt(position, String(row['digest']));
  }

  #digestAt(stream: string, revision: number): string {
    const number = this.#streams.numberOf(stream);
    const row = number === null ? undefined : this.#sql.findDigest.get(number, revision);
    return String(row?.['digest'] ?? 'none');
  }

  #endOf(stream: string): End {
    const remembered = this.#ends.get(stream);
    if (remembered !== undefined) return remembered;
    const number = this.#streams.numberOf(stream);
    const row = number === null ? undefined : this.#sql.findEnd.get(number);
    return row === undefined ? noEnd : { revision: Number(row['revision']), digest: String(row['digest']) };
  }

  #remember(stream: string, end: End): void {
    if (this.#ends.size >= rememberedEnds) this.#ends.clear();
    this.#ends.set(stream, end);
  }

  /** The place of the event with this id; throws DuplicateId if it is another event. */
  #storedAs(event: PreparedEvent): Place | null {
    const row = this.#find(event.id);
    if (row === undefined) return null;
    const place = { stream: this.#streams.nameOf(Number(row['stream'])), revision: Number(row['revision']) };
    const differing = differences(this.#bodyIn(row), bodyAt(event, 0, null));
    if (differing.length > 0) throw new DuplicateId(event.id, place, differing);
    return { ...place, digest: String(row['digest']) };
  }
}
