// One lane being read from one end of a span to the other, as much at a time as comes with one answer, and of it only what is
// wanted. Forwards the next answer is asked for while this one is used.
import type { Admitted } from './index/admitting.ts';
import type { Lane } from './lanes.ts';
import type { EventPage, Log } from './log.ts';

/** Offsets, the first included, the last not. */
export interface Stretch {
  readonly from: number;
  readonly until: number;
}

export interface Wanted {
  readonly wants: (event: Admitted) => boolean;
  /** Where alone something wanted may lie, in ascending order; null: anywhere. */
  readonly ranges: readonly { readonly first: number; readonly last: number }[] | null;
  readonly signal?: AbortSignal;
  /** Of one answer, at most. */
  readonly bytes: number;
}

export interface LaneReader {
  readonly lane: Lane;
  /** The next event; undefined where more must be read first, or the end has come. */
  readonly first: Admitted | undefined;
  take(): void;
  /** Reads until there is a next event; false at the end. */
  fill(): Promise<boolean>;
}

/** What an event takes in an answer where batches are large and compress well; whole batches come in any case. */
const bytesPerEvent = 256;

export class Forwards implements LaneReader {
  readonly lane: Lane;
  readonly #log: Log;
  readonly #wanted: Wanted;
  readonly #until: number;
  #position: number;
  #events: readonly Admitted[] = [];
  #at = 0;
  #coming: Promise<EventPage> | null = null;
  #range = 0;
  #bytesPerEvent = bytesPerEvent;

  constructor(log: Log, lane: Lane, { from, until }: Stretch, wanted: Wanted) {
    this.#log = log;
    this.lane = lane;
    this.#wanted = wanted;
    this.#until = until;
    this.#position = this.#within(from);
  }

  get first(): Admitted | undefined {
    return this.#events[this.#at];
  }

  take(): void {
    this.#at++;
  }

  async fill(): Promise<boolean> {
    while (this.#at >= this.#events.length) {
      const coming = this.#coming ?? this.#ask();
      if (coming === null) return false;
      const { events, next } = await coming;
      this.#position = this.#within(next);
      this.#coming = this.#ask();
      this.#events = events.filter(this.#wanted.wants);
      this.#at = 0;
    }
    return true;
  }

  #ask(): Promise<EventPage> | null {
    if (this.#position >= this.#until) return null;
    const { signal } = this.#wanted;
    const page = this.#log.page(this.lane, this.#position, this.#until, signal, this.#bytes());
    // Whoever stops reading never asks how it went.
    page.catch(() => {});
    return page;
  }

  /** Of what lies behind the end no more than must be. */
  #bytes(): number {
    const bytes = Math.min(this.#wanted.bytes, (this.#until - this.#position) * this.#bytesPerEvent);
    // Where events are larger than that, a long stretch takes no more answers for it.
    this.#bytesPerEvent *= 2;
    return bytes;
  }

  /** From here on, the next offset at which something may lie. */
  #within(position: number): number {
    const { ranges } = this.#wanted;
    if (ranges === null) return position;
    while ((ranges[this.#range]?.last ?? Number.POSITIVE_INFINITY) < position) this.#range++;
    const range = ranges[this.#range];
    return range === undefined ? this.#until : Math.max(position, range.first);
  }
}

/** So many offsets are read forwards to be given backwards. */
const chunk = 1024;

export class Backwards implements LaneReader {
  readonly lane: Lane;
  readonly #log: Log;
  readonly #wanted: Wanted;
  readonly #from: number;
  readonly #chunk: number;
  #before: number;
  #events: readonly Admitted[] = [];
  #at = 0;

  constructor(log: Log, lane: Lane, { from, until }: Stretch, wanted: Wanted, limit: number) {
    this.#log = log;
    this.lane = lane;
    this.#wanted = wanted;
    this.#from = from;
    this.#before = until;
    this.#chunk = Math.min(chunk, 4 * limit + 16);
  }

  get first(): Admitted | undefined {
    return this.#events[this.#at];
  }

  take(): void {
    this.#at++;
  }

  async fill(): Promise<boolean> {
    while (this.#at >= this.#events.length) {
      const { from, until } = this.#stretch();
      if (from >= until) return false;
      this.#events = (await this.#read(from, until)).reverse();
      this.#at = 0;
      this.#before = from;
    }
    return true;
  }

  async #read(from: number, until: number): Promise<Admitted[]> {
    const { bytes, signal, wants } = this.#wanted;
    const found: Admitted[] = [];
    for (let position = from; position < until; ) {
      const { events, next } = await this.#log.page(this.lane, position, until, signal, bytes);
      found.push(...events.filter(wants));
      position = next;
    }
    return found;
  }

  /** The last stretch before where it stands in which something may lie. */
  #stretch(): Stretch {
    const range = this.#wanted.ranges?.findLast(({ first }) => first < this.#before);
    if (this.#wanted.ranges !== null && range === undefined) return { from: 0, until: 0 };
    const until = Math.min(this.#before, (range?.last ?? this.#before) + 1);
    return { from: Math.max(this.#from, range?.first ?? 0, until - this.#chunk), until };
  }
}
