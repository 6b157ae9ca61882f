// A folder with a ledger that holds runs, to look at them as a person would.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Recording, wholeRun } from '../../../analysis/history/testing/recording.ts';
import { type KeptFolder, keptFolder, writeKept } from '../../../base/testing/kept-folder.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { openLedger } from '../../../ledger/open.ts';
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
  asked ??= (async () => {
    const { cwd, look } = await placeWith(wholeRun());
    await look('sql', 'SELECT 1');
    return keptFolder(cwd);
  })();
  const cwd = temporaryFolder();
  writeKept(await asked, cwd);
  return placeIn(cwd);
}

let asked: Promise<KeptFolder> | undefined;

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
