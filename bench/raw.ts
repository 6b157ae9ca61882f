// The upper bound: node:sqlite inserting prepared rows with the same tables, indexes and settings, without validation, hashing and events.
import { DatabaseSync } from 'node:sqlite';
import { firstDefinition, pageSize, writerSettings } from '../src/ledger/sqlite/layout.ts';
import { inPack, PackReader } from '../src/ledger/sqlite/packs.ts';

export interface Row {
  readonly revision: number;
  readonly id: Uint8Array;
  readonly digest: Uint8Array;
  readonly body: string;
}

export class RawTable {
  readonly #db: DatabaseSync;
  readonly #insert;

  constructor(path: string, state: 'new' | 'existing' = 'new') {
    this.#db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
    const define = state === 'new' ? firstDefinition : '';
    this.#db.exec(`PRAGMA page_size = ${pageSize}; PRAGMA journal_mode = WAL; ${writerSettings} ${define}`);
    this.#insert = this.#db.prepare(
      'INSERT INTO events (stream, revision, id, type, recorded_at, digest, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
  }

  append(rows: readonly Row[]): void {
    this.#db.exec('BEGIN IMMEDIATE');
    for (const { revision, id, digest, body } of rows)
      this.#insert.run(1, revision, id, 1, 1_767_000_000_000, digest, body);
    this.#db.exec('COMMIT');
  }

  /** Iterates over every row, all columns; returns their number. */
  iterate(): number {
    let rows = 0;
    for (const _ of this.#db.prepare('SELECT * FROM events ORDER BY position').iterate()) rows++;
    return rows;
  }

  close(): void {
    this.#db.close();
  }
}

/** The rows of a ledger, to insert again. */
export function rowsOf(path: string): Row[] {
  const db = new DatabaseSync(path, { readOnly: true });
  const packs = new PackReader(db);
  const found = db.prepare('SELECT position, revision, id, digest, body FROM events ORDER BY position').all();
  const rows = found.map((row) => ({ ...(row as unknown as Row), body: bodyOf(row, packs) }));
  db.close();
  return rows;
}

function bodyOf({ position, digest, body }: Readonly<Record<string, unknown>>, packs: PackReader): string {
  const digits = Buffer.from(digest as Uint8Array).toString('hex');
  return body === inPack ? packs.bodyAt(Number(position), digits) : String(body);
}
