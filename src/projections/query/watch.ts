// Interrupts a query when its time is up, or when somebody has it stopped. Only the time DuckDB works counts, not the time its
// rows are looked at. DuckDB notices an interruption between the steps of a query: where one step takes long, it takes as
// long to stop, and whoever cannot wait for that has the query run in a process that can be killed.
import type { DuckDBConnection } from '@duckdb/node-api';
import { QuestionCancelled, TookTooLong } from './errors.ts';

/** An interruption that comes before the query has quite begun is forgotten by DuckDB, so it is repeated. */
const againMs = 20;

/** How long a query has to notice that it was interrupted, before somebody is told that it does not. */
const graceMs = 2_000;

export type OnUnstoppable = (reason: Error) => void;

export class Watch {
  readonly #connection: DuckDBConnection;
  readonly #seconds: number;
  readonly #signal: AbortSignal;
  readonly #onUnstoppable: OnUnstoppable;
  #leftMs: number;

  constructor(
    connection: DuckDBConnection,
    seconds: number,
    signal: AbortSignal,
    onUnstoppable: OnUnstoppable = () => undefined,
  ) {
    this.#connection = connection;
    this.#seconds = seconds;
    this.#signal = signal;
    this.#onUnstoppable = onUnstoppable;
    this.#leftMs = seconds * 1000;
  }

  /** Throws QuestionCancelled, TookTooLong, and what DuckDB throws. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#signal.aborted) throw new QuestionCancelled();
    const started = performance.now();
    let reason: Error | null = null;
    const timers: NodeJS.Timeout[] = [];
    const stop = (why: Error): void => {
      if (reason !== null) return;
      reason = why;
      timers.push(
        this.#interrupting(),
        setTimeout(() => this.#onUnstoppable(why), graceMs),
      );
    };
    const cancel = (): void => stop(new QuestionCancelled());
    timers.push(setTimeout(() => stop(new TookTooLong(this.#seconds)), Math.max(0, this.#leftMs)));
    this.#signal.addEventListener('abort', cancel);
    try {
      const result = await work();
      if (reason !== null) throw reason;
      return result;
    } catch (error) {
      throw reason ?? error;
    } finally {
      for (const timer of timers) clearTimeout(timer);
      this.#signal.removeEventListener('abort', cancel);
      this.#leftMs -= performance.now() - started;
    }
  }

  /** Has the query end whatever it is doing, and waits until it does. */
  async ending(work: () => Promise<unknown>): Promise<void> {
    const again = this.#interrupting();
    await work().catch(() => undefined);
    clearInterval(again);
  }

  #interrupting(): NodeJS.Timeout {
    this.#connection.interrupt();
    return setInterval(() => this.#connection.interrupt(), againMs);
  }
}
