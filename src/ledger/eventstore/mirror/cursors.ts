// Cursors of a SQLite ledger: its identity and a position, so that a cursor of another ledger is noticed.

import { BadCursor } from '../../errors.ts';
import type { Cursor, CursorOrder } from '../../event.ts';
import type { Pages as Reading } from '../../sqlite/pages.ts';
import type { Attempts } from './attempts.ts';

export function makeCursor(ledger: string, position: number): Cursor {
  return `${ledger}@${position}`;
}

export class Cursors {
  readonly #ledger: string;
  readonly #url: string;
  readonly #reading: Reading;
  readonly #attempts: Attempts;

  constructor(ledger: string, url: string, reading: Reading, attempts: Attempts) {
    this.#ledger = ledger;
    this.#url = url;
    this.#reading = reading;
    this.#attempts = attempts;
  }

  at(position: number): Cursor {
    return makeCursor(this.#ledger, position);
  }

  compare(a: Cursor, b: Cursor): CursorOrder {
    const difference = this.#positionOf(a) - this.#positionOf(b);
    return difference === 0 ? 'equal' : difference < 0 ? 'before' : 'after';
  }

  /** The last position there is now. */
  async last(): Promise<number> {
    return await this.#attempts.make(() => this.#reading.lastPosition());
  }

  /** The position of a cursor; without one, that before all events. */
  async startOf(cursor: Cursor | undefined): Promise<number> {
    if (cursor === undefined) return 0;
    const position = this.#positionOf(cursor);
    const last = await this.last();
    if (position > last) throw new BadCursor(cursor, this.#url, `the ledger ends at ${last}`);
    return position;
  }

  /** The position of a cursor; without one, the last there is. */
  async endOf(until: Cursor | undefined): Promise<number> {
    return until === undefined ? await this.last() : this.startOf(until);
  }

  #positionOf(cursor: Cursor): number {
    const [, owner, digits] = /^([^@]+)@(0|[1-9][0-9]{0,15})$/.exec(cursor) ?? [];
    if (digits === undefined) throw new BadCursor(cursor, this.#url, 'it has another form');
    if (owner !== this.#ledger) {
      throw new BadCursor(cursor, this.#url, `it belongs to ledger ${owner}, this is ${this.#ledger}`);
    }
    return Number(digits);
  }
}
