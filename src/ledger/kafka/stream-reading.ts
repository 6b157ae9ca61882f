// The events of one stream, found by its spans: what is read of a lane is little more than what is asked for.
import type { ReadOptions } from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';
import { pageBytes } from './asking.ts';
import type { Cursors } from './cursors.ts';
import type { Admitted } from './index/admitting.ts';
import type { Span, StreamFound } from './index/index.ts';
import type { Lane } from './lanes.ts';
import type { EventPage, Log } from './log.ts';
import { batchCharacters, batchEvents, storedAs } from './merging.ts';

const beyond = Number.MAX_SAFE_INTEGER;
/** What a few events may take with whatever lies among them. */
const bytesPerEvent = 8192;

const spansAtOnce = 256;

interface Revisions {
  readonly from: number;
  readonly to: number;
}

export class StreamReading {
  readonly #log: Log;
  readonly #cursors: Cursors;

  constructor(log: Log, cursors: Cursors) {
    this.#log = log;
    this.#cursors = cursors;
  }

  async *read(stream: string, options: ReadOptions, signal: AbortSignal): AsyncGenerator<readonly StoredEvent[]> {
    const lane = this.#log.lanes.ofStream(stream);
    if (lane !== null) await this.#log.takeInToEnd(lane, signal);
    yield* this.readKnown(stream, options, signal);
  }

  /** As far as the index knows the stream. */
  async *readKnown(stream: string, options: ReadOptions, signal: AbortSignal): AsyncGenerator<readonly StoredEvent[]> {
    const { to = beyond, limit = beyond, backwards = false } = options;
    const from = Math.max(options.from ?? 0, 0);
    const lane = this.#log.lanes.ofStream(stream);
    if (lane === null || limit <= 0 || from > to) return;
    const found = this.#log.index.stream(stream);
    if (found === null || from >= found.next) return;
    const last = Math.min(to, found.next - 1);
    const count = Math.min(limit, last - from + 1);
    const revisions = backwards ? { from: last - count + 1, to: last } : { from, to: from + count - 1 };
    const events = backwards
      ? this.#backwards(found, lane, revisions, signal)
      : this.#forwards(found, lane, revisions, signal);
    yield* batches(events, (admitted) => storedAs(admitted, this.#cursors.place(lane.number, admitted.record.offset)));
  }

  async *#forwards(
    found: StreamFound,
    lane: Lane,
    wanted: Revisions,
    signal: AbortSignal,
  ): AsyncGenerator<readonly Admitted[]> {
    const window = new Window(this.#log, lane, bytesFor(wanted), signal);
    for (let { from } = wanted; from <= wanted.to; ) {
      signal.throwIfAborted();
      const spans = this.#log.index.spans(found.number, from, wanted.to, spansAtOnce);
      if (spans.length === 0) return;
      for (const span of spans) yield* inSpan(window, found, span, wanted);
      from = (spans.at(-1) as Span).lastRevision + 1;
    }
  }

  async *#backwards(
    found: StreamFound,
    lane: Lane,
    wanted: Revisions,
    signal: AbortSignal,
  ): AsyncGenerator<readonly Admitted[]> {
    for (let { to } = wanted; to >= wanted.from; ) {
      signal.throwIfAborted();
      const spans = this.#log.index.spansBackwards(found.number, wanted.from, to, spansAtOnce);
      if (spans.length === 0) return;
      for (const span of spans) {
        const window = new Window(this.#log, lane, bytesFor(wanted), signal);
        const events: Admitted[] = [];
        for await (const some of inSpan(window, found, span, wanted)) events.push(...some);
        yield events.reverse();
      }
      to = (spans.at(-1) as Span).firstRevision - 1;
    }
  }
}

function bytesFor({ from, to }: Revisions): number {
  return Math.min(pageBytes, (to - from + 1) * bytesPerEvent);
}

/** The wanted events of a span, page by page. */
async function* inSpan(
  window: Window,
  found: StreamFound,
  span: Span,
  wanted: Revisions,
): AsyncGenerator<readonly Admitted[]> {
  const from = Math.max(span.firstRevision, wanted.from);
  const to = Math.min(span.lastRevision, wanted.to);
  for (let offset = offsetOf(found, span, from); offset <= span.lastOffset; ) {
    const { events, next } = await window.at(offset);
    const some = events.filter(({ record, placed }) => {
      const isThere = placed.stream === found.name && record.offset >= offset && record.offset <= span.lastOffset;
      return isThere && placed.revision >= from && placed.revision <= to;
    });
    if (some.length > 0) yield some;
    if (some.at(-1)?.placed.revision === to) return;
    offset = next;
  }
}

/** From where on a revision lies: as far behind the first of its span as there are revisions between, at least. */
function offsetOf({ next, at }: StreamFound, { firstRevision, firstOffset }: Span, revision: number): number {
  return revision === next - 1 ? at : firstOffset + revision - firstRevision;
}

/** The page read last: the next span often lies in it too. */
class Window {
  readonly #log: Log;
  readonly #lane: Lane;
  #bytes: number;
  readonly #signal: AbortSignal;
  #from = 0;
  #page: EventPage = { events: [], next: 0 };

  constructor(log: Log, lane: Lane, bytes: number, signal: AbortSignal) {
    this.#log = log;
    this.#lane = lane;
    this.#bytes = bytes;
    this.#signal = signal;
  }

  async at(offset: number): Promise<EventPage> {
    if (offset < this.#from || offset >= this.#page.next) {
      this.#page = await this.#log.page(this.#lane, offset, beyond, this.#signal, this.#bytes);
      this.#from = offset;
      // Where little of it is wanted, a long span takes no more answers for that.
      this.#bytes = Math.min(pageBytes, 2 * this.#bytes);
    }
    return this.#page;
  }
}

async function* batches(
  pages: AsyncIterable<readonly Admitted[]>,
  stored: (admitted: Admitted) => StoredEvent,
): AsyncGenerator<readonly StoredEvent[]> {
  let batch: StoredEvent[] = [];
  let characters = 0;
  for await (const page of pages) {
    for (const admitted of page) {
      const event = stored(admitted);
      batch.push(event);
      characters += event.body.length;
      if (batch.length < batchEvents && characters < batchCharacters) continue;
      yield batch;
      batch = [];
      characters = 0;
    }
  }
  if (batch.length > 0) yield batch;
}
