// A copy of the tables for other programs: any DuckDB may open it and keep it open, because it is replaced and never
// written. Another process makes the copy: opening the file here would drop this process's lock on it.

import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Ledger } from '../ledger/ledger.ts';
import type { UnknownEvents } from '../ledger/unknown-events.ts';
import { explain, markOf, positionOf, unknownIn } from './projector/layout.ts';
import { noteRebuild, type ProjectOptions, project } from './projector/projector.ts';
import { catalogueIn } from './tables/own.ts';
import { storageFault, TablesBusy } from './warehouse/errors.ts';
import { fillingIn, type HoldOptions, hold, reading, within } from './warehouse/holding.ts';
import {
  generationIn,
  generationPath,
  removeDatabase,
  removeLeftovers,
  removeLinks,
  removeLogs,
  snapshotPath,
  stagingFolder,
} from './warehouse/place.ts';
import { Provenance } from './warehouse/provenance.ts';

export interface Snapshot {
  readonly path: string;
  /** The number of the ledger's events in it. */
  readonly events: number;
  /** The number of missing events, if another process held the tables. */
  readonly behind: number;
  /** Events of unknown types or versions, which are only in table `events`. */
  readonly unknown: readonly UnknownEvents[];
}

/** How long to wait for the tables if there is an older copy. */
const patience = 3000;

/** Updates the tables and the copy. If another process holds the tables for long, returns the existing copy. */
export async function snapshotOf(ledger: Ledger, folder: string, options: ProjectOptions = {}): Promise<Snapshot> {
  const path = snapshotPath(folder);
  const provenance = new Provenance(ledger.id, options.trust);
  if (!isOwn(path, provenance)) return await makeSnapshot(ledger, folder, provenance, options);
  try {
    return await makeSnapshot(ledger, folder, provenance, { ...options, patience });
  } catch (error) {
    if (!(error instanceof TablesBusy)) throw error;
    const holding = { signal: options.signal, admit: () => provenance.requireSettled(path) };
    const known = await within(path, reading, holding, async (connection) => ({
      position: await positionOf(connection, ledger.id),
      unknown: await unknownIn(connection, catalogueIn(folder)),
    })).catch(() => null);
    if (known === null || known.position === null) return await makeSnapshot(ledger, folder, provenance, options);
    const { events } = known.position;
    return { path, events, behind: Math.max(0, (await ledger.head()).events - events), unknown: known.unknown };
  }
}

/** A copy is never modified: one without a matching record is made again, even in a folder that the user named. */
function isOwn(path: string, provenance: Provenance): boolean {
  return provenance.originOf(path).is === 'recorded';
}

async function makeSnapshot(
  ledger: Ledger,
  folder: string,
  provenance: Provenance,
  options: ProjectOptions,
): Promise<Snapshot> {
  const path = snapshotPath(folder);
  for (;;) {
    const done = await project(ledger, folder, options);
    noteRebuild(done, options);
    const { path: tables, events, unknown } = done;
    const isReplaced = (): boolean => generationPath(folder, generationIn(folder)) !== tables;
    try {
      if (await isCopyOf(path, tables, provenance, options)) return { path, events, behind: 0, unknown };
      if (await copyTables(tables, path, isReplaced, provenance, options)) return { path, events, behind: 0, unknown };
    } catch (error) {
      // If the tables were replaced meanwhile, their staging folder is gone and the copy is not needed.
      if (options.signal?.aborted === true || !isReplaced()) throw error;
    }
  }
}

async function isCopyOf(
  path: string,
  tables: string,
  provenance: Provenance,
  { signal, patience: waiting }: ProjectOptions,
): Promise<boolean> {
  if (!isOwn(path, provenance)) return false;
  const markIn = (file: string, options: HoldOptions): Promise<string> =>
    within(file, reading, { ...options, admit: () => provenance.requireSettled(file) }, markOf);
  const there = await markIn(path, { signal, patience: 0 }).catch(() => null);
  return (
    there !== null &&
    there === (await markIn(tables, { signal, ...(waiting === undefined ? {} : { patience: waiting }) }))
  );
}

/** Stores the documentation in the copy, because users of other programs have no other source. */
async function explained(copy: string, folder: string): Promise<void> {
  const { definitions } = catalogueIn(folder);
  await within(copy, fillingIn(copy), {}, (connection) => explain(connection, definitions));
}

const run = promisify(execFile);
const copying = 'const [, from, to] = process.argv; fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE)';

/**
 * While it is held for writing, no other process writes to it; its log is merged into it first. False if it no longer
 * exists.
 */
async function copyTables(
  tables: string,
  path: string,
  isReplaced: () => boolean,
  provenance: Provenance,
  options: ProjectOptions,
): Promise<boolean> {
  const { signal } = options;
  const admit = (): void => {
    provenance.requireSettled(tables);
    removeLinks(tables);
  };
  const held = await hold(tables, fillingIn(tables), { ...options, admit });
  try {
    if (isReplaced()) return false;
    removeLeftovers(tables);
    await (await held.connect()).run('CHECKPOINT');
    const copy = `${stagingFolder(tables)}/snapshot.duckdb`;
    mkdirSync(stagingFolder(tables), { mode: 0o700 });
    await run(process.execPath, ['-e', copying, tables, copy], signal === undefined ? {} : { signal });
    await explained(copy, dirname(tables));
    chmodSync(copy, 0o444);
    putInPlace(copy, path, provenance);
    return true;
  } catch (error) {
    throw storageFault(path, error) ?? error;
  } finally {
    removeLeftovers(tables);
    held.release();
  }
}

/** Removes whatever is in its place if it is not icecore's own copy, and any log next to it. */
function putInPlace(copy: string, path: string, provenance: Provenance): void {
  if (provenance.originOf(path).is === 'refused') removeDatabase(path);
  removeLogs(path);
  provenance.noteRenaming(copy, path);
  renameSync(copy, path);
  provenance.noteWritten(path);
}
