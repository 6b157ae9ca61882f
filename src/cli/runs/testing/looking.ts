// A folder with a ledger that holds runs, to look at them as a person would.
import { mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Recording, wholeRun } from '../../../analysis/history/testing/recording.ts';
import { type FolderContent, readFolder, writeFolder } from '../../../base/testing/folder-content.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { openLedger } from '../../../ledger/open.ts';
import { project } from '../../../projections/projector/projector.ts';
import { recordAsOwn } from '../../../projections/testing/place.ts';
import { inFolder, type Ran, type Surroundings, temporaryFolder } from '../../testing/harness.ts';

export type Look = (...argv: readonly string[]) => Promise<Ran>;

export interface Place {
  readonly cwd: string;
  readonly look: Look;
  /** The same with surroundings of its own: a terminal of some width. */
  readonly within: (surroundings: Partial<Surroundings>) => Look;
}

export async function placeWith(...recordings: readonly Recording[]): Promise<Place> {
  return await placeWhere(async (ledger) => {
    for (const recording of recordings) await recording.writeTo(ledger);
  });
}

/** With tables that know all of the run, as whoever asked before finds them. They are made once, and copied. */
export async function placeWithTables(): Promise<Place> {
  filled ??= placeWith(wholeRun()).then(withTables);
  return placeIn(copyOf(await filled));
}

let filled: Promise<KeptPlace> | undefined;

/** A workspace whose tables know all of its ledger. */
export interface KeptPlace {
  readonly files: FolderContent;
  /** The file of tables in it. */
  readonly tables: string;
  /** Of the ledger. */
  readonly id: string;
}

/** Fills the tables of a workspace and keeps it, for copies. */
export async function withTables({ cwd }: Pick<Place, 'cwd'>): Promise<KeptPlace> {
  const workspace = join(cwd, '.icecore');
  const ledger = await openLedger(`sqlite:${join(workspace, 'ledger.db')}`);
  const { path } = await project(ledger, join(workspace, 'ledger.tables'));
  await ledger.close();
  return { files: readFolder(cwd), tables: relative(cwd, path), id: ledger.id };
}

/** A folder of the test's own, with tables that icecore takes for its own. */
export function copyOf({ files, tables, id }: KeptPlace): string {
  const cwd = temporaryFolder();
  writeFolder(files, cwd);
  recordAsOwn({ id }, join(cwd, tables));
  return cwd;
}

export async function placeWhere(write: (ledger: Ledger) => Promise<void>): Promise<Place> {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, '.icecore'));
  const ledger = await openLedger(`sqlite:${join(cwd, '.icecore', 'ledger.db')}`, { create: true });
  await write(ledger);
  await ledger.close();
  return placeIn(cwd);
}

function placeIn(cwd: string): Place {
  return { cwd, look: inFolder(cwd), within: (surroundings) => inFolder(cwd, surroundings) };
}
