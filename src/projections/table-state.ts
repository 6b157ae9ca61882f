// The state of a file of tables relative to its ledger, determined without changing anything.

import { dirname } from 'node:path';
import type { Cursor } from '../ledger/event.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { UnknownEvents } from '../ledger/unknown-events.ts';
import { isAsLaidOut } from './projector/inventory.ts';
import { isOf, isUpToDefinition, positionOf, unknownIn } from './projector/layout.ts';
import { isOfHistory } from './projector/source.ts';
import type { TableCatalogue } from './tables/catalogue.ts';
import { catalogueIn } from './tables/own.ts';
import { isBroken, TablesBusy } from './warehouse/errors.ts';
import { type HoldOptions, reading, within } from './warehouse/holding.ts';
import { Provenance, type TablesTrust } from './warehouse/provenance.ts';

/**
 * `fit` can be queried, with its knowledge; `in use` by another process, which may be filling it; interrupted by a
 * kill; filled or shown by other definitions of another version; modified since icecore wrote it, so that it is not
 * even opened; or unusable. The last two are rebuilt.
 */
export type Found =
  | {
      readonly is: 'fit';
      readonly events: number;
      readonly cursor: Cursor | null;
      readonly unknown: readonly UnknownEvents[];
    }
  | { readonly is: 'in use' }
  | { readonly is: 'interrupted' }
  | { readonly is: 'of other definitions' }
  | { readonly is: 'refused'; readonly why: string }
  | { readonly is: 'of another history' }
  | { readonly is: 'unusable' };

export async function lookInto(
  ledger: Ledger,
  path: string,
  options: HoldOptions & {
    readonly trust?: TablesTrust | undefined;
    readonly catalogue?: TableCatalogue | undefined;
  },
): Promise<Found> {
  const { catalogue = catalogueIn(dirname(path)) } = options;
  const provenance = new Provenance(ledger.id, options.trust);
  const origin = provenance.originOf(path);
  if (origin.is === 'refused') return { is: 'refused', why: origin.why };
  if (origin.is === 'interrupted') return { is: 'interrupted' };
  try {
    const holding = { ...options, admit: () => provenance.requireSettled(path) };
    return await within(path, reading, holding, async (connection): Promise<Found> => {
      if (origin.is === 'unrecorded' && !(await isAsLaidOut(connection, catalogue))) return { is: 'unusable' };
      if (!(await isOf(connection, ledger.id))) return { is: 'unusable' };
      const position = await positionOf(connection, ledger.id);
      if (position !== null && !(await isOfHistory(ledger, position))) return { is: 'of another history' };
      if (!(await isUpToDefinition(connection, catalogue))) return { is: 'of other definitions' };
      const unknown = await unknownIn(connection, catalogue);
      return { is: 'fit', events: position?.events ?? 0, cursor: position?.cursor ?? null, unknown };
    });
  } catch (error) {
    if (error instanceof TablesBusy) return { is: 'in use' };
    if (isBroken(error)) return { is: 'unusable' };
    throw error;
  }
}
