// A ledger with events, and the folder of its tables; removed after the test. Filling tables takes a second, so it is
// done once, and tests get copies.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { getOrCreate } from '../../base/get-or-create.ts';
import { type FolderContent, readFolder, writeFolder } from '../../base/testing/folder-content.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { type Projected, project } from '../projector/projector.ts';
import { Provenance } from '../warehouse/provenance.ts';
import { writeVaried } from './varied.ts';

export interface ProjectedPlace {
  readonly folder: string;
  readonly ledger: Ledger;
  /** Of tables. */
  readonly tables: string;
}

/** There are no tables yet. */
export async function variedPlace(): Promise<ProjectedPlace> {
  const { files } = await writtenFile('varied');
  return await placeOf(new Map([...files].filter(([name]) => name === ledgerFile)));
}

/** The tables know all of the ledger. */
export async function filledPlace(): Promise<FilledPlace> {
  return await filledWith('varied');
}

/** The ledger is empty, and its tables say so. */
export async function emptyPlace(): Promise<FilledPlace> {
  return await filledWith('nothing');
}

export type FilledPlace = ProjectedPlace & Pick<Projected, 'path' | 'events'>;

async function filledWith(what: Written): Promise<FilledPlace> {
  const { files, file, events } = await writtenFile(what);
  const place = await placeOf(files);
  const path = join(place.tables, file);
  recordAsOwn(place.ledger, path);
  return { ...place, path, events };
}

/** As if icecore itself had left the file as it is now. */
export function recordAsOwn({ id }: Pick<Ledger, 'id'>, path: string): void {
  new Provenance(id).noteWritten(path);
}

type Written = 'varied' | 'nothing';

const ledgerFile = 'ledger.db';
const tablesFolder = 'ledger.tables';

interface WrittenFile {
  readonly files: FolderContent;
  /** The name of the file of tables. */
  readonly file: string;
  readonly events: number;
}

const once = new Map<Written, Promise<WrittenFile>>();

function writtenFile(what: Written): Promise<WrittenFile> {
  return getOrCreate(once, what, () => made(what));
}

async function made(what: Written): Promise<WrittenFile> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-projected-'));
  const ledger = await openLedger(`sqlite:${join(folder, ledgerFile)}`, { create: true });
  if (what === 'varied') await writeVaried(ledger);
  const { path, events } = await project(ledger, join(folder, tablesFolder));
  await ledger.close();
  const files = readFolder(folder);
  rmSync(folder, { recursive: true });
  return { files, file: basename(path), events };
}

async function placeOf(files: FolderContent): Promise<ProjectedPlace> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-projected-'));
  writeFolder(files, folder);
  const ledger = await openLedger(`sqlite:${join(folder, ledgerFile)}`);
  onTestFinished(async () => {
    await ledger.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, ledger, tables: join(folder, tablesFolder) };
}
