// The ids of all events, to be held against each other: written down as they come, and sorted on disk when all are there.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Placed } from '../wire.ts';

export interface Twice {
  readonly id: string;
  readonly streams: readonly string[];
}

export class IdCollection {
  readonly #db: DatabaseSync;
  readonly #insert: StatementSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
    db.exec('CREATE TABLE seen (id BLOB NOT NULL, stream TEXT NOT NULL) STRICT');
    this.#insert = db.prepare('INSERT INTO seen (id, stream) VALUES (unhex(?), ?)');
  }

  add(events: readonly Placed[]): void {
    this.#db.exec('BEGIN');
    for (const { id, stream } of events) this.#insert.run(id, stream);
    this.#db.exec('COMMIT');
  }

  /** Those that stand in more than one stream, or in one more than once. */
  *twice(): Generator<Twice> {
    const rows = this.#db
      .prepare(
        `SELECT lower(hex(id)) AS id, group_concat(DISTINCT stream) AS streams FROM seen
          GROUP BY seen.id HAVING count(*) > 1 ORDER BY seen.id`,
      )
      .iterate();
    for (const { id, streams } of rows) yield { id: String(id), streams: String(streams).split(',') };
  }
}
