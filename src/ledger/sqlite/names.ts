// Streams and types are numbers in the events table. Their names never change, so what was read once is cached.
import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Enough for the streams at work; when there are more, all are looked up again: to drop the oldest one by one is slow. */
const cachedNames = 10_000;

export class Names {
  readonly #column: 'stream' | 'type';
  readonly #byName = new Map<string, number>();
  readonly #byNumber = new Map<number, string>();
  readonly #findNumber: StatementSync;
  readonly #findName: StatementSync;
  readonly #insert: StatementSync | null;

  constructor(db: DatabaseSync, table: 'streams' | 'types', access: 'read' | 'write') {
    this.#column = table === 'streams' ? 'stream' : 'type';
    this.#findNumber = db.prepare(`SELECT ${this.#column} AS number FROM ${table} WHERE name = ?`);
    this.#findName = db.prepare(`SELECT name FROM ${table} WHERE ${this.#column} = ?`);
    this.#insert = access === 'write' ? db.prepare(`INSERT INTO ${table} (name) VALUES (?)`) : null;
  }

  /** The number of a name; null when the ledger does not have it. */
  numberOf(name: string): number | null {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const row = this.#findNumber.get(name);
    if (row === undefined) return null;
    this.#remember(name, Number(row['number']));
    return Number(row['number']);
  }

  /** The number of a name, which it is given in the open transaction where it is new. */
  ensure(name: string): number {
    const known = this.numberOf(name);
    if (known !== null) return known;
    if (this.#insert === null) throw new Error(`no new name without write access: ${name}`);
    const number = Number(this.#insert.run(name).lastInsertRowid);
    this.#remember(name, number);
    return number;
  }

  nameOf(number: number): string {
    const known = this.#byNumber.get(number);
    if (known !== undefined) return known;
    const row = this.#findName.get(number);
    // A number that was forged is not cached: no event must be found by what is said of it.
    if (row === undefined) return `${this.#column} number ${number} (no row names it)`;
    const name = String(row['name']);
    this.#remember(name, number);
    return name;
  }

  /** What was made in a transaction that was rolled back never was. */
  forget(): void {
    this.#byName.clear();
    this.#byNumber.clear();
  }

  #remember(name: string, number: number): void {
    if (this.#byName.size >= cachedNames) this.forget();
    this.#byName.set(name, number);
    this.#byNumber.set(number, name);
  }
}
