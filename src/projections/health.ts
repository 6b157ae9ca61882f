// What can be said of the tables without making or changing any: for who asks whether all is well.
import type { Ledger } from '../ledger/ledger.ts';
import { openLedger } from '../ledger/open.ts';
import { type Found, lookInto } from './standing.ts';
import { generationIn, generationPath } from './warehouse/place.ts';
import type { TablesTrust } from './warehouse/provenance.ts';

/** How tables stand: as they were found, or how many events they lack. */
export type Health = Exclude<Found, { readonly is: 'fit' }> | { readonly is: 'behind'; readonly by: number };

export interface TablesFound {
  readonly path: string;
  readonly health: Health;
}

/** Whoever has the tables for longer than that is at work on them. */
const patience = 1000;

/** Null where there are none. */
export async function findTables(
  ledgerUrl: string,
  folderOf: (ledger: { id: string; url: string }) => string,
  trust?: TablesTrust,
): Promise<TablesFound | null> {
  const ledger = await openLedger(ledgerUrl, { readOnly: true });
  try {
    const folder = folderOf(ledger);
    const generation = generationIn(folder);
    if (generation === 0) return null;
    const path = generationPath(folder, generation);
    return { path, health: await healthOf(ledger, path, trust) };
  } finally {
    await ledger.close();
  }
}

async function healthOf(ledger: Ledger, path: string, trust: TablesTrust | undefined): Promise<Health> {
  const found = await lookInto(ledger, path, { patience, trust });
  if (found.is !== 'fit') return found;
  const { events } = await ledger.head();
  return { is: 'behind', by: events - found.events };
}
