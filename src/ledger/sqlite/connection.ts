// Opening the file of a ledger: only through SQLite, never through fs, because closing a descriptor of one's own drops every lock
// that the process holds on the file. Here it is decided whether a file is a ledger and of which format, a new ledger is made, and
// an older format becomes today's.
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { runIdPattern } from '../../../schemas/streams.ts';
import { makeFolder, StorageFailed } from '../../base/folders.ts';
import { DamagedLedger, LedgerMissing, NewerLedger, NotALedger } from '../errors.ts';
import { newRunId } from '../identity/ids.ts';
import { type Ledger, partIn } from '../ledger.ts';
import { cannotLock, patiently, translate } from './access.ts';
import { isThere, logOf, refuseNetworkPlace, requireOwnFiles } from './files.ts';
import {
  applicationId,
  definition,
  formatVersion,
  packs,
  pageSize,
  readPragma,
  requireHarmless,
  writerSettings,
} from './layout.ts';

/** `try` may write as `write` may, but comes to look: it leaves even the journal as it is. */
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
 * What must hold for what a connection reads to be what is there. On a medium that cannot be locked, a ledger is read as
 * one that does not change; when it does change after all, reading on would show the past as the present.
 */
export function stillTrue(db: DatabaseSync, path: string): () => void {
  if (!isAtRest(db)) return () => undefined;
  const { size, mtimeMs } = statSync(path);
  return () => {
    const now = statSync(path);
    if (now.size === size && now.mtimeMs === mtimeMs && !hasLog(path)) return;
    throw new StorageFailed(
      path,
      'somebody writes to it, and without a right to write in its folder that cannot be followed',
      'Open it again to see what is there now, or read it as a user who may write in its folder.',
    );
  };
}

/** Is it read as a file that does not change? Then SQLite looks for no journal and cannot say which there is. */
export function isAtRest(db: DatabaseSync): boolean {
  return atRest.has(db);
}

const atRest = new WeakSet<DatabaseSync>();

async function connectTo(place: string | URL, path: string, access: Access): Promise<DatabaseSync> {
  const db = open(place, access);
  if (place instanceof URL) atRest.add(db);
  try {
    await patiently(path, () => {
      requireLedger(db, path);
      requireHarmless(db, path, access);
    });
    if (access === 'write') await patiently(path, () => useLog(db, path));
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** A backup that was restored, or another tool, may have left another journal: without the log, locks mean other things. */
function useLog(db: DatabaseSync, path: string): void {
  // On the way to a log SQLite would put a journal beside the file, which every other process refuses.
  if (journalOf(db) !== 'wal') db.exec('PRAGMA journal_mode = MEMORY');
  db.exec(writerSettings);
  const mode = journalOf(db);
  if (mode !== 'wal') throw new StorageFailed(path, `its journal is "${mode}" and cannot be made a log`, restore);
}

function journalOf(db: DatabaseSync): string {
  return String(db.prepare('PRAGMA journal_mode').get()?.['journal_mode']);
}

const restore = 'Close what else has it open, then try again.';

/** A ledger at rest on a medium that cannot be written has no room for locks, and needs none. */
function unchanging(path: string): URL {
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return url;
}

/** In bytes: a pack is the largest that icecore writes. */
const largestValue = 16_000_000;

function open(place: string | URL, access: Access): DatabaseSync {
  const db = new DatabaseSync(place, {
    readOnly: access === 'read',
    timeout: 0,
    enableForeignKeyConstraints: false,
    defensive: true,
    // Node before 25.8 does not know it: there a forged value is as large as it is.
    limits: { length: largestValue },
  });
  // Whatever a stranger's file defines has no function and no virtual table to reach out with.
  db.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON');
  return db;
}

/** Makes a ledger where there is none. Of several processes that try at once, one makes it and all find it. */
export async function create(path: string, id: string = newRunId(), part?: Ledger['part']): Promise<void> {
  refuseNetworkPlace(path);
  requireOwnFiles(path);
  makeFolder(dirname(path));
  try {
    const db = open(path, 'write');
    try {
      await patiently(path, () => define(db, path, id, part));
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
  inTransaction(db, () => {
    if (isLedger(db, path)) return;
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${formatVersion}; ${definition}`);
    const insert = db.prepare('INSERT INTO meta (key, value) VALUES (?, ?)');
    insert.run('ledger', id);
    insert.run('created_at', new Date().toISOString());
    if (part !== undefined) insert.run('part', part);
  });
}

/** All of it or nothing. */
function inTransaction(db: DatabaseSync, work: () => void): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    work();
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** False where the file is empty. Throws NotALedger. Within a transaction: another process may be making it. */
function isLedger(db: DatabaseSync, path: string): boolean {
  if (readPragma(db, 'application_id') === applicationId) return true;
  if (!isEmpty(db)) throw new NotALedger(path, 'a SQLite database of something else');
  return false;
}

function isLedgerNow(db: DatabaseSync, path: string): boolean {
  db.exec('BEGIN');
  try {
    return isLedger(db, path);
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
  }
}

function requireLedger(db: DatabaseSync, path: string): void {
  if (!isLedgerNow(db, path)) throw new NotALedger(path, 'the file is empty');
  const version = readPragma(db, 'user_version');
  if (version > formatVersion) throw new NewerLedger(path, version, formatVersion);
}

function isEmpty(db: DatabaseSync): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
}

export function readMeta(db: DatabaseSync, key: string): string {
  return String(db.prepare('SELECT value FROM meta WHERE key = ?').get(key)?.['value'] ?? '');
}

/** Which ledger at which place: what every connection of an open ledger must find. */
export interface Identity {
  readonly path: string;
  readonly file: string;
  readonly ledger: string;
  readonly part?: Ledger['part'];
}

/** Throws DamagedLedger where the file says nothing that can be the identity of a ledger. */
export function identityOf(db: DatabaseSync, path: string): Identity {
  try {
    const ledger = readMeta(db, 'ledger');
    // It becomes part of the names of files, so that only an identity of icecore's own form is one.
    if (!runIdPattern.test(ledger)) throw new DamagedLedger(path, `its identity is ${JSON.stringify(ledger)}`);
    return { path, file: fileIdentity(path), ledger, part: partIn(readMeta(db, 'part')) };
  } catch (error) {
    throw translate(error, path);
  }
}

/** Throws StorageFailed when another file has taken the place of the one that was opened. */
export function requireSameFile({ path, file }: Identity): void {
  if (fileIdentity(path) === file) return;
  throw new StorageFailed(
    path,
    'the file was moved, removed or replaced since it was opened',
    'Nothing was written. Start this process again with the ledger in its place.',
  );
}

/** A further connection to an open ledger, for writing. */
export async function connectWriter(identity: Identity): Promise<DatabaseSync> {
  requireSameFile(identity);
  const db = await connect(identity.path, 'write');
  try {
    requireSameFile(identity);
    if (readMeta(db, 'ledger') !== identity.ledger)
      throw new NotALedger(identity.path, 'another ledger than was opened');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Tells one file from another at the same path. Looks at the folder's entry only; the file itself is not opened. */
export function fileIdentity(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? 'none' : `${found.dev}:${found.ino}`;
}

/** One step turns format `from` into `from` + 1. */
export interface MigrationStep {
  readonly from: number;
  /** SQL that changes tables, never events. */
  readonly sql: string;
}

const steps: readonly MigrationStep[] = [{ from: 1, sql: packs }];

/** From an older format to today's: a backup first, then every step in one transaction. Leaves any other file as it is. */
export async function migrate(path: string, to = formatVersion, known = steps): Promise<void> {
  if (known.length === 0 || !existsSync(path)) return;
  requireOwnFiles(path);
  const db = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: false });
  try {
    await patiently(path, () => {
      if (readPragma(db, 'application_id') !== applicationId || readPragma(db, 'user_version') >= to) return;
      requireHarmless(db, path, 'write');
      useLog(db, path);
      // The lock is held from the backup to the last step, so that no event is appended between the two.
      inTransaction(db, () => takeSteps(db, path, to, known));
    });
  } catch (error) {
    // On a medium that cannot be written a ledger is read as it is.
    if (!cannotLock(error)) throw translate(error, path);
  } finally {
    db.close();
  }
}

function takeSteps(db: DatabaseSync, path: string, to: number, known: readonly MigrationStep[]): void {
  const found = readPragma(db, 'user_version');
  if (found < to) backUp(path, found);
  for (let version = found; version < to; version++) {
    const step = known.find((candidate) => candidate.from === version);
    if (step === undefined) throw new NewerLedger(path, version, to);
    db.exec(`${step.sql}; PRAGMA user_version = ${version + 1};`);
  }
}

/** A consistent copy, made by SQLite through a second connection, under another name until it is whole and on disk. */
function backUp(path: string, version: number): void {
  const backup = unusedName(`${path}.format-${version}.backup`);
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

/** A backup of an earlier try may lack what was appended since: it stays beside this one. */
function unusedName(name: string): string {
  let unused = name;
  for (let number = 2; existsSync(unused); number++) unused = `${name}-${number}`;
  return unused;
}
