// Seeing the whole without reading it: which streams there are, the digests of all events, and the ledger cut into ranges.
import type { Cursor } from '../cursor.ts';
import type { DigestsOf, EventRange, Head, StreamEnd } from '../ledger.ts';
import type { Cursors } from './cursors.ts';
import type { Feeds } from './feeds.ts';
import type { Log } from './log.ts';
import { type BlockPiece, blocksBetween, endOfSome } from './order.ts';
import type { StreamReading } from './stream-reading.ts';

export class Survey {
  readonly #log: Log;
  readonly #cursors: Cursors;
  readonly #feeds: Feeds;
  readonly #reading: StreamReading;

  constructor(log: Log, cursors: Cursors, feeds: Feeds, reading: StreamReading) {
    this.#log = log;
    this.#cursors = cursors;
    this.#feeds = feeds;
    this.#reading = reading;
  }

  async head(signal: AbortSignal): Promise<Head> {
    const { all } = this.#log.lanes;
    await this.#log.takeAllIn(all, await this.#log.ends(all), signal);
    const states = this.#log.index.lanes();
    const events = states.reduce((sum, state) => sum + state.events, 0);
    return { cursor: this.#cursors.everywhere(states.map(({ next }) => next)), events };
  }

  async *streams(prefix: string, signal: AbortSignal): AsyncGenerator<readonly StreamEnd[]> {
    const lanes = this.#log.lanes.ofPrefix(prefix);
    await this.#log.takeAllIn(lanes, await this.#log.ends(lanes), signal);
    for (let after = ''; ; ) {
      signal.throwIfAborted();
      const page = this.#log.index.streams(prefix, after);
      if (page.length === 0) return;
      yield page.map(({ name, lane, next, at }) => {
        return { stream: name, revision: next - 1, cursor: this.#cursors.place(lane, at) };
      });
      after = page.at(-1)?.name ?? after;
    }
  }

  async *digests(of: DigestsOf, signal: AbortSignal): AsyncGenerator<string> {
    for await (const events of this.#events(of, signal)) yield events.map(({ digest }) => digest).join('');
  }

  #events(of: DigestsOf, signal: AbortSignal): ReturnType<Feeds['ofAll']> {
    if ('stream' in of) return this.#reading.read(of.stream, of, signal);
    const { after, until } = of;
    const options = { ...(after == null ? {} : { after }), ...(until === undefined ? {} : { until }) };
    return this.#feeds.ofAll(options, signal);
  }

  async ranges(
    events: number,
    { after, until }: { readonly after?: Cursor; readonly until?: Cursor },
    signal: AbortSignal,
  ): Promise<readonly EventRange[]> {
    const { all } = this.#log.lanes;
    const ends = await this.#log.ends(all);
    await this.#log.takeAllIn(all, ends, signal);
    const start = this.#cursors.offsetsWithin(after, ends);
    const end = until === undefined ? ends : this.#cursors.offsetsWithin(until, ends).offsets;
    const pieces = blocksBetween(this.#log.index, this.#log.lanes, start.offsets, end);
    return [...this.#cut(pieces, events, [...start.offsets], after ?? null)];
  }

  *#cut(pieces: readonly BlockPiece[], most: number, offsets: number[], first: Cursor | null): Generator<EventRange> {
    let after = first;
    let events = 0;
    for (const piece of pieces) {
      let { from, count } = piece;
      while (count > 0) {
        const some = Math.min(count, most - events);
        const isAll = some === count;
        from = isAll ? piece.until : endOfSome(this.#log.index, piece.lane, from, piece.until, some);
        offsets[piece.lane] = from;
        count -= some;
        events += some;
        if (events < most) continue;
        const until = this.#cursors.everywhere(offsets);
        yield { after, until, events };
        after = until;
        events = 0;
      }
    }
    if (events > 0) yield { after, until: this.#cursors.everywhere(offsets), events };
  }
}
