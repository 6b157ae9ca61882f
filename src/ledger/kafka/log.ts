// Lanes as readers are given them: pages of events that count, each with the time of its block. Whatever is read for the first
// time is taken into the index on the way; so a reader of new events reads them once.
import { patiently } from '../sqlite/access.ts';
import { Turns } from '../turns.ts';
import type { Asking } from './asking.ts';
import { HistoryShrank, SentUnreadable } from './errors.ts';
import type { Admitted, LaneState } from './index/admitting.ts';
import type { Block, Index } from './index/index.ts';
import type { Lane, Lanes } from './lanes.ts';
import type { Rejecting } from './rejecting.ts';
import { endOf, type Sent } from './sending.ts';
import type { Fetched, Transport } from './transport/transport.ts';
import { Placing } from './wire.ts';

export interface EventPage {
  readonly events: readonly Admitted[];
  /** The offset to go on from. */
  readonly next: number;
}

/** The ends of all lanes by number: a reader that has come there has seen all there was. */
export type Ends = readonly number[];

interface Parts {
  readonly transport: Transport;
  readonly lanes: Lanes;
  readonly index: Index;
  readonly indexPath: string;
  readonly asking: Asking;
  /** Null where nothing is to be written. */
  readonly rejecting: Rejecting | null;
}

export class Log {
  readonly lanes: Lanes;
  readonly index: Index;
  readonly indexPath: string;
  readonly asking: Asking;
  readonly #parts: Parts;
  /** Those who want a lane taken in at the same time read it once. */
  readonly #turns: readonly Turns[];

  constructor(parts: Parts) {
    const { lanes, index, indexPath, asking } = parts;
    this.#parts = parts;
    this.lanes = lanes;
    this.index = index;
    this.indexPath = indexPath;
    this.asking = asking;
    this.#turns = lanes.all.map(() => new Turns());
  }

  /** The same lanes, taken into another index. */
  with(index: Index, indexPath: string): Log {
    return new Log({ ...this.#parts, index, indexPath, rejecting: null });
  }

  /** Of the lanes wanted; those of the others are 0. */
  async ends(lanes: readonly Lane[]): Promise<Ends> {
    const ends = new Array<number>(this.lanes.count).fill(0);
    // Before the ends are asked for: whoever else shares the index may take in what is stored after that.
    const known = this.index.lanes();
    const topics = [...new Set(lanes.map(({ topic }) => topic))];
    const found = await Promise.all(topics.map((topic) => this.#parts.transport.ends(topic)));
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
  async page(lane: Lane, from: number, until: number, signal?: AbortSignal, bytes?: number): Promise<EventPage> {
    signal?.throwIfAborted();
    if (this.index.lane(lane.number).next < from) await this.takeIn(lane, from, signal);
    const known = (): number => Math.min(until, Math.max(from + 1, this.index.lane(lane.number).next));
    const fetched = await this.asking.fetch(lane, { from, known, signal, ...(bytes === undefined ? {} : { bytes }) });
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
        await this.#admit(lane, next, await this.asking.fetch(lane, { from: next, known: () => until, signal }));
      }
    }, signal);
  }

  async takeInToEnd(lane: Lane, signal?: AbortSignal): Promise<void> {
    await this.takeIn(lane, (await this.ends([lane]))[lane.number] ?? 0, signal);
  }

  /** Whether all that was sent counts. Throws SentUnreadable. */
  async count(lane: Lane, sent: readonly Sent[], signal: AbortSignal): Promise<boolean> {
    await this.takeIn(lane, endOf(sent), signal);
    const isRefused = ({ first, count }: Sent): boolean =>
      this.index.refusedIn(lane.number, first, first + count).size > 0;
    const refused = sent.find(isRefused);
    if (refused === undefined) return true;
    const [found] = this.index.refused(lane.number, refused.first - 1);
    if (found?.why === 'foreign') throw new SentUnreadable(lane, found.first, found.because ?? '');
    return false;
  }

  async takeAllIn(lanes: readonly Lane[], ends: Ends, signal?: AbortSignal): Promise<void> {
    for (const lane of lanes) await this.takeIn(lane, ends[lane.number] ?? 0, signal);
  }

  /** Null where the lane does not stand at this offset: it was taken in before, by whomever. */
  async #admit(lane: Lane, from: number, { records, unreadable, next }: Fetched): Promise<EventPage | null> {
    if (this.index.lane(lane.number).next !== from) return null;
    const page = { lane: lane.number, from, next, records, unreadable };
    const taken = await patiently(this.indexPath, () => this.index.admitting.admit(page));
    if (taken === null) return null;
    if (taken.hasRejected) await this.#parts.rejecting?.copyAll();
    return { events: taken.events, next };
  }

  /** Of what the index knows, no more: the rest is taken in by whoever asks for it next. */
  async #known(lane: Lane, from: number, fetched: Fetched, signal?: AbortSignal): Promise<EventPage> {
    const { records, next } = fetched;
    const known = this.index.lane(lane.number).next;
    if (known <= from) {
      await this.takeIn(lane, next, signal);
      return await this.#known(lane, from, fetched, signal);
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
