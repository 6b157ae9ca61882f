// The index of random ids. In a single B-tree, almost every random id changes another page, and pages are written whole, so appends
// would slow down as the ledger grows. Here a new id goes into a small table. From there, all ids with the same first digit move to
// a larger table at once, and from that, all ids with the same first two digits to the largest: a page that is written gets many
// ids. A search looks into every table. Entries have only the beginnings of ids, which keeps the tables small; whole ids are
// compared with the events.
import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import { isOrderedId, randomIdTables } from './layout.ts';

/** In hexadecimal digits. */
const prefixDigits = 12;

/** The number of events between two moves. About as many ids move each time, if all events have random ones. */
const moveEvery = 1000;

/** The positions of entries, as a query. */
export function entriesWhere(condition: string): string {
  return randomIdTables.map((table) => `SELECT position FROM ${table} WHERE ${condition}`).join(' UNION ALL ');
}

/** A condition on events: their ids are between two, given in digits as the first two parameters. */
export const idBetween = `position IN (
  SELECT position FROM events WHERE id BETWEEN unhex(?1) AND unhex(?2) AND ${isOrderedId}
  UNION ALL
  ${entriesWhere('prefix BETWEEN substr(unhex(?1), 1, 6) AND substr(unhex(?2), 1, 6)')}
) AND id BETWEEN unhex(?1) AND unhex(?2)`;

/** Whether an id, in digits, belongs in this index; all others are in an index of SQLite. */
export function isRandom(digits: string): boolean {
  return digits[12] === '4';
}

export class RandomIds {
  readonly #find: StatementSync;
  readonly #insert: StatementSync;
  /** For each table but the last. */
  readonly #moves: readonly (readonly [copy: StatementSync, remove: StatementSync])[];

  /** `columns` of an event are what a search for its id returns. */
  constructor(db: DatabaseSync, columns: string) {
    this.#find = db.prepare(
      `SELECT ${columns} FROM (${entriesWhere('prefix = unhex(?1)')}) CROSS JOIN events USING (position)
       WHERE id = unhex(?2)`,
    );
    this.#insert = db.prepare(`INSERT INTO ${randomIdTables[0]} (prefix, position) VALUES (unhex(?), ?)`);
    const range = 'prefix BETWEEN unhex(?1) AND unhex(?2)';
    this.#moves = randomIdTables.slice(1).map((larger, index) => {
      const table = randomIdTables[index];
      const copy = `INSERT INTO ${larger} SELECT * FROM ${table} WHERE ${range} ORDER BY prefix, position`;
      return [db.prepare(copy), db.prepare(`DELETE FROM ${table} WHERE ${range}`)];
    });
  }

  /** The event with an id, which is given in digits. */
  find(digits: string): Readonly<Record<string, SQLOutputValue>> | undefined {
    return this.#find.get(digits.slice(0, prefixDigits), digits);
  }

  /** Adds an id that was not found. */
  add(digits: string, position: number): void {
    this.#insert.run(digits.slice(0, prefixDigits), position);
  }

  /**
   * Must be called for every new event. Its position determines whether ids move, and which ones, so that no state is needed and
   * all ranges get their turn, however many processes append.
   */
  moveOn(position: number): void {
    if (position % moveEvery !== 0) return;
    for (const [index, [copy, remove]] of this.#moves.entries()) {
      const digits = index + 1;
      const first = ((position / moveEvery) % 16 ** digits).toString(16).padStart(digits, '0');
      const range = [first.padEnd(prefixDigits, '0'), first.padEnd(prefixDigits, 'f')];
      copy.run(...range);
      remove.run(...range);
    }
  }
}
