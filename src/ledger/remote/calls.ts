// Calls to a log, retried on transient errors of the server. An interrupted read resumes where it was.

import { serverAway } from './errors.ts';
import type { FoundEvent, LogStream, Page, Position, ServerLog, StreamRange } from './log.ts';
import { retry, type Waits } from './retry.ts';

export class Calls {
  readonly log: ServerLog;
  readonly #ms: number;
  readonly #waits: Waits;

  constructor(log: ServerLog, ms: number, waits: Waits) {
    this.log = log;
    this.#ms = ms;
    this.#waits = waits;
  }

  async make<Result>(call: (log: ServerLog) => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const patience = { ms: this.#ms, waits: this.#waits, signal };
    return await retry(
      patience,
      () => call(this.log),
      (last) => serverAway(this.log.url, last),
    );
  }

  async *readStream(stream: string, range: StreamRange, signal: AbortSignal): AsyncGenerator<readonly FoundEvent[]> {
    let rest = range;
    const open = (log: ServerLog) => log.readStream(stream, rest, signal);
    for await (const events of this.resumed(open, signal)) {
      const last = events.at(-1);
      if (last === undefined) continue;
      const limit = rest.limit === undefined ? undefined : rest.limit - events.length;
      rest =
        range.backwards === true
          ? { ...rest, limit, to: last.revision - 1 }
          : { ...rest, limit, from: last.revision + 1 };
      yield events;
      if (rest.limit === 0 || rest.from > (rest.to ?? Number.POSITIVE_INFINITY)) return;
    }
  }

  async *follow(options: Parameters<ServerLog['follow']>[0], signal: AbortSignal): AsyncGenerator<Page> {
    let after: Position | null = options.after;
    for await (const page of this.resumed((log) => log.follow({ ...options, after }, signal), signal)) {
      after = page.position;
      yield page;
    }
  }

  async *streams(prefix: string, signal: AbortSignal): AsyncGenerator<readonly LogStream[]> {
    let last: string | null = null;
    for await (const page of this.resumed((log) => log.streams(prefix, signal), signal)) {
      // After an interruption the streams are listed again from the first.
      const ends = page.filter(({ stream }) => last === null || stream > last);
      last = ends.at(-1)?.stream ?? last;
      if (ends.length > 0) yield ends;
    }
  }

  /** `open` starts after what was already read. */
  async *resumed<Item>(open: (log: ServerLog) => AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item> {
    let reading: AsyncIterator<Item> | null = null;
    try {
      for (;;) {
        const next = await this.make(async (log) => {
          reading ??= open(log)[Symbol.asyncIterator]();
          try {
            return await reading.next();
          } catch (error) {
            reading = null;
            throw error;
          }
        }, signal);
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await (reading as AsyncIterator<Item> | null)?.return?.();
    }
  }
}
