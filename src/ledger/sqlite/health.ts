// What `icecore doctor` can say of a SQLite ledger. Looking changes nothing: a file that is not there is not made.
import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type Check, checkLastEvents, checkSpace, failed, failure, ok, warning } from '../checks.ts';
import { countedEvents } from '../event.ts';
import { isBusy, translate } from './access.ts';
import { connect, isAtRest, readMeta } from './connection.ts';
import { logOf, requireOwnFiles } from './files.ts';
import { readPragma, strangeObjects } from './layout.ts';
import { readLog } from './log.ts';
import { openSqlite } from './store.ts';

/** Above this, checking every page takes too long to do unasked. */
const wholeCheckBytes = 256 * 1024 * 1024;

export async function checkSqlite(place: string): Promise<readonly Check[]> {
  const path = resolve(place);
  return [...(await checksOf(path)), checkSpace(dirname(path))];
}

async function checksOf(path: string): Promise<readonly Check[]> {
  if (!existsSync(path)) return [warning('ledger', `none at ${path} yet`, 'Create one with `icecore init`.')];
  try {
    requireOwnFiles(path);
  } catch (error) {
    return [failure('ledger', error)];
  }
  return [...checkLog(path), ...(await checkFile(path))];
}

/** Looked at before SQLite opens the file, and told only where something is wrong: SQLite itself says nothing of it. */
function checkLog(path: string): readonly Check[] {
  const log = readLog(logOf(path));
  if (log === null || log.brokenFrame === null) return [];
  const where = `${logOf(path)} does not fit together at frame ${log.brokenFrame}`;
  if (log.lostCommits === 0) {
    const found = `${where}: an append was cut short there, of which nobody was told that it is stored`;
    return [warning('log', found, 'Nothing is to be done: what was acknowledged before it stands.')];
  }
  const found = `${where}: the ${log.frames} frames before it stand, ${log.lostCommits} commits behind it are lost to SQLite`;
  const remedy =
    'Write nothing, keep a copy of the file and its -wal, and see with `icecore verify` and a backup what is missing.';
  return [failed('log', found, remedy)];
}

async function checkFile(path: string): Promise<readonly Check[]> {
  let db: DatabaseSync;
  try {
    db = await connect(path, 'read');
  } catch (error) {
    return [failure('ledger', error)];
  }
  try {
    return [
      describe(db, path),
      checkDefinition(db),
      checkJournal(db),
      checkPages(db, path),
      await checkLast(path),
      await checkWritable(path),
    ];
  } catch (error) {
    return [failure('ledger', translate(error, path))];
  } finally {
    db.close();
  }
}

function describe(db: DatabaseSync, path: string): Check {
  const events = Number(db.prepare('SELECT max(position) AS n FROM events').get()?.['n'] ?? 0);
  const format = readPragma(db, 'user_version');
  return ok('ledger', `${path}: ${readMeta(db, 'ledger')}, format ${format}, ${countedEvents(events)}`);
}

function checkDefinition(db: DatabaseSync): Check {
  const strange = [...strangeObjects(db)].map(({ where, what }) => `${where}: ${what}`);
  if (strange.length === 0) return ok('definition', 'that of a ledger');
  const remedy =
    'Somebody changed how the file is laid out, and with it perhaps what it shows: restore a backup, or compare with one.';
  return failed('definition', strange.join('; '), remedy);
}

function checkJournal(db: DatabaseSync): Check {
  // Only a file that has a log, and nothing left in it, is ever read at rest.
  if (isAtRest(db)) return ok('journal', 'write-ahead log, folded back: the file is read at rest');
  const mode = String(db.prepare('PRAGMA journal_mode').get()?.['journal_mode']);
  if (mode === 'wal') return ok('journal', 'write-ahead log');
  return warning('journal', mode, 'Another tool changed it; the next append makes it a write-ahead log again.');
}

function checkPages(db: DatabaseSync, path: string): Check {
  const bytes = statSync(path).size;
  if (bytes > wholeCheckBytes)
    return ok('pages', `not checked: ${Math.round(bytes / 2 ** 20)} MiB is too much to read now`);
  const found = String(Object.values(db.prepare('PRAGMA quick_check(1)').get() ?? {})[0]);
  if (found === 'ok') return ok('pages', 'all sound');
  return failed('pages', found, 'Stop writing, keep a copy of the file and its -wal, and restore a backup.');
}

async function checkLast(path: string): Promise<Check> {
  const ledger = await openSqlite(path, { readOnly: true });
  try {
    return await checkLastEvents(ledger);
  } finally {
    await ledger.close();
  }
}

async function checkWritable(path: string): Promise<Check> {
  let db: DatabaseSync | null = null;
  try {
    db = await connect(path, 'try');
    db.exec(writeOfNothing);
    return ok('writing', 'possible');
  } catch (error) {
    if (isBusy(error)) return ok('writing', 'possible; another process is writing right now');
    const found = failure('writing', translate(error, path));
    return { ...found, found: `not possible: ${found.found}` };
  } finally {
    db?.close();
  }
}

/** Where a file cannot be written, SQLite begins a mere reading in silence; only a statement that writes is refused. */
const writeOfNothing = 'BEGIN IMMEDIATE; UPDATE meta SET value = value WHERE false; ROLLBACK';
