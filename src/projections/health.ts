// What can be said of the tables without making or changing any: for who asks whether all is well.
import type { Ledger } from '../ledger/ledger.ts';
import { openLedger } from '../ledger/open.ts';
import { isOfHistory } from './projector/catching-up.ts';
import { isOf, isUpToDefinition, positionOf } from './projector/layout.ts';
import { tableDefinitions } from './tables/catalogue.ts';
import { isBroken, TablesBusy } from './warehouse/errors.ts';
import { hold } from './warehouse/holding.ts';
import { generationIn, generationPath } from './warehouse/place.ts';

/**
 * How tables stand: how many events they lack; in use by somebody else, who may be filling them; filled or shown by other
 * definitions than today's, as another icecore left them; or of no use, so that all of them are made anew.
 */
export type Health =
  | { readonly is: 'behind'; readonly by: number }
  | { readonly is: 'in use' }
  | { readonly is: 'of other definitions' }
  | { readonly is: 'unusable' };

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
): Promise<TablesFound | null> {
  const ledger = await openLedger(ledgerUrl, { readOnly: true });
  try {
    const folder = folderOf(ledger);
    const generation = generationIn(folder);
    if (generation === 0) return null;
    const path = generationPath(folder, generation);
    return { path, health: await healthOf(ledger, path) };
  } finally {
    await ledger.close();
  }
}

async function healthOf(ledger: Ledger, path: string): Promise<Health> {
  try {
    const held = await hold(path, { access_mode: 'READ_ONLY' }, { patience });
    try {
      const connection = await held.connect();
      if (!(await isOf(connection, ledger.id))) return { is: 'unusable' };
      const position = await positionOf(connection, ledger.id);
      if (position !== null && !(await isOfHistory(ledger, position))) return { is: 'unusable' };
      if (!(await isUpToDefinition(connection, tableDefinitions()))) return { is: 'of other definitions' };
      const { events } = await ledger.head();
      return { is: 'behind', by: events - (position?.events ?? 0) };
    } finally {
      held.release();
    }
  } catch (error) {
    if (error instanceof TablesBusy) return { is: 'in use' };
    if (isBroken(error)) return { is: 'unusable' };
    throw error;
  }
}
