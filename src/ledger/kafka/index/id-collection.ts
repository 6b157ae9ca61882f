// The ids of all events, to be held against each other: written down as they come, and sorted on disk when all are there.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Placed } from '../wire.ts';
import { inWords } from './unusable.ts';

export interface Twice {
  readonly id: string;
  readonly streams: readonly string[];
}

export class IdCollection {
  readonly #db: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #number: StatementSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
    db.exec('CREATE TABLE seen (id BLOB NOT NULL, stream INTEGER NOT NULL) STRICT');
    this.#insert = db.prepare('INSERT INTO seen (id, stream) VALUES (unhex(?), ?)');
    this.#number = db.prepare('SELECT stream FROM streams WHERE name = ?');
  }

  /** Of streams that the index knows. Those of one mostly come together. */
  add(events: readonly Placed[]): void {
    inWords(this.#db, () => {
      this.#db.exec('BEGIN');
      let [name, number] = ['', 0];
      for (const { id, stream } of events) {
        if (stream !== name) [name, number] = [stream, Number(this.#number.get(stream)?.['stream'])];
        this.#insert.run(id, number);
      }
      this.#db.exec('COMMIT');
    });
  }

  /** Those that stand in more than one stream, or in one more than once. */
  *twice(): Generator<Twice> {
    const rows = this.#db
      .prepare(
        'SELECT id, group_concat(DISTINCT stream) AS streams FROM seen GROUP BY id HAVING count(*) > 1 ORDER BY id',
      )
      .iterate();
    const name = this.#db.prepare('SELECT name FROM streams WHERE stream = ?');
    for (;;) {
      const { value: row, done } = inWords(this.#db, () => rows.next());
      if (done === true || row === undefined) return;
      const names = String(row['streams'])
        .split(',')
        .map((number) => String(name.get(number)?.['name']));
      yield { id: Buffer.from(row['id'] as Uint8Array).toString('hex'), streams: names };
    }
  }
}
