// Taking what was read of the server's log into the mirror, in its order, a page in one transaction. Who reads the same at the
// same time finds it done.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Names } from '../../sqlite/names.ts';
import type { Arrived, Found, Settings } from '../wire.ts';

/** How far the server's log was read: everything up to this position, itself included. */
export interface Progress {
  /** -1: nothing. */
  readonly position: number;
  /** What the event there is called on the server. */
  readonly anchor: string;
  readonly events: number;
}

/** A place in the server's log: that of an event. */
export interface LogPlace {
  readonly position: number;
  readonly serverId: string;
}

export interface Page {
  /** Where the log was read from. */
  readonly after: number;
  readonly found: readonly Found[];
  /** Everything up to here was read, whatever it was. */
  readonly until: LogPlace;
}

/** So manieth events have marks. */
export const markEvery = 256;

export class Admitting {
  readonly #db: DatabaseSync;
  readonly #streams: Names;
  readonly #types: Names;
  readonly #progress: StatementSync;
  readonly #move: StatementSync;
  readonly #insert: StatementSync;
  readonly #end: StatementSync;
  readonly #mark: StatementSync;
  readonly #lose: StatementSync;
  readonly #keep: StatementSync;
  readonly #gap: StatementSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#streams = new Names(db, 'streams', 'write');
    this.#types = new Names(db, 'types', 'write');
    this.#progress = db.prepare('SELECT position, anchor, events FROM progress');
    this.#move = db.prepare('UPDATE progress SET position = ?, anchor = ?, events = ?');
    this.#insert = db.prepare(
      `INSERT INTO events (position, stream, revision, id, type, recorded_at, digest, body)
       VALUES (?, ?, ?, unhex(?), ?, ?, unhex(?), ?)`,
    );
    this.#end = db.prepare('SELECT max(revision) AS revision FROM events WHERE stream = ?');
    this.#mark = db.prepare('INSERT INTO marks (count, position) VALUES (?, ?)');
    this.#lose = db.prepare('INSERT OR REPLACE INTO losing (stream, what) VALUES (?, ?)');
    this.#keep = db.prepare('DELETE FROM losing WHERE stream = ?');
    this.#gap = db.prepare('INSERT INTO gaps (position, stream, what) VALUES (?, ?, ?)');
  }

  progress(): Progress {
    const row = this.#progress.get();
    const [position, anchor, events] = [row?.['position'] ?? -1, row?.['anchor'] ?? '', row?.['events'] ?? 0];
    return { position: Number(position), anchor: String(anchor), events: Number(events) };
  }

  /** What lay between is read again. Nothing happens where the mirror has moved on since it was looked at. */
  goBack(from: number, { position, serverId }: LogPlace): void {
    const move = this.#db.prepare('UPDATE progress SET position = ?, anchor = ? WHERE position = ?');
    move.run(position, serverId, from);
  }

  /** False where the mirror has not come to where the page begins: another has taken its place. Meets a lock before it does anything. */
  admit({ after, found, until }: Page): boolean {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const progress = this.progress();
      const fits = progress.position >= after;
      if (fits) this.#admit(found, until, progress);
      this.#db.exec('COMMIT');
      this.#streams.committed();
      this.#types.committed();
      return fits;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      this.#streams.rolledBack();
      this.#types.rolledBack();
      throw error;
    }
  }

  #admit(found: readonly Found[], until: LogPlace, progress: Progress): void {
    let { events } = progress;
    const ends = new Map<number, number>();
    for (const one of found) {
      if (one.position <= progress.position || one.kind === 'other') continue;
      if (one.kind === 'settings') this.#note(one);
      else {
        this.#take(one, ends);
        events++;
        if (events % markEvery === 0) this.#mark.run(events, one.position);
      }
    }
    const reached =
      until.position > progress.position ? until : { position: progress.position, serverId: progress.anchor };
    this.#move.run(reached.position, reached.serverId, events);
  }

  #take({ position, stream, revision, id, type, recordedMs, digest, body }: Arrived, ends: Map<number, number>): void {
    const number = this.#streams.ensure(stream);
    const end = ends.get(number) ?? this.#endOf(number);
    if (revision !== end + 1) {
      this.#gap.run(position, stream, `${stream}@${revision} follows ${end < 0 ? 'nothing' : `revision ${end}`}`);
    }
    ends.set(number, revision);
    const typeNumber = this.#types.ensure(type);
    this.#insert.run(position, number, revision, id, typeNumber, recordedMs, digest, body);
  }

  #endOf(stream: number): number {
    return Number(this.#end.get(stream)?.['revision'] ?? -1);
  }

  #note({ of, losing }: Settings): void {
    if (losing === null) this.#keep.run(of);
    else this.#lose.run(of, losing);
  }
}
