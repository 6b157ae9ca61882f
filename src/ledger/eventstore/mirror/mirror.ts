// The mirror of a ledger: what was read of the server's log, in a file of this machine. All reading is done in it, once it has
// caught up; it is only ever filled from the server, and holds nothing that is not there.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StorageFailed } from '../../errors.ts';
import { cacheFolder } from '../../folders.ts';
import type { StoreFault } from '../../ledger.ts';
import type { End, Stored } from '../../remote/planning.ts';
import { isBusy, patiently } from '../../sqlite/access.ts';
import { fileIdentity, type Identity } from '../../sqlite/connection.ts';
import { Pages as Reading } from '../../sqlite/pages.ts';
import type { StoredEvent } from '../../stored.ts';
import { idOnServer, noDigest, plainId } from '../wire.ts';
import { Admitting, type LogPlace, markEvery, type Page, type Progress } from './admitting.ts';
import { openCachedFile } from './cached-file.ts';
import { makeCursor } from './cursors.ts';
import { definition, mirrorVersion, settings } from './layout.ts';

/** `incarnation`: of the ledger on this very server; `place`: by what name that is reached. */
export function mirrorPath(incarnation: string, place: string): string {
  const where = createHash('sha256').update(place).digest('hex').slice(0, 8);
  return join(cacheFolder(), 'eventstore', `${incarnation}-${where}`, `mirror-${mirrorVersion}.db`);
}

const remedy =
  'It holds nothing that is not on the server: delete its folder and it is made anew, or name another place for it with ICECORE_CACHE.';

export async function openMirror(path: string, ledger: string): Promise<Mirror> {
  const unusable = (what: string, cause?: unknown): StorageFailed =>
    new StorageFailed(path, `the mirror of the ledger ${what}`, remedy, cause);
  const file = { path, unusable, settings, layOut: (db: DatabaseSync) => db.exec(definition) };
  const writer = await openCachedFile(file);
  try {
    return new Mirror(writer, await openCachedFile(file), path, ledger);
  } catch (error) {
    writer.close();
    throw error;
  }
}

/** Of what SQLite says is wrong with a mirror, which may always be deleted. */
export function mirrorFault(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || isBusy(error)) return error;
  return new StorageFailed(path, `the mirror of the ledger cannot be used (${error.message})`, remedy, error);
}

const settled = (): void => undefined;

export class Mirror {
  readonly identity: Identity;
  readonly reading: Reading;
  readonly #writer: DatabaseSync;
  readonly #reader: DatabaseSync;
  readonly #admitting: Admitting;
  readonly #losing: StatementSync;
  readonly #gapIn: StatementSync;

  constructor(writer: DatabaseSync, reader: DatabaseSync, path: string, ledger: string) {
    this.identity = { path, file: fileIdentity(path), ledger };
    this.#writer = writer;
    this.#reader = reader;
    this.#admitting = new Admitting(writer);
    this.#losing = reader.prepare('SELECT what FROM losing WHERE stream = ?');
    this.#gapIn = reader.prepare('SELECT 1 FROM gaps WHERE stream = ?');
    this.reading = new Reading(reader, (position) => makeCursor(ledger, position), settled);
  }

  progress(): Progress {
    return this.#admitting.progress();
  }

  /** False where the mirror has not come to where the page begins: it was set back meanwhile. */
  async admit(page: Page): Promise<boolean> {
    const { path } = this.identity;
    try {
      return await patiently(path, () => this.#admitting.admit(page));
    } catch (error) {
      throw mirrorFault(error, path);
    }
  }

  async goBack(from: number, place: LogPlace): Promise<void> {
    await patiently(this.identity.path, () => this.#admitting.goBack(from, place));
  }

  /** The last event in the order of the ledger, and where it stands on the server; null where there is none. */
  last(): { readonly event: StoredEvent; readonly place: LogPlace } | null {
    const { events, positions } = this.reading.page('position > 0 ORDER BY position DESC', [], 1);
    const [event, position] = [events[0], positions[0]];
    if (event === undefined || position === undefined) return null;
    return { event, place: { position, serverId: serverIdOf(event) } };
  }

  endOf(stream: string): End {
    const number = this.reading.streams.numberOf(stream);
    const end = number === null ? null : this.reading.endOf(number);
    if (number === null || end === null) return { next: 0, last: null };
    const [last] = this.reading.page('position = ?', [end.position], 1).events;
    return { next: end.revision + 1, last: last?.digest ?? null };
  }

  /** Those events of a stream that have one of these ids; 32 hexadecimal digits each. */
  stored(stream: string, ids: readonly string[]): ReadonlyMap<string, Stored> {
    const found = new Map<string, Stored>();
    const number = this.reading.streams.numberOf(stream);
    if (number === null) return found;
    for (const id of ids) {
      const [event] = this.reading.page('id = unhex(?) AND stream = ?', [id, number], 1).events;
      if (event !== undefined) found.set(id, event);
    }
    return found;
  }

  eventsOf(stream: string, from: number, to: number): readonly StoredEvent[] {
    const number = this.reading.streams.numberOf(stream);
    if (number === null) return [];
    const events: StoredEvent[] = [];
    for (let next = from; next <= to; ) {
      const page = this.reading.page('stream = ? AND revision BETWEEN ? AND ? ORDER BY revision', [number, next, to]);
      events.push(...page.events);
      if (!page.full) break;
      next = (page.events.at(-1)?.revision ?? to) + 1;
    }
    return events;
  }

  /** How many events there are up to a position, itself included. */
  countTo(position: number): number {
    const mark = this.#reader
      .prepare('SELECT count, position FROM marks WHERE position <= ? ORDER BY count DESC LIMIT 1')
      .get(position);
    const [count, from] = [Number(mark?.['count'] ?? 0), Number(mark?.['position'] ?? -1)];
    const rest = this.#reader.prepare('SELECT count(*) AS rest FROM events WHERE position > ? AND position <= ?');
    return count + Number(rest.get(from, position)?.['rest']);
  }

  /** Of the event that is so manieth. */
  positionOf(count: number): number {
    const marked = count - (count % markEvery);
    const mark = this.#reader.prepare('SELECT position FROM marks WHERE count = ?').get(marked);
    const from = Number(mark?.['position'] ?? -1);
    if (marked === count) return from;
    const row = this.#reader
      .prepare('SELECT position FROM events WHERE position > ? ORDER BY position LIMIT 1 OFFSET ?')
      .get(from, count - marked - 1);
    return Number(row?.['position'] ?? from);
  }

  /** Why the server would remove events of a stream, by its name there; null where it keeps all. */
  losing(stream: string): string | null {
    const row = this.#losing.get(stream);
    return row === undefined ? null : String(row['what']);
  }

  /** Streams that the server does not keep, and events that had been removed before they were read. */
  *notKept(): Generator<StoreFault> {
    for (const { stream, what } of this.#reader.prepare('SELECT stream, what FROM losing ORDER BY stream').iterate()) {
      yield { where: String(stream), what: `the server does not keep all of it: ${String(what)}` };
    }
    for (const { position, what } of this.#reader.prepare('SELECT position, what FROM gaps').iterate()) {
      yield { where: `position ${String(position)}`, what: `${String(what)}: events were removed` };
    }
  }

  /** Whether events of a stream were removed before they were read. */
  hasGap(stream: string): boolean {
    return this.#gapIn.get(stream) !== undefined;
  }

  *idsTwice(): Generator<StoreFault> {
    const twice = this.#reader.prepare(
      `SELECT lower(hex(id)) AS id, group_concat(name, ' and ') AS streams FROM events JOIN streams USING (stream)
       GROUP BY id HAVING count(*) > 1`,
    );
    for (const { id, streams } of twice.iterate()) {
      yield { where: String(streams), what: `have events with the same id ${String(id)}` };
    }
  }

  close(): void {
    this.#reader.close();
    this.#writer.close();
  }
}

/** What others wrote has its own id there. */
function serverIdOf({ digest, filedId }: StoredEvent): string {
  return digest === noDigest ? filedId : plainId(idOnServer(digest));
}
