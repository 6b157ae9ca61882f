// Events as readers are given them: those of one stream, those of the whole ledger, and what is stored from now on.
import { setTimeout as pause } from 'node:timers/promises';
import { eventTypes } from '../../../schemas/catalogue.ts';
import { LedgerClosed } from '../errors.ts';
import type { Delivery, ReadAllOptions, SubscribeOptions } from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';
import type { Cursors } from './cursors.ts';
import type { Admitted } from './index/admitting.ts';
import { Backwards, Forwards, type LaneReader, type Wanted } from './lane-readers.ts';
import type { Lane } from './lanes.ts';
import type { Ends, Log } from './log.ts';
import { type Batch, merged } from './merging.ts';
import { joined } from './ranges.ts';

const mostBytes = 2 ** 20;
/** Of all lanes that are read at once. Compressed: what is held is twice as much, and ten times that when it is unpacked. */
const bytesTogether = 2 ** 22;
/** Who wants few events gets small answers. */
const fewEvents = 64;
const fewBytes = 2 ** 16;

/** Where nothing comes, brokers are asked ever more rarely, up to this. */
const slowestMs = 500;
const slowing = 1.5;

type Filter = Pick<ReadAllOptions, 'types' | 'streams'>;

interface Span {
  readonly from: Ends;
  readonly until: Ends;
}

export class Feeds {
  readonly #log: Log;
  readonly #cursors: Cursors;

  constructor(log: Log, cursors: Cursors) {
    this.#log = log;
    this.#cursors = cursors;
  }

  /** Of some lanes alone: in the others a cursor stays at the beginning. */
  async *ofAll(
    options: ReadAllOptions,
    ended: AbortSignal,
    lanes = this.#log.lanes.all,
  ): AsyncGenerator<readonly StoredEvent[]> {
    const { backwards = false, limit = Number.POSITIVE_INFINITY } = options;
    const ends = await this.#log.ends(lanes);
    const span = await this.#span(options, ends, ended);
    if (limit <= 0) return;
    for await (const { events } of this.#read(options, span, { backwards, limit, signal: ended })) yield events;
  }

  async *live(options: SubscribeOptions, ended: AbortSignal): AsyncGenerator<Delivery> {
    const { all } = this.#log.lanes;
    // Whoever wants nothing that any of them could have is told when one has grown.
    const wanted = this.#lanesOf(options);
    const followed = wanted.length === 0 ? all : wanted;
    let from: Ends | null = null;
    let rest = 1;
    try {
      while (!ended.aborted) {
        const until: Ends = from === null ? await this.#log.ends(all) : await this.#grown(from, followed);
        if (from !== null && isSame(from, until)) {
          await pause(rest, undefined, { signal: ended }).catch(() => {});
          rest = Math.min(rest * slowing, slowestMs);
          continue;
        }
        rest = 1;
        from ??= (await this.#span(options, until, ended)).from;
        const order = { backwards: false, limit: Number.POSITIVE_INFINITY, signal: ended };
        for await (const { events, offsets } of this.#read(options, { from, until }, order)) {
          yield { kind: 'events', events, cursor: this.#cursors.everywhere(offsets) };
          if (ended.aborted) return;
        }
        from = until;
        yield { kind: 'caught-up', cursor: this.#cursors.everywhere(until) };
      }
    } catch (error) {
      // Closing the ledger ends its subscriptions; it is no failure of theirs.
      if (!ended.aborted && !(error instanceof LedgerClosed)) throw error;
    }
  }

  /** The ends of some lanes; in the others it stays at what they were. */
  async #grown(from: Ends, lanes: readonly Lane[]): Promise<Ends> {
    const ends = await this.#log.ends(lanes);
    const asked = new Set(lanes.map(({ number }) => number));
    return from.map((end, lane) => (asked.has(lane) ? (ends[lane] ?? end) : end));
  }

  /** The offsets of all lanes between two cursors. */
  async #span({ after, until, backwards = false }: ReadAllOptions, ends: Ends, ended: AbortSignal): Promise<Span> {
    // A place is compared by the blocks of its lane, which only the index knows.
    for (const cursor of [after, until])
      if (cursor?.includes(':')) await this.#log.takeAllIn(this.#log.lanes.all, ends, ended);
    const start = this.#cursors.offsetsWithin(after, ends);
    if (backwards)
      return { from: ends.map(() => 0), until: after === undefined ? ends : without(start.offsets, start.of) };
    if (until === undefined) return { from: start.offsets, until: ends };
    return { from: start.offsets, until: this.#cursors.offsetsWithin(until, ends).offsets };
  }

  async *#read(
    filter: Filter,
    { from, until }: Span,
    { backwards, limit, signal }: { backwards: boolean; limit: number; signal: AbortSignal },
  ): AsyncGenerator<Batch> {
    const lanes = this.#lanesOf(filter).filter(({ number }) => (from[number] ?? 0) < (until[number] ?? 0));
    const bytes = limit <= fewEvents ? fewBytes : bytesOfEach(lanes.length);
    const isIndexed = backwards || filter.streams !== undefined;
    const readers: LaneReader[] = [];
    for (const lane of lanes) {
      const stretch = { from: from[lane.number] ?? 0, until: until[lane.number] ?? 0 };
      if (isIndexed) await this.#log.takeIn(lane, stretch.until, signal);
      const ranges = this.#rangesOf(filter, lane, stretch.from, stretch.until);
      const wanted: Wanted = { wants: wants(filter), ranges, signal, bytes };
      readers.push(
        backwards
          ? new Backwards(this.#log, lane, stretch, wanted, limit)
          : new Forwards(this.#log, lane, stretch, wanted),
      );
    }
    yield* merged(readers, this.#cursors, { backwards, limit, start: from });
  }

  /** Where alone events of the wanted streams or types may lie. */
  #lanesOf({ types, streams }: Filter): readonly Lane[] {
    const { lanes } = this.#log;
    const ofStreams = streams === undefined ? null : new Set(streams.map((stream) => lanes.ofStream(stream)?.number));
    const kinds = types?.map((type) => eventTypes.get(type)?.categories ?? null);
    const isAnywhere = kinds === undefined || kinds.includes(null);
    return lanes.all.filter(({ number, category }) => {
      if (ofStreams !== null && !ofStreams.has(number)) return false;
      return isAnywhere || kinds.some((categories) => categories?.includes(category));
    });
  }

  #rangesOf({ streams }: Filter, lane: Lane, from: number, until: number): Wanted['ranges'] {
    if (streams === undefined) return null;
    const { index } = this.#log;
    const found = [...new Set(streams)].flatMap((name) => {
      const stream = index.stream(name);
      return stream === null || stream.lane !== lane.number ? [] : index.offsets(stream.number, from, until);
    });
    return joined(found);
  }
}

function bytesOfEach(lanes: number): number {
  return Math.min(mostBytes, Math.max(fewBytes, Math.floor(bytesTogether / lanes)));
}

function wants({ types, streams }: Filter): (event: Admitted) => boolean {
  const [ofTypes, ofStreams] = [types && new Set(types), streams && new Set(streams)];
  return ({ placed }) => ofTypes?.has(placed.type) !== false && ofStreams?.has(placed.stream) !== false;
}

/** Backwards, the event whose cursor it is has been read already. */
function without(offsets: Ends, of: number | null): Ends {
  return offsets.map((offset, lane) => (lane === of ? offset - 1 : offset));
}

function isSame(a: Ends, b: Ends): boolean {
  return a.every((offset, lane) => offset === b[lane]);
}
