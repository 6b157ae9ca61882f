// A folder with a ledger that holds runs, to look at them as a person would.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Recording } from '../../../analysis/history/testing/recording.ts';
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

export async function placeWhere(write: (ledger: Ledger) => Promise<void>): Promise<Place> {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, '.icecore'));
  const ledger = await openLedger(`sqlite:${join(cwd, '.icecore', 'ledger.db')}`, { create: true });
  await write(ledger);
  await ledger.close();
  return { cwd, look: inFolder(cwd), within: (surroundings) => inFolder(cwd, surroundings) };
}
