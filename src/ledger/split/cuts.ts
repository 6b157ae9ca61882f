// Cursors of a split ledger. One says how far each part has been read, so that reading can go on after any event, however
// the two grow: nothing is assumed of an order between them.

import { BadCursor } from '../errors.ts';
import type { Cursor, CursorOrder } from '../event.ts';
import { StoredEvent } from '../stored.ts';
import type { Both, Part } from './parts.ts';

/** How far each part goes; null: nothing of it. */
export type Cut = Both<Cursor | null>;

export const nothing: Cut = { decisions: null, evidence: null };

export class Cuts {
  readonly #ledger: string;
  readonly #url: string;

  constructor(ledger: string, url: string) {
    this.#ledger = ledger;
    this.#url = url;
  }

  /** `ledger@12+57`: the cursors of the parts, without the identity that they have in common. */
  cursorOf({ decisions, evidence }: Cut): Cursor {
    return `${this.#ledger}@${this.#written(decisions)}+${this.#written(evidence)}`;
  }

  /** Without a cursor, the beginning. Throws BadCursor on what this ledger never gave; its parts look at theirs. */
  cutOf(cursor: Cursor | undefined | null): Cut {
    if (cursor === undefined || cursor === null) return nothing;
    const [, owner, decisions, evidence] = /^([^@+]+)@([^@+]*)\+([^@+]*)$/.exec(cursor) ?? [];
    if (owner === undefined) throw new BadCursor(cursor, this.#url, 'it has another form');
    if (owner !== this.#ledger) {
      throw new BadCursor(cursor, this.#url, `it belongs to ledger ${owner}, this is ${this.#ledger}`);
    }
    return { decisions: this.#read(decisions ?? '', cursor), evidence: this.#read(evidence ?? '', cursor) };
  }

  /** An event by itself knows its own part only: after its cursor comes all of the other. */
  alone(part: Part, event: StoredEvent): StoredEvent {
    return this.at({ ...nothing, [part]: event.cursor }, event);
  }

  /** The same event, to be read on from where both parts have come to. */
  at(cut: Cut, event: StoredEvent): StoredEvent {
    const { stream, revision, type, filedId, recordedMs, digest, body } = event;
    return new StoredEvent(stream, revision, type, filedId, recordedMs, digest, body, this.cursorOf(cut));
  }

  #written(cursor: Cursor | null): string {
    if (cursor === null) return '';
    const own = `${this.#ledger}@`;
    const rest = cursor.startsWith(own) ? cursor.slice(own.length) : '';
    return plain.test(rest) ? rest : `=${encodeURIComponent(cursor)}`;
  }

  #read(written: string, whole: Cursor): Cursor | null {
    if (written === '') return null;
    if (!written.startsWith('=')) return `${this.#ledger}@${written}`;
    try {
      return decodeURIComponent(written.slice(1));
    } catch {
      throw new BadCursor(whole, this.#url, 'it has another form');
    }
  }
}

const plain = /^[A-Za-z0-9._:,;~-]+$/;

/** How one cut lies to another, as the parts say it of theirs. */
export function compareCuts(a: Cut, b: Cut, compare: (part: Part, a: Cursor, b: Cursor) => CursorOrder): CursorOrder {
  const order = (part: Part): CursorOrder => {
    const [left, right] = [a[part], b[part]];
    if (left === null || right === null) return left === right ? 'equal' : left === null ? 'before' : 'after';
    return compare(part, left, right);
  };
  const [decisions, evidence] = [order('decisions'), order('evidence')];
  if (decisions === evidence || evidence === 'equal') return decisions;
  return decisions === 'equal' ? evidence : 'concurrent';
}
