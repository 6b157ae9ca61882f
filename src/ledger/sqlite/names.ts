// The events table refers to streams and types by number. Their names never change, so they are cached.
import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Enough for the active streams. A full cache is cleared completely, because evicting the oldest one by one is slow. */
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

  /** The number of a name; null: the ledger does not have it. */
  numberOf(name: string): number | null {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const row = this.#findNumber.get(name);
    if (row === undefined) return null;
    this.#remember(name, Number(row['number']));
    return Number(row['number']);
  }

  /** The number of a name; a new name gets one in the open transaction. */
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
    // A forged number is not cached, since no event may be found by this placeholder.
    if (row === undefined) return `${this.#column} number ${number} (no row names it)`;
    const name = String(row['name']);
    this.#remember(name, number);
    return name;
  }

  /** Forgets names that were added in a rolled-back transaction. */
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
