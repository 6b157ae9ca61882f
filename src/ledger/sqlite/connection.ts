// Opens the file of a ledger, only through SQLite and never through fs, because closing another file descriptor drops every lock
// of the process on the file. This module decides whether a file is a ledger and in which format, creates new ledgers, and migrates
// older formats.
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { runIdPattern } from '../../../schemas/streams.ts';
import { makeFolder, StorageFailed } from '../../base/folders.ts';
import { fileIdentity } from '../../base/regular-file.ts';
import { damagedLedger, LedgerMissing, NotALedger, newerLedger } from '../errors.ts';
import { newRunId } from '../identity/ids.ts';
import { type Ledger, partIn } from '../ledger.ts';
import { cannotLock, retry, translate } from './access.ts';
import { isThere, logOf, refuseNetworkPlace, requireOwnFiles } from './files.ts';
import {
  applicationId,
  definition,
  firstWithPacks,
  formatVersion,
  packs,
  pageSize,
  readPragma,
  requireHarmless,
  writerSettings,
} from './layout.ts';

/** `try` has the rights of `write` but only inspects: it does not even change the journal mode. */
export type Access = 'read' | 'write' | 'try';

/** Opens the file of an existing ledger. Throws LedgerMissing, NotALedger, NewerLedger, StorageFailed. */
export async function connect(path: string, access: Access): Promise<DatabaseSync> {
  refuseNetworkPlace(path);
  if (!isThere(path)) throw new LedgerMissing(`sqlite:${path}`);
  requireOwnFiles(path);
  try {
    return await connectTo(path, path, access);
  } catch (error) {
    if (access === 'read' && cannotLock(error) && !hasLog(path)) {
      return await connectTo(unchanging(path), path, access);
    }
    throw translate(error, path);
  }
}

function hasLog(path: string): boolean {
  return existsSync(logOf(path));
}

/**
 * Returns a check that the connection still reads the current content. On a medium that does not allow locks, a ledger is read as
 * if it never changed; if it does change, reading on would return outdated content.
 */
export function changeCheck(db: DatabaseSync, path: string): () => void {
  if (!isAtRest(db)) return () => undefined;
  const { size, mtimeMs } = statSync(path);
  return () => {
    const now = statSync(path);
    if (now.size === size && now.mtimeMs === mtimeMs && !hasLog(path)) return;
    throw new StorageFailed(
      path,
      'another process writes to it, which cannot be followed without write permission for its folder',
      'Open it again to see its current content, or read it as a user with write permission for its folder.',
    );
  };
}

/** Whether it is read as an unchanging file; SQLite then looks for no journal and cannot report one. */
export function isAtRest(db: DatabaseSync): boolean {
  return atRest.has(db);
}

const atRest = new WeakSet<DatabaseSync>();

async function connectTo(place: string | URL, path: string, access: Access): Promise<DatabaseSync> {
  const db = open(place, access);
  if (place instanceof URL) atRest.add(db);
  try {
    await retry(path, () => {
      requireLedger(db, path);
      requireHarmless(db, path, access);
    });
    if (access === 'write') await retry(path, () => useLog(db, path));
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** A restored backup or another tool may have left another journal mode, in which locks have another meaning. */
function useLog(db: DatabaseSync, path: string): void {
  // While changing the mode, SQLite would create a rollback journal, which every other process refuses.
  if (journalOf(db) !== 'wal') db.exec('PRAGMA journal_mode = MEMORY');
  db.exec(writerSettings);
  const mode = journalOf(db);
  if (mode !== 'wal')
    throw new StorageFailed(path, `its journal mode is "${mode}" and cannot be changed to a write-ahead log`, restore);
}

export function journalOf(db: DatabaseSync): string {
  return String(db.prepare('PRAGMA journal_mode').get()?.['journal_mode']);
}

const restore = 'Close other programs that have it open, then try again.';

/** An idle ledger on a read-only medium allows no locks, and needs none. */
function unchanging(path: string): URL {
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return url;
}

/** In bytes; a pack is the largest value that icecore writes. */
const largestValue = 16_000_000;

function open(place: string | URL, access: Access): DatabaseSync {
  const db = new DatabaseSync(place, {
    readOnly: access === 'read',
    timeout: 0,
    enableForeignKeyConstraints: false,
    defensive: true,
    // Node before 25.8 does not support the option, so there a forged value may have any size.
    limits: { length: largestValue },
  });
  // SQL in a stranger's file cannot call functions or virtual tables with side effects.
  db.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON');
  return db;
}

/** Creates a ledger if there is none. Of several concurrent processes, one creates it and all find it. */
export async function create(path: string, id: string = newRunId(), part?: Ledger['part']): Promise<void> {
  refuseNetworkPlace(path);
  requireOwnFiles(path);
  makeFolder(dirname(path));
  try {
    const db = open(path, 'write');
    try {
      await retry(path, () => define(db, path, id, part));
    } finally {
      db.close();
    }
  } catch (error) {
    throw translate(error, path);
  }
}

function define(db: DatabaseSync, path: string, id: string, part: Ledger['part']): void {
  if (isLedgerNow(db, path)) return;
  db.exec(`PRAGMA page_size = ${pageSize}`);
  useLog(db, path);
  inTransaction(db, 'IMMEDIATE', () => {
    if (isLedger(db, path)) return;
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${formatVersion}; ${definition}`);
    const insert = db.prepare('INSERT INTO meta (key, value) VALUES (?, ?)');
    insert.run('ledger', id);
    insert.run('created_at', new Date().toISOString());
    if (part !== undefined) insert.run('part', part);
  });
}

/** All changes or none. */
function inTransaction<Result>(db: DatabaseSync, kind: 'DEFERRED' | 'IMMEDIATE', work: () => Result): Result {
  db.exec(`BEGIN ${kind}`);
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** False if the file is empty. Throws NotALedger. Runs in a transaction, since another process may be creating the ledger. */
function isLedger(db: DatabaseSync, path: string): boolean {
  if (readPragma(db, 'application_id') === applicationId) return true;
  if (!isEmpty(db)) throw new NotALedger(path, 'a SQLite database of another program');
  return false;
}

function isLedgerNow(db: DatabaseSync, path: string): boolean {
  return inTransaction(db, 'DEFERRED', () => isLedger(db, path));
}

function requireLedger(db: DatabaseSync, path: string): void {
  if (!isLedgerNow(db, path)) throw new NotALedger(path, 'the file is empty');
  const version = readPragma(db, 'user_version');
  if (version > formatVersion) throw newerLedger(path, version, formatVersion);
}

function isEmpty(db: DatabaseSync): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
}

export function readMeta(db: DatabaseSync, key: string): string {
  return String(db.prepare('SELECT value FROM meta WHERE key = ?').get(key)?.['value'] ?? '');
}

/** The ledger and its file, which every connection of an open ledger must match. */
export interface Identity {
  readonly path: string;
  readonly file: string | null;
  readonly ledger: string;
  readonly part?: Ledger['part'];
}

/** Throws DamagedLedger if the file has no valid ledger id. */
export function identityOf(db: DatabaseSync, path: string): Identity {
  try {
    const ledger = readMeta(db, 'ledger');
    // The id becomes part of file names, so only the form of icecore's own ids is accepted.
    if (!runIdPattern.test(ledger)) throw damagedLedger(path, `its identity is ${JSON.stringify(ledger)}`);
    return { path, file: fileIdentity(path), ledger, part: partIn(readMeta(db, 'part')) };
  } catch (error) {
    throw translate(error, path);
  }
}

/** Throws StorageFailed if another file has replaced the one that was opened. */
export function requireSameFile({ path, file }: Identity): void {
  if (fileIdentity(path) === file) return;
  throw new StorageFailed(
    path,
    'the file was moved, removed or replaced since it was opened',
    'Nothing was written. Start this process again with the ledger in its place.',
  );
}

/** Another connection to an open ledger, for writing. */
export async function connectWriter(identity: Identity): Promise<DatabaseSync> {
  requireSameFile(identity);
  const db = await connect(identity.path, 'write');
  try {
    requireSameFile(identity);
    if (readMeta(db, 'ledger') !== identity.ledger)
      throw new NotALedger(identity.path, 'it is not the ledger that was opened');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Gives a ledger of the first format a table for packs: a backup first, then the change in one transaction. Other files are not
 * changed: a new index of random ids would take long in a large ledger of the second format, which works without it.
 */
export async function migrate(path: string): Promise<void> {
  if (!existsSync(path)) return;
  requireOwnFiles(path);
  const db = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: false });
  try {
    await retry(path, () => {
      if (!isOfFirstFormat(db)) return;
      requireHarmless(db, path, 'write');
      useLog(db, path);
      // The lock is held from the backup to the change, so that no event is appended in between.
      inTransaction(db, 'IMMEDIATE', () => {
        if (!isOfFirstFormat(db)) return;
        backUp(path);
        db.exec(`${packs}; PRAGMA user_version = ${firstWithPacks};`);
      });
    });
  } catch (error) {
    // On a read-only medium a ledger is read in its old format.
    if (!cannotLock(error)) throw translate(error, path);
  } finally {
    db.close();
  }
}

function isOfFirstFormat(db: DatabaseSync): boolean {
  return readPragma(db, 'application_id') === applicationId && readPragma(db, 'user_version') === 1;
}

/** A consistent copy, made by SQLite through a second connection, under a temporary name until it is complete and on disk. */
function backUp(path: string): void {
  const backup = unusedName(`${path}.format-1.backup`);
  const part = `${backup}.part`;
  rmSync(part, { force: true });
  const source = new DatabaseSync(path, { readOnly: true });
  try {
    source.prepare('VACUUM INTO ?').run(part);
  } finally {
    source.close();
  }
  const copy = openSync(part, 'r');
  fsyncSync(copy);
  closeSync(copy);
  renameSync(part, backup);
}

/** The backup of an earlier try may lack later events, so it is kept in addition to this one. */
function unusedName(name: string): string {
  let unused = name;
  for (let number = 2; existsSync(unused); number++) unused = `${name}-${number}`;
  return unused;
}
