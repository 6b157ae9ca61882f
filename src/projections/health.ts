// The state of the tables without creating or changing any, for health checks.
import type { Ledger } from '../ledger/ledger.ts';
import { openLedger } from '../ledger/open.ts';
import { type Found, lookInto } from './table-state.ts';
import { generationIn, generationPath } from './warehouse/place.ts';
import type { TablesTrust } from './warehouse/provenance.ts';

/** The state of the tables: how they were found, or how many events are missing. */
export type Health = Exclude<Found, { readonly is: 'fit' }> | { readonly is: 'behind'; readonly by: number };

export interface TablesFound {
  readonly path: string;
  readonly health: Health;
}

/** A process that holds the tables for longer is working on them. */
const patience = 1000;

/** Null if there are none. */
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
