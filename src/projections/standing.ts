// How a file of tables stands to its ledger, as far as that can be seen without changing anything.
import type { Cursor } from '../ledger/cursor.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { isOfHistory } from './projector/catching-up.ts';
import { isOf, isUpToDefinition, positionOf } from './projector/layout.ts';
import { tableDefinitions } from './tables/catalogue.ts';
import { isBroken, TablesBusy } from './warehouse/errors.ts';
import { type HoldOptions, reading, within } from './warehouse/holding.ts';

/**
 * Fit to be asked, with what they know; in use by somebody else, who may be filling them; filled or shown by other
 * definitions than today's, as another icecore left them; or of no use, so that all of them are made anew.
 */
export type Found =
  | { readonly is: 'fit'; readonly events: number; readonly cursor: Cursor | null }
  | { readonly is: 'in use' }
  | { readonly is: 'of other definitions' }
  | { readonly is: 'unusable' };

export async function lookInto(ledger: Ledger, path: string, options: HoldOptions): Promise<Found> {
  try {
    return await within(path, reading, options, async (connection): Promise<Found> => {
      if (!(await isOf(connection, ledger.id))) return { is: 'unusable' };
      const position = await positionOf(connection, ledger.id);
      if (position !== null && !(await isOfHistory(ledger, position))) return { is: 'unusable' };
      if (!(await isUpToDefinition(connection, tableDefinitions()))) return { is: 'of other definitions' };
      return { is: 'fit', events: position?.events ?? 0, cursor: position?.cursor ?? null };
    });
  } catch (error) {
    if (error instanceof TablesBusy) return { is: 'in use' };
    if (isBroken(error)) return { is: 'unusable' };
    throw error;
  }
}
