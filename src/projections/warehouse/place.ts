// Where a ledger's tables are: in a folder beside it, in files that follow each other. A file is filled under another name
// and then appears at once under its own; the one with the highest number is in use. So a rebuild never shows half of
// itself, and who still has the old file open reads or writes what nobody looks at any more.
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { makeFolder } from '../../base/folders.ts';
import { isLink, readRegularFile } from '../../base/regular-file.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import { localOf } from '../../ledger/local.ts';
import { parseLedgerUrl } from '../../ledger/stores.ts';

/** `sqlite:a/ledger.db` has its tables in the folder `a/ledger.tables`; `workspace` is for ledgers that are in no file. */
export function tablesBeside(ledgerUrl: string, workspace?: string): string {
  return localOf(parseLedgerUrl(ledgerUrl), workspace).tables;
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

/** Removes a file of tables with its logs, or whatever else has that name. A link is removed, never what it leads to. */
export function removeDatabase(path: string): void {
  removeIfFree(path);
  removeLogs(path);
}

/** What DuckDB leaves beside a file while it writes to it, and reads back when the file is opened again. */
export function logsOf(path: string): readonly string[] {
  return ['.wal', '.wal.checkpoint', '.wal.recovery'].map((ending) => `${path}${ending}`);
}

/** A file is whole without them: what was committed and not yet in it is filled in again from the ledger. */
export function removeLogs(path: string): void {
  for (const log of logsOf(path)) removeIfFree(log);
}

/** Where whoever holds a file of tables puts events on their way into it, and a copy on its way out of it. */
export function spoolOf(path: string): string {
  return `${path}.spool`;
}

/** No cursor is longer. */
const maxHintBytes = 1 << 16;

/** Says beside a file of tables how far they are. It is a hint: it may be missing, or old. A link in its place is replaced. */
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

/** What was left beside a file of tables by whoever held it before, and was killed. Only who holds it may do this. */
export function removeLeftovers(path: string): void {
  for (const left of leftoversOf(path)) rmSync(left, { recursive: true, force: true });
}

/** Before the file is opened, since DuckDB may write wherever a link in place of the spool leads. Nobody's own is a link. */
export function removeLinks(path: string): void {
  for (const left of leftoversOf(path)) {
    if (isLink(left)) rmSync(left, { force: true });
  }
}

function leftoversOf(path: string): readonly [spool: string, part: string] {
  return [spoolOf(path), `${path}.tmp`];
}

/** Throws where nothing can be written, and LinkedFolder where a folder that the user did not name leads elsewhere. */
export function makeTablesFolder(folder: string, isNamed = false): void {
  // DuckDB takes what stands behind a question mark for something else than a name.
  if (folder.includes('?')) throw unusable(folder, 'DuckDB opens no file with a "?" in its path');
  if (!isNamed) for (const one of foldersUpTo(folder)) requireNoLink(one);
  try {
    makeFolder(folder);
  } catch (error) {
    throw unusable(folder, error instanceof Error ? error.message : String(error), error);
  }
}

/** The folder and those above it that icecore itself makes: of a group, of all groups, of the ledger. */
function foldersUpTo(folder: string): readonly string[] {
  const family = dirname(folder);
  if (basename(dirname(family)) === 'shards')
    return [...foldersUpTo(dirname(dirname(family))), dirname(family), family, folder];
  const isInWorkspace = basename(folder) === 'tables' && /^[a-z]+-[0-9a-f]{8}$/.test(basename(dirname(folder)));
  return isInWorkspace ? [dirname(folder), folder] : [folder];
}

function requireNoLink(folder: string): void {
  if (isLink(folder)) throw new LinkedFolder(folder);
}

/** Files would be written and removed wherever the link leads: only the user decides that. */
class LinkedFolder extends IcecoreError {
  override readonly name = 'LinkedFolder';

  constructor(folder: string) {
    super('untrusted', `the folder of the tables, ${folder}, is a symbolic link: no tables are made where it leads`, {
      facts: { folder },
      remedy: 'Remove the link, or name the folder yourself with ICECORE_TABLES=FOLDER.',
    });
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
