// Calls to a server, retried after transient errors until the caller's patience is exhausted. Long waits are reported, and an
// interrupted read resumes where it was.
import { setTimeout as pause } from 'node:timers/promises';
import type { OnWait } from '../ledger.ts';
import { serverAway, TransientError } from './errors.ts';
import type { FoundEvent, Page, ServerLog, StreamRange } from './log.ts';

const firstPauseMs = 20;
const longestPauseMs = 1_000;
/** Shorter waits are not reported, unless the call fails in the end. */
const reportAfterMs = 1_000;

/** The waiting for one server, with the caller's patience in seconds; reports once for all calls that wait at the same time. */
export class Waits {
  readonly #url: string;
  readonly #patience: number;
  readonly #onWait: OnWait | undefined;
  #waiting = 0;

  constructor(url: string, patience: number, onWait?: OnWait) {
    this.#url = url;
    this.#patience = patience;
    this.#onWait = onWait;
  }

  begin(what: string): void {
    if (this.#waiting++ === 0) this.#onWait?.({ store: 'ledger', away: { what, seconds: this.#patience } });
  }

  end(isBack: boolean): void {
    if (--this.#waiting === 0 && isBack) this.#onWait?.({ store: 'ledger', away: null });
  }

  /**
   * The patience starts with the first transient error; the last one becomes ServerAway. Other errors are thrown immediately. The
   * signal ends the waiting with its reason.
   */
  async retry<Result>(attempt: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    let since: number | null = null;
    let isReported = false;
    let isBack = false;
    try {
      for (let failures = 0; ; failures++) {
        try {
          const result = await attempt();
          isBack = true;
          return result;
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof TransientError)) throw error;
          const pauseMs = Math.min(firstPauseMs * 2 ** failures, longestPauseMs) * (0.5 + Math.random() / 2);
          const resumed = performance.now() + pauseMs;
          since ??= performance.now();
          const isOver = resumed - since > this.#patience * 1_000;
          if (!isReported && (isOver || resumed - since >= reportAfterMs)) {
            isReported = true;
            this.begin(error.message);
          }
          if (isOver) throw serverAway(this.#url, error);
          await pause(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
        }
      }
    } finally {
      if (isReported) this.end(isBack);
    }
  }
}

/** The calls to one log. */
export class Calls {
  readonly log: ServerLog;
  readonly #waits: Waits;

  constructor(log: ServerLog, waits: Waits) {
    this.log = log;
    this.#waits = waits;
  }

  make<Result>(call: (log: ServerLog) => Promise<Result>, signal: AbortSignal): Promise<Result> {
    return this.#waits.retry(() => call(this.log), signal);
  }

  async *readStream(stream: string, range: StreamRange, signal: AbortSignal): AsyncGenerator<readonly FoundEvent[]> {
    let rest = range;
    for await (const events of this.resumed((log) => log.readStream(stream, rest, signal), signal)) {
      const last = events.at(-1);
      if (last === undefined) continue;
      const limit = rest.limit === undefined ? undefined : rest.limit - events.length;
      const next = rest.backwards === true ? { to: last.revision - 1 } : { from: last.revision + 1 };
      rest = { ...rest, ...next, limit };
      yield events;
      if (rest.limit === 0 || rest.from > (rest.to ?? Number.POSITIVE_INFINITY)) return;
    }
  }

  async *follow(options: Parameters<ServerLog['follow']>[0], signal: AbortSignal): AsyncGenerator<Page> {
    let { after } = options;
    for await (const page of this.resumed((log) => log.follow({ ...options, after }, signal), signal)) {
      after = page.position;
      yield page;
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
