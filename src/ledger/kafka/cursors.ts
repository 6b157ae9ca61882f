// Cursors of a ledger in Kafka. One says how far every lane was read, an offset each; another, of an event found by its
// stream or its id, says only where that event lies.

import { BadCursor } from '../errors.ts';
import type { Cursor, CursorOrder } from '../event.ts';
import type { Index } from './index/index.ts';
import type { Lanes } from './lanes.ts';
import type { Ends } from './log.ts';

const base = 36;

/** How far every lane was read; `of`: the lane of the event whose cursor it is. */
export interface Everywhere {
  readonly offsets: Ends;
  readonly of: number | null;
}

interface OnePlace {
  readonly lane: number;
  /** Behind the event. */
  readonly next: number;
}

type Read = Everywhere | OnePlace;

export class Cursors {
  readonly #ledger: string;
  readonly #url: string;
  readonly #lanes: Lanes;
  readonly #index: Index;

  constructor(ledger: string, url: string, lanes: Lanes, index: Index) {
    this.#ledger = ledger;
    this.#url = url;
    this.#lanes = lanes;
    this.#index = index;
  }

  everywhere(offsets: Ends): Cursor {
    return `${this.#ledger}@${written(offsets)}`;
  }

  /** What stands before and behind the offset of one lane while those of the others stay as they are. */
  around(offsets: Ends, lane: number): { readonly before: string; readonly behind: string } {
    const [left, right] = [written(offsets.slice(0, lane)), written(offsets.slice(lane + 1))];
    return {
      before: `${this.#ledger}@${left}${left === '' ? '' : '.'}`,
      behind: `${right === '' ? '' : '.'}${right}~${lane.toString(base)}`,
    };
  }

  /** Of an event at an offset. */
  place(lane: number, offset: number): Cursor {
    return `${this.#ledger}@${lane.toString(base)}:${(offset + 1).toString(base)}`;
  }

  compare(a: Cursor, b: Cursor): CursorOrder {
    const [left, right] = [this.#read(a), this.#read(b)];
    if ('lane' in left && 'lane' in right && left.lane !== right.lane) return this.#comparePlaces(left, right);
    const pairs = this.#lanes.all
      .map(({ number }) => [offsetIn(left, number), offsetIn(right, number)] as const)
      .filter((pair): pair is readonly [number, number] => pair[0] !== null && pair[1] !== null);
    const isBefore = pairs.some(([one, other]) => one < other);
    const isAfter = pairs.some(([one, other]) => one > other);
    if (isBefore && isAfter) return 'concurrent';
    return isBefore ? 'before' : isAfter ? 'after' : 'equal';
  }

  /** By the order of their blocks. */
  #comparePlaces(a: OnePlace, b: OnePlace): CursorOrder {
    const [one, other] = [this.#timeAt(a), this.#timeAt(b)];
    const isBefore = one < other || (one === other && a.lane < b.lane);
    return isBefore ? 'before' : 'after';
  }

  /**
   * How far every lane is read that stands before or at the cursor; without one, nothing. Throws BadCursor, also where it
   * goes further than the lanes do.
   */
  offsetsWithin(cursor: Cursor | undefined, ends: Ends): Everywhere {
    if (cursor === undefined) return { offsets: this.#lanes.all.map(() => 0), of: null };
    const read = this.#read(cursor);
    for (const { number, topic, partition } of this.#lanes.all) {
      const [offset, end] = [offsetIn(read, number) ?? 0, ends[number] ?? 0];
      if (offset > end) throw this.#bad(cursor, `${topic}/${partition} ends at ${end}, it says ${offset}`);
    }
    return 'lane' in read ? this.#around(read, ends) : read;
  }

  #around(place: OnePlace, ends: Ends): Everywhere {
    const time = this.#timeAt(place);
    const offsets = ends.map((end, lane) => {
      if (lane === place.lane) return place.next;
      // By now the index may go further than the lanes did.
      return Math.min(this.#index.firstBehind(lane, time, place.lane) ?? end, end);
    });
    return { offsets, of: place.lane };
  }

  #timeAt({ lane, next }: OnePlace): number {
    return this.#index.blocks(lane, next - 1, next)[0]?.time ?? 0;
  }

  #read(cursor: Cursor): Read {
    const at = cursor.indexOf('@');
    const [owner, rest] = [cursor.slice(0, Math.max(at, 0)), cursor.slice(at + 1)];
    const place = /^([0-9a-z]{1,4}):([0-9a-z]{1,11})$/.exec(rest);
    const everywhere = /^([0-9a-z]{1,11}(?:\.[0-9a-z]{1,11})*)(?:~([0-9a-z]{1,4}))?$/.exec(rest);
    if (at < 0 || (place === null && everywhere === null)) throw this.#bad(cursor, 'it has another form');
    if (owner !== this.#ledger) throw this.#bad(cursor, `it belongs to ledger ${owner}, this is ${this.#ledger}`);
    if (place !== null) return this.#onePlace(cursor, place);
    const offsets = (everywhere?.[1] ?? '').split('.').map((text) => Number.parseInt(text, base));
    const of = everywhere?.[2] === undefined ? null : Number.parseInt(everywhere[2], base);
    if (offsets.length !== this.#lanes.count || (of !== null && of >= this.#lanes.count)) {
      throw this.#bad(cursor, `it has ${offsets.length} lanes, the ledger ${this.#lanes.count}`);
    }
    return { offsets, of };
  }

  #onePlace(cursor: Cursor, [, lane = '', next = '']: RegExpExecArray): OnePlace {
    const read = { lane: Number.parseInt(lane, base), next: Number.parseInt(next, base) };
    if (read.lane >= this.#lanes.count || read.next < 1) throw this.#bad(cursor, 'it has another form');
    return read;
  }

  #bad(cursor: Cursor, why: string): BadCursor {
    return new BadCursor(cursor, this.#url, why);
  }
}

function offsetIn(read: Read, lane: number): number | null {
  if (!('lane' in read)) return read.offsets[lane] ?? 0;
  return read.lane === lane ? read.next : null;
}

function written(offsets: Ends): string {
  return offsets.map((offset) => offset.toString(base)).join('.');
}
