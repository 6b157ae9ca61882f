// Where a ledger's tables are: in a folder beside it, in files that follow each other. A file is filled under another name
// and then appears at once under its own; the one with the highest number is in use. So a rebuild never shows half of
// itself, and who still has the old file open reads or writes what nobody looks at any more.
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { makeFolder } from '../../ledger/folder.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import { localOf } from '../../ledger/local.ts';
import { parseLedgerUrl } from '../../ledger/url.ts';

/** `sqlite:a/ledger.db` has its tables in the folder `a/ledger.tables`; `home` is for ledgers that are in no file. */
export function tablesBeside(ledgerUrl: string, home?: string): string {
  return localOf(parseLedgerUrl(ledgerUrl), home).tables;
}

/** In a folder that several ledgers, and copies of one, may have their tables in. */
export function tablesWithin(folder: string, ledger: { readonly id: string; readonly url: string }): string {
  return join(folder, `${ledger.id}-${sha256(localOf(parseLedgerUrl(ledger.url)).name).slice(0, 8)}`);
}

const published = /^tables-([0-9]{6,12})\.duckdb$/;
const ours = /^(?:tables|building)-([0-9]{6,12})\.duckdb/;

/** The number of the file in use; 0 where there is none. */
export function generationIn(folder: string): number {
  return Math.max(0, ...namesIn(folder).map((name) => Number(published.exec(name)?.[1] ?? 0)));
}

export function generationPath(folder: string, generation: number): string {
  return join(folder, `tables-${digits(generation)}.duckdb`);
}

export function buildingPath(folder: string, generation: number): string {
  return join(folder, `building-${digits(generation)}.duckdb`);
}

/** The file that others may read with any DuckDB, and keep open: it is replaced, never written. */
export function snapshotPath(folder: string): string {
  return join(folder, 'snapshot.duckdb');
}

/**
 * Puts the file that was built in use: while it is still held, so that nobody else has it under the one name or the other.
 * What came before is removed, also where somebody still reads it.
 */
export function publish(folder: string, generation: number): void {
  renameSync(buildingPath(folder, generation), generationPath(folder, generation));
  for (const name of namesIn(folder)) {
    const number = Number(ours.exec(name)?.[1] ?? Number.POSITIVE_INFINITY);
    if (number < generation) removeIfFree(join(folder, name));
  }
}

/** Whoever still works with what came before may be writing beside it: what cannot be removed now is removed next time. */
function removeIfFree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    if (!['ENOTEMPTY', 'EBUSY', 'EPERM'].includes(String((error as NodeJS.ErrnoException).code))) throw error;
  }
}

/** Removes a file of tables with its log. */
export function removeDatabase(path: string): void {
  for (const file of [path, `${path}.wal`]) rmSync(file, { force: true });
}

/** Where whoever holds a file of tables puts events on their way into it, and a copy on its way out of it. */
export function spoolOf(path: string): string {
  return `${path}.spool`;
}

/** Says beside a file of tables how far they are. It is a hint: it may be missing, or old. */
export function leaveHint(path: string, cursor: string | null): void {
  writeFileSync(hintOf(path), cursor ?? '');
}

export function readHint(path: string): string | null {
  try {
    return readFileSync(hintOf(path), 'utf8');
  } catch {
    return null;
  }
}

function hintOf(path: string): string {
  return `${path}.at`;
}

/** What was left beside a file of tables by whoever held it before, and was killed. Only who holds it may do this. */
export function removeLeftovers(path: string): void {
  for (const folder of [spoolOf(path), `${path}.tmp`]) rmSync(folder, { recursive: true, force: true });
}

export function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Throws where nothing can be written. */
export function makeTablesFolder(folder: string): void {
  // DuckDB takes what stands behind a question mark for something else than a name.
  if (folder.includes('?')) throw unusable(folder, 'DuckDB opens no file with a "?" in its path');
  try {
    makeFolder(folder);
  } catch (error) {
    throw unusable(folder, error instanceof Error ? error.message : String(error), error);
  }
}

function unusable(folder: string, why: string, cause?: unknown): IcecoreError {
  return new IcecoreError('storage', `no tables can be made in ${folder}: ${why}`, {
    facts: { folder },
    remedy: 'Name another folder with ICECORE_TABLES=FOLDER.',
    cause,
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function digits(generation: number): string {
  return String(generation).padStart(6, '0');
}
