// The checks of `icecore doctor` for a SQLite ledger. They change nothing and do not create a missing file.
import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type Check, checkLastEvents, checkSpace, failed, failure, ok, warning } from '../checks.ts';
import { countedEvents } from '../event.ts';
import { isBusy, translate } from './access.ts';
import { connect, isAtRest, journalOf, readMeta } from './connection.ts';
import { logOf, requireOwnFiles } from './files.ts';
import { readPragma, strangeObjects } from './layout.ts';
import { readLog } from './log.ts';
import { openSqlite } from './store.ts';

/** Above this size, checking every page takes too long for a routine check. */
const wholeCheckBytes = 256 * 1024 * 1024;

export async function checkSqlite(place: string): Promise<readonly Check[]> {
  const path = resolve(place);
  return [...(await checksOf(path)), checkSpace(dirname(path))];
}

async function checksOf(path: string): Promise<readonly Check[]> {
  if (!existsSync(path)) return [warning('ledger', `none at ${path} yet`, 'Create one with `icecore init`.')];
  const checks: Check[] = [];
  try {
    requireOwnFiles(path);
    checks.push(...checkLog(path));
    checks.push(...(await checkFile(path)));
  } catch (error) {
    checks.push(failure('ledger', translate(error, path)));
  }
  return checks;
}

/** Checked before SQLite opens the file, and reported only if faulty, since SQLite itself reports nothing. */
function checkLog(path: string): readonly Check[] {
  const log = readLog(logOf(path));
  if (log === null || log.brokenFrame === null) return [];
  const where = `${logOf(path)} is broken at frame ${log.brokenFrame}`;
  if (log.lostCommits === 0) {
    const found = `${where}: an append was interrupted there before it was acknowledged`;
    return [warning('log', found, 'Nothing to do: all acknowledged events are stored.')];
  }
  const found = `${where}: the ${log.frames} frames before it are valid, ${log.lostCommits} later commits are lost to SQLite`;
  const remedy =
    'Write nothing, keep a copy of the file and its -wal, and find what is missing with `icecore verify` and a backup.';
  return [failed('log', found, remedy)];
}

async function checkFile(path: string): Promise<readonly Check[]> {
  const db = await connect(path, 'read');
  try {
    return [
      describe(db, path),
      checkDefinition(db),
      checkJournal(db),
      checkPages(db, path),
      await checkLast(path),
      await checkWritable(path),
    ];
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
  if (strange.length === 0) return ok('definition', 'tables as icecore makes them');
  const remedy =
    'Another program changed the definition of the tables, and perhaps their content: restore a backup, or compare with one.';
  return failed('definition', strange.join('; '), remedy);
}

function checkJournal(db: DatabaseSync): Check {
  // Only an idle file with an empty log is ever read at rest.
  if (isAtRest(db)) return ok('journal', 'write-ahead log, checkpointed: the file is read at rest');
  const mode = journalOf(db);
  if (mode === 'wal') return ok('journal', 'write-ahead log');
  return warning('journal', mode, 'Another tool changed it; the next append changes it back to a write-ahead log.');
}

function checkPages(db: DatabaseSync, path: string): Check {
  const bytes = statSync(path).size;
  if (bytes > wholeCheckBytes)
    return ok('pages', `not checked: ${Math.round(bytes / 2 ** 20)} MiB take too long to read now`);
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

/** For a file without write permission, SQLite silently opens it read-only; only a writing statement is refused. */
const writeOfNothing = 'BEGIN IMMEDIATE; UPDATE meta SET value = value WHERE false; ROLLBACK';
