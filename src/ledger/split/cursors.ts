// Cursors of a split ledger: that of a run event, and how many events of the evidence that it reports have been read.
import type { Cursor, CursorOrder } from '../cursor.ts';
import { BadCursor } from '../errors.ts';
import { StoredEvent } from '../stored.ts';

export interface Place {
  /** In the store of the run events; null: before the first of them. */
  readonly run: Cursor | null;
  /** Of the evidence that the run event there reports. */
  readonly events: number;
}

export const beginning: Place = { run: null, events: 0 };

export class Cursors {
  readonly #ledger: string;
  readonly #url: string;
  readonly #compareRun: (a: Cursor, b: Cursor) => CursorOrder;

  constructor(ledger: string, url: string, compareRun: (a: Cursor, b: Cursor) => CursorOrder) {
    this.#ledger = ledger;
    this.#url = url;
    this.#compareRun = compareRun;
  }

  /** `ledger@12+57`: the cursor of the run event without the identity, which is the same, and the number of events. */
  write({ run, events }: Place): Cursor {
    return `${this.#ledger}@${this.#written(run)}${events > 0 ? `+${events}` : ''}`;
  }

  /** Throws BadCursor on what this ledger never gave; the store of the run events looks at its own. */
  read(cursor: Cursor): Place {
    const [, owner, run = '', events = '0'] = /^([^@+]+)@([^@+]*)(?:\+([1-9][0-9]{0,14}))?$/.exec(cursor) ?? [];
    if (owner === undefined || (run === '' && events !== '0')) throw this.bad(cursor, 'it has another form');
    if (owner !== this.#ledger) throw this.bad(cursor, `it belongs to ledger ${owner}, this is ${this.#ledger}`);
    return { run: run === '' ? null : this.#readRun(run, cursor), events: Number(events) };
  }

  bad(cursor: Cursor, why: string): BadCursor {
    return new BadCursor(cursor, this.#url, why);
  }

  compare(a: Place, b: Place): CursorOrder {
    const order = this.#compareRuns(a.run, b.run);
    if (order !== 'equal' || a.events === b.events) return order;
    return a.events < b.events ? 'before' : 'after';
  }

  /** The same event, with its place in the whole. */
  placed({ stream, revision, type, filedId, recordedMs, digest, body }: StoredEvent, place: Place): StoredEvent {
    return new StoredEvent(stream, revision, type, filedId, recordedMs, digest, body, this.write(place));
  }

  #compareRuns(a: Cursor | null, b: Cursor | null): CursorOrder {
    if (a === null || b === null) return a === b ? 'equal' : a === null ? 'before' : 'after';
    return this.#compareRun(a, b);
  }

  #written(cursor: Cursor | null): string {
    if (cursor === null) return '';
    const own = `${this.#ledger}@`;
    const rest = cursor.startsWith(own) ? cursor.slice(own.length) : '';
    return plain.test(rest) ? rest : `=${encodeURIComponent(cursor)}`;
  }

  #readRun(written: string, whole: Cursor): Cursor {
    if (!written.startsWith('=')) return `${this.#ledger}@${written}`;
    try {
      return decodeURIComponent(written.slice(1));
    } catch {
      throw this.bad(whole, 'it has another form');
    }
  }
}

const plain = /^[A-Za-z0-9._:,;~-]+$/;
