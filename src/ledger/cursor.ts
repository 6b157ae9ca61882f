// Positions in a whole ledger.

/**
 * A position in the whole ledger: an opaque string, meaningful to the ledger that gave it. `compareCursors` of a ledger
 * says how two of them lie to each other.
 */
export type Cursor = string;

export type CursorOrder = 'before' | 'equal' | 'after' | 'concurrent';

/** Whether what has this order to an end lies before it: of several feeds, it must not be behind it in any. */
export function isWithin(order: CursorOrder): boolean {
  return order === 'before' || order === 'equal';
}
