// Cursors of a SQLite ledger: its identity and a position, so that a cursor of another ledger is noticed.

import type { Cursor } from '../cursor.ts';
import { BadCursor } from '../errors.ts';

export function makeCursor(ledger: string, position: number): Cursor {
  return `${ledger}@${position}`;
}

export function positionOf(cursor: Cursor, ledger: string, url: string): number {
  const [, owner, digits] = /^([^@]+)@(0|[1-9][0-9]{0,15})$/.exec(cursor) ?? [];
  if (digits === undefined) throw new BadCursor(cursor, url, 'it has another form');
  if (owner !== ledger) throw new BadCursor(cursor, url, `it belongs to ledger ${owner}, this is ${ledger}`);
  return Number(digits);
}
