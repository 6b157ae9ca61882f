// From an older format to today's, on opening for writing: a backup first, then every step in one transaction.
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { NewerLedger } from '../errors.ts';
import { useLog } from './connection.ts';
import { requireHarmless } from './definition.ts';
import { cannotLock, translate } from './faults.ts';
import { applicationId, formatVersion, packs, readPragma } from './layout.ts';
import { requireOwnFiles } from './own-files.ts';
import { patiently } from './patience.ts';

/** One step turns format `from` into `from` + 1. */
export interface MigrationStep {
  readonly from: number;
  /** SQL that changes tables, never events. */
  readonly sql: string;
}

const steps: readonly MigrationStep[] = [{ from: 1, sql: packs }];

/** Brings the file to today's format. Does nothing to a file that has it, is newer, is no ledger or is not there. */
export async function migrate(path: string, to = formatVersion, known = steps): Promise<void> {
  if (known.length === 0 || !existsSync(path)) return;
  requireOwnFiles(path);
  const db = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: false });
  try {
    await patiently(path, () => {
      if (readPragma(db, 'application_id') !== applicationId || readPragma(db, 'user_version') >= to) return;
      requireHarmless(db, path, 'write');
      useLog(db, path);
      db.exec('BEGIN IMMEDIATE');
      takeSteps(db, path, to, known);
    });
  } catch (error) {
    // On a medium that cannot be written a ledger is read as it is.
    if (!cannotLock(error)) throw translate(error, path);
  } finally {
    db.close();
  }
}

/** Holds the write lock from the backup to the last step, so that no event falls between the two. */
function takeSteps(db: DatabaseSync, path: string, to: number, known: readonly MigrationStep[]): void {
  try {
    const found = readPragma(db, 'user_version');
    if (found < to) backUp(path, found);
    for (let version = found; version < to; version++) {
      const step = known.find((candidate) => candidate.from === version);
      if (step === undefined) throw new NewerLedger(path, version, to);
      db.exec(`${step.sql}; PRAGMA user_version = ${version + 1};`);
    }
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
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

/** A backup of an earlier try may lack what was appended since: it is kept, and not taken for this one. */
function unusedName(name: string): string {
  let unused = name;
  for (let number = 2; existsSync(unused); number++) unused = `${name}-${number}`;
  return unused;
}
