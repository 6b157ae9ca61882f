// Where a ledger's tables are: in a folder next to it, in numbered files. A file is filled under another name and then
// renamed; the one with the highest number is in use. So a rebuild never shows partial tables, and a process with the
// old file open uses a file that no one else looks at.
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { makeFolder } from '../../base/folders.ts';
import { isLink, readRegularFile } from '../../base/regular-file.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import { localPathsOf } from '../../ledger/local-paths.ts';
import { parseLedgerUrl } from '../../ledger/stores.ts';
import { partOfSettings } from './settings-part.ts';

/** `sqlite:a/ledger.db` has its tables in the folder `a/ledger.tables`; `workspace` is for ledgers that are not files. */
export function tablesBeside(ledgerUrl: string, workspace?: string): string {
  return localPathsOf(parseLedgerUrl(ledgerUrl), workspace).tables;
}

/** In a folder shared by several ledgers and copies of one. */
export function tablesWithin(folder: string, ledger: { readonly id: string; readonly url: string }): string {
  return join(folder, `${ledger.id}-${sha256(localPathsOf(parseLedgerUrl(ledger.url)).name).slice(0, 8)}`);
}

const published = /^tables-([0-9]{6,12})\.duckdb$/;
const ours = /^(?:tables|building)-([0-9]{6,12})\.duckdb/;

/** The number of the file in use; 0 if there is none. */
export function generationIn(folder: string): number {
  return Math.max(0, ...namesIn(folder).map((name) => Number(published.exec(name)?.[1] ?? 0)));
}

export function generationPath(folder: string, generation: number): string {
  return join(folder, `tables-${digits(generation)}.duckdb`);
}

export function buildingPath(folder: string, generation: number): string {
  return join(folder, `building-${digits(generation)}.duckdb`);
}

/** The copy that other programs may read and keep open: it is replaced, never written. */
export function snapshotPath(folder: string): string {
  return join(folder, 'snapshot.duckdb');
}

/**
 * Puts the new file in use while it is still held, so that no other process can open it under either name. Older files
 * are removed, even if they are being read.
 */
export function publish(folder: string, generation: number): void {
  renameSync(buildingPath(folder, generation), generationPath(folder, generation));
  for (const name of namesIn(folder)) {
    const number = Number(ours.exec(name)?.[1] ?? Number.POSITIVE_INFINITY);
    if (number < generation) removeIfFree(join(folder, name));
  }
}

/**
 * A process that still uses an older file may be writing next to it: what cannot be removed now is removed next time.
 */
function removeIfFree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    if (!['ENOTEMPTY', 'EBUSY', 'EPERM'].includes(String((error as NodeJS.ErrnoException).code))) throw error;
  }
}

/** Removes a file of tables with its logs, or anything else with that name. A link is removed, never its target. */
export function removeDatabase(path: string): void {
  removeIfFree(path);
  removeLogs(path);
}

/** The files that DuckDB creates while it writes, and reads when the file is opened again. */
export function logsOf(path: string): readonly string[] {
  return ['.wal', '.wal.checkpoint', '.wal.recovery'].map((ending) => `${path}${ending}`);
}

/** The file is consistent without them: missing events are filled in again from the ledger. */
export function removeLogs(path: string): void {
  for (const log of logsOf(path)) removeIfFree(log);
}

/** The staging folder for events on their way into the tables, and for copies of the tables. */
export function stagingFolder(path: string): string {
  return `${path}.staging`;
}

/** The maximum length of a cursor. */
const maxHintBytes = 1 << 16;

/**
 * Stores the position of a file of tables next to it. It is a hint that may be missing or outdated. A link in its place
 * is replaced.
 */
export function leaveHint(path: string, cursor: string | null): void {
  const [, part] = leftoversOf(path);
  rmSync(part, { recursive: true, force: true });
  writeFileSync(part, cursor ?? '', { flag: 'wx' });
  try {
    renameSync(part, hintOf(path));
  } catch (error) {
    rmSync(part, { force: true });
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error;
  }
}

export function readHint(path: string): string | null {
  try {
    if (isLink(hintOf(path))) return null;
    return readRegularFile(hintOf(path), maxHintBytes).toString();
  } catch {
    return null;
  }
}

function hintOf(path: string): string {
  return `${path}.at`;
}

/** Files left by an earlier holder that was killed. Only the current holder may call this. */
export function removeLeftovers(path: string): void {
  for (const left of leftoversOf(path)) rmSync(left, { recursive: true, force: true });
}

/**
 * Called before the file is opened, because DuckDB would write to the target of a link at the staging folder's place.
 * icecore's own is never a link.
 */
export function removeLinks(path: string): void {
  for (const left of leftoversOf(path)) {
    if (isLink(left)) rmSync(left, { force: true });
  }
}

function leftoversOf(path: string): readonly [staging: string, part: string] {
  return [stagingFolder(path), `${path}.tmp`];
}

/** Throws if the folder is not writable, and LinkedFolder if a folder that the user did not name is a link. */
export function makeTablesFolder(folder: string, isNamed = false): void {
  // DuckDB interprets the text after a question mark as options.
  if (folder.includes('?')) throw unusable(folder, 'DuckDB cannot open files with a "?" in their path');
  if (!isNamed) for (const one of foldersUpTo(folder)) requireNoLink(one);
  try {
    makeFolder(folder);
  } catch (error) {
    throw unusable(folder, error instanceof Error ? error.message : String(error), error);
  }
}

/** The folder and its parents that icecore itself creates: per group, for all groups, for the ledger. */
function foldersUpTo(folder: string): readonly string[] {
  const family = dirname(folder);
  if (partOfSettings.test(basename(folder))) return [...foldersUpTo(family), folder];
  if (basename(dirname(family)) === 'shards')
    return [...foldersUpTo(dirname(dirname(family))), dirname(family), family, folder];
  const isInWorkspace = basename(folder) === 'tables' && /^[a-z]+-[0-9a-f]{8}$/.test(basename(dirname(folder)));
  return isInWorkspace ? [dirname(folder), folder] : [folder];
}

function requireNoLink(folder: string): void {
  if (isLink(folder)) throw new LinkedFolder(folder);
}

/** Files would be written and removed at the link's target: only the user may decide that. */
class LinkedFolder extends IcecoreError {
  override readonly name = 'LinkedFolder';

  constructor(folder: string) {
    super(
      'untrusted',
      `the folder of the tables, ${folder}, is a symbolic link: tables are not created at its target`,
      {
        facts: { folder },
        remedy: 'Remove the link, or name the folder yourself with ICECORE_TABLES=FOLDER.',
      },
    );
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
