// Streams and types are numbers in the events table. Their names never change, so what was read once is kept.
import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Enough for the streams at work; beyond it, all are looked up again: to drop one by one the oldest is slow. */
const kept = 10_000;

export class Names {
  readonly #column: 'stream' | 'type';
  readonly #byName = new Map<string, number>();
  readonly #byNumber = new Map<number, string>();
  readonly #findNumber: StatementSync;
  readonly #findName: StatementSync;
  readonly #insert: StatementSync | null;
  /** Made in the open transaction: not to be remembered before it is committed. */
  #fresh: string[] = [];

  constructor(db: DatabaseSync, table: 'streams' | 'types', access: 'read' | 'write') {
    this.#column = table === 'streams' ? 'stream' : 'type';
    this.#findNumber = db.prepare(`SELECT ${this.#column} AS number FROM ${table} WHERE name = ?`);
    this.#findName = db.prepare(`SELECT name FROM ${table} WHERE ${this.#column} = ?`);
    this.#insert = access === 'write' ? db.prepare(`INSERT INTO ${table} (name) VALUES (?)`) : null;
  }

  /** The number of a name; null when the ledger has none of it. */
  numberOf(name: string): number | null {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const row = this.#findNumber.get(name);
    if (row === undefined) return null;
    this.#remember(name, Number(row['number']));
    return Number(row['number']);
  }

  /** The number of a name, given one in the open transaction when it is new. */
  ensure(name: string): number {
    const known = this.numberOf(name);
    if (known !== null) return known;
    if (this.#insert === null) throw new Error(`no new name without write access: ${name}`);
    const number = Number(this.#insert.run(name).lastInsertRowid);
    this.#remember(name, number);
    this.#fresh.push(name);
    return number;
  }

  /** Of a number that somebody wrote into the file, and that has no name, which one it is. */
  nameOf(number: number): string {
    const known = this.#byNumber.get(number);
    if (known !== undefined) return known;
    const row = this.#findName.get(number);
    // Nothing to remember: it is no name, and must not be found by it.
    if (row === undefined) return `${this.#column} number ${number} (no row names it)`;
    const name = String(row['name']);
    this.#remember(name, number);
    return name;
  }

  committed(): void {
    this.#fresh = [];
  }

  rolledBack(): void {
    for (const name of this.#fresh) this.#forget(name);
    this.#fresh = [];
  }

  #remember(name: string, number: number): void {
    if (this.#byName.size >= kept) {
      this.#byName.clear();
      this.#byNumber.clear();
    }
    this.#byName.set(name, number);
    this.#byNumber.set(number, name);
  }

  #forget(name: string): void {
    const number = this.#byName.get(name);
    this.#byName.delete(name);
    if (number !== undefined) this.#byNumber.delete(number);
  }
}
