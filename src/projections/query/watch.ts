// Interrupts a query after its time limit or on request. Only DuckDB's execution time counts, not the time in which
// rows are processed. DuckDB notices an interruption between the steps of a query, so a long step delays it; callers
// that cannot wait run the query in a process that can be killed.
import type { DuckDBConnection } from '@duckdb/node-api';
import { QuestionCancelled, TookTooLong } from './errors.ts';

/** DuckDB forgets an interruption that comes just before the query starts, so it is repeated. */
const againMs = 20;

/** How long a query may take to react to an interruption before it counts as unstoppable. */
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

  /** Throws QuestionCancelled, TookTooLong, and DuckDB's errors. */
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

  /** Interrupts the query and waits until it ends. */
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
