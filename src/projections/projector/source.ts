// What a file of tables is filled from: a ledger, or the beginning of one.
import { BadCursor } from '../../ledger/errors.ts';
import type { Ledger, ReadAllOptions } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import type { Position } from './layout.ts';

export interface Source {
  /** Tables are of this and nothing else. */
  readonly id: string;
  /** A stream of decisions. */
  read: Ledger['read'];
  readAll(options: Pick<ReadAllOptions, 'after' | 'until' | 'types' | 'limit'>): AsyncIterable<readonly StoredEvent[]>;
}

/**
 * A ledger that was put back from a backup may have gone another way since: the last event the tables know must still be
 * the one at its place.
 */
export async function isOfHistory(source: Source, { cursor, before, digest }: Position): Promise<boolean> {
  try {
    const span = before === null ? {} : { after: before };
    for await (const [event] of source.readAll({ ...span, until: cursor, limit: 1 }))
      return event?.digest === digest && event.cursor === cursor;
  } catch (error) {
    if (!(error instanceof BadCursor)) throw error;
  }
  return false;
}
