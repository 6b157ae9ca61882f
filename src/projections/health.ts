// What can be said of the tables without making or changing any: for who asks whether all is well.
import { openLedger } from '../ledger/open.ts';
import { knownIn } from './asking.ts';
import { generationIn, generationPath } from './warehouse/place.ts';

export interface TablesFound {
  /** The file in use; null where there is none. */
  readonly path: string | null;
  /** How many events they lack; null where they would be made anew. */
  readonly behind: number | null;
}

export async function findTables(
  ledgerUrl: string,
  folderOf: (ledger: { id: string; url: string }) => string,
): Promise<TablesFound> {
  const ledger = await openLedger(ledgerUrl, { readOnly: true });
  try {
    const folder = folderOf(ledger);
    const generation = generationIn(folder);
    if (generation === 0) return { path: null, behind: null };
    const [known, head] = [await knownIn(ledger, folder, {}), await ledger.head()];
    return { path: generationPath(folder, generation), behind: known === null ? null : head.events - known.events };
  } finally {
    await ledger.close();
  }
}
