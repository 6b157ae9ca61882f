// Lanes as readers are given them: pages of events that count, each with the time of its block. Whatever is read for the first
// time is taken into the index on the way; so a reader of new events reads them once.
import { patiently } from '../sqlite/patience.ts';
import { Turns } from '../sqlite/turns.ts';
import { HistoryShrank } from './errors.ts';
import type { Admitted, LaneState } from './index/admitting.ts';
import type { Block, Index } from './index/index.ts';
import type { Lane, Lanes } from './lanes.ts';
import type { Rejecting } from './rejecting.ts';
import type { Sent } from './sending.ts';
import type { Fetched, Transport } from './transport/transport.ts';
import { Placing } from './wire.ts';

/** Of one answer of a broker. */
const pageBytes = 2 ** 20;
const leaderWaitMs = 100;

export interface EventPage {
  readonly events: readonly Admitted[];
  /** The offset to go on from. */
  readonly next: number;
}

/** The ends of all lanes by number: a reader that has come there has seen all there was. */
export type Ends = readonly number[];

export class Log {
  readonly lanes: Lanes;
  readonly index: Index;
  readonly indexPath: string;
  readonly #transport: Transport;
  /** Null where nothing is to be written. */
  readonly #rejecting: Rejecting | null;
  /** Those who want a lane taken in at the same time read it once. */
  readonly #turns: readonly Turns[];

  constructor(transport: Transport, lanes: Lanes, index: Index, indexPath: string, rejecting: Rejecting | null = null) {
    this.#rejecting = rejecting;
    this.#transport = transport;
    this.lanes = lanes;
    this.index = index;
    this.indexPath = indexPath;
    this.#turns = lanes.all.map(() => new Turns());
  }

  /** The same lanes, taken into another index. */
  with(index: Index, path: string): Log {
    return new Log(this.#transport, this.lanes, index, path);
  }

  /** Of the lanes wanted; those of the others are 0. */
  async ends(lanes: readonly Lane[]): Promise<Ends> {
    const ends = new Array<number>(this.lanes.count).fill(0);
    // Before the ends are asked for: whoever else shares the index may take in what is stored after that.
    const known = this.index.lanes();
    const topics = [...new Set(lanes.map(({ topic }) => topic))];
    const found = await Promise.all(topics.map((topic) => this.#transport.ends(topic)));
    for (const lane of lanes) {
      const there = found[topics.indexOf(lane.topic)]?.find(({ partition }) => partition === lane.partition);
      const { start, end } = there ?? { start: 0, end: 0 };
      const { next } = known[lane.number] as LaneState;
      if (start > 0 || end < next) throw new HistoryShrank(lane, start, end, next);
      ends[lane.number] = end;
    }
    return ends;
  }

  /** The events of a lane from an offset on and before another, as many as come with one answer. */
  async page(lane: Lane, from: number, until: number, signal?: AbortSignal, bytes = pageBytes): Promise<EventPage> {
    signal?.throwIfAborted();
    if (this.index.lane(lane.number).next < from) await this.takeIn(lane, from, signal);
    const fetched = await this.#fetch(lane, from, bytes, signal);
    const admitted = await this.#admit(lane, from, fetched);
    const { events, next } = admitted ?? (await this.#known(lane, from, fetched, signal));
    if (next <= until) return { events, next };
    return { events: events.filter(({ record }) => record.offset < until), next: until };
  }

  /** Takes a lane into the index up to an offset. */
  async takeIn(lane: Lane, until: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.index.lane(lane.number).next >= until) return;
    await (this.#turns[lane.number] as Turns).take(async () => {
      for (;;) {
        const { next } = this.index.lane(lane.number);
        if (next >= until) return;
        await this.#admit(lane, next, await this.#fetch(lane, next, pageBytes, signal));
      }
    }, signal);
  }

  async takeInToEnd(lane: Lane, signal?: AbortSignal): Promise<void> {
    await this.takeIn(lane, (await this.ends([lane]))[lane.number] ?? 0, signal);
  }

  /** Whether all that was sent counts. It is stored: nobody stops the look at it. */
  async count(lane: Lane, sent: readonly Sent[]): Promise<boolean> {
    const last = sent.at(-1);
    if (last !== undefined) await this.takeIn(lane, last.first + last.count);
    return sent.every(({ first, count }) => this.index.refusedIn(lane.number, first, first + count).size === 0);
  }

  async takeAllIn(lanes: readonly Lane[], ends: Ends, signal?: AbortSignal): Promise<void> {
    for (const lane of lanes) await this.takeIn(lane, ends[lane.number] ?? 0, signal);
  }

  async #fetch(lane: Lane, from: number, maxBytes: number, signal: AbortSignal | undefined): Promise<Fetched> {
    signal?.throwIfAborted();
    // Only what must be there is asked for: where a broker has nothing yet, it has just begun to lead.
    const options = { maxBytes, maxWaitMs: leaderWaitMs, ...(signal === undefined ? {} : { signal }) };
    return await this.#transport.fetch(lane.topic, lane.partition, from, options);
  }

  /** Null where the lane does not stand at this offset: it was taken in before, by whomever. */
  async #admit(lane: Lane, from: number, { records, next }: Fetched): Promise<EventPage | null> {
    if (next === from || this.index.lane(lane.number).next !== from) return next === from ? { events: [], next } : null;
    const page = { lane: lane.number, from, next, records };
    const taken = await patiently(this.indexPath, () => this.index.admitting.admit(page));
    if (taken === null) return null;
    await this.#rejecting?.copy(lane, taken.rejected);
    return { events: taken.events, next };
  }

  /** Of what the index knows, no more: the rest is taken in by whoever asks for it next. */
  async #known(lane: Lane, from: number, { records, next }: Fetched, signal?: AbortSignal): Promise<EventPage> {
    const known = this.index.lane(lane.number).next;
    if (known <= from) {
      await this.takeIn(lane, next, signal);
      return await this.#known(lane, from, { records, next, end: next }, signal);
    }
    const end = Math.min(next, known);
    const refused = this.index.refusedIn(lane.number, from, end);
    const times = new Times(this.index.blocks(lane.number, from, end));
    const placing = new Placing();
    const events: Admitted[] = [];
    for (const record of records) {
      if (record.offset >= end || refused.has(record.offset)) continue;
      const placed = placing.placedIn(record);
      if (typeof placed !== 'string') events.push({ record, placed, time: times.at(record.offset) });
    }
    return { events, next: end };
  }
}

/** The times of blocks, asked for in the order of offsets. */
class Times {
  readonly #blocks: readonly Block[];
  #at = 0;

  constructor(blocks: readonly Block[]) {
    this.#blocks = blocks;
  }

  at(offset: number): number {
    while ((this.#blocks[this.#at + 1]?.first ?? Number.POSITIVE_INFINITY) <= offset) this.#at++;
    return this.#blocks[this.#at]?.time ?? 0;
  }
}
