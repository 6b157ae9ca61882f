// Positions in a whole ledger.

/**
 * A position in the whole ledger: an opaque string, meaningful to the ledger that gave it. `compareCursors` of a ledger
 * says how two of them lie to each other.
 */
export type Cursor = string;

export type CursorOrder = 'before' | 'equal' | 'after' | 'concurrent';
