// Keeps watch over a query: interrupts it when its time is up or when somebody has it stopped. Only the time DuckDB works
// counts, not the time its rows are looked at. DuckDB notices an interruption between the steps of a query; a single step on
// one enormous value cannot be stopped, and is not waited for.
import type { DuckDBConnection } from '@duckdb/node-api';
import { QuestionCancelled, TookTooLong } from './errors.ts';

/** An interruption that comes before the query has quite begun is forgotten by DuckDB, so it is repeated. */
const againMs = 20;

/** How long a query has to notice that it was interrupted. */
const graceMs = 2_000;

type Reason = 'cancelled' | 'too long';

export class Watch {
  readonly #connection: DuckDBConnection;
  readonly #seconds: number;
  readonly #signal: AbortSignal;
  #leftMs: number;
  /** What was left behind, still working. */
  #left: Promise<unknown> | null = null;

  constructor(connection: DuckDBConnection, seconds: number, signal: AbortSignal) {
    this.#connection = connection;
    this.#seconds = seconds;
    this.#signal = signal;
    this.#leftMs = seconds * 1000;
  }

  /** Settles when a step that could not be stopped is over; at once when there is none. */
  get quiet(): Promise<unknown> {
    return this.#left ?? Promise.resolve();
  }

  /** Throws QuestionCancelled, TookTooLong, and what DuckDB throws. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#signal.aborted) throw new QuestionCancelled(true);
    const started = performance.now();
    const working = work();
    const stop = new Stopping(this.#connection, working, this.#leftMs, this.#signal);
    try {
      const result = await stop.settled;
      if (stop.reason !== null) throw this.#error(stop.reason, true);
      return result;
    } catch (error) {
      if (stop.reason === null) throw error;
      if (stop.isGivenUp) this.#left = working.catch(() => undefined);
      throw this.#error(stop.reason, !stop.isGivenUp);
    } finally {
      stop.end();
      this.#leftMs -= performance.now() - started;
    }
  }

  /** Has the query end whatever it is doing, and waits a little for it. */
  async ending(work: () => Promise<unknown>): Promise<void> {
    if (this.#left !== null) return;
    const working = work();
    const stop = new Stopping(this.#connection, working, 0, AbortSignal.abort());
    await stop.settled.catch(() => undefined);
    if (stop.isGivenUp) this.#left = working.catch(() => undefined);
    stop.end();
  }

  #error(reason: Reason, stopped: boolean): Error {
    return reason === 'cancelled' ? new QuestionCancelled(stopped) : new TookTooLong(this.#seconds, stopped);
  }
}

class Stopping<Result> {
  /** Settles with the work, or rejects when the work does not stop. */
  readonly settled: Promise<Result>;
  reason: Reason | null = null;
  isGivenUp = false;
  readonly #connection: DuckDBConnection;
  readonly #signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  #again: NodeJS.Timeout | undefined;
  #grace: NodeJS.Timeout | undefined;
  #giveUp: (error: Error) => void = () => undefined;

  constructor(connection: DuckDBConnection, work: Promise<Result>, leftMs: number, signal: AbortSignal) {
    this.#connection = connection;
    this.#signal = signal;
    const hopeless = new Promise<never>((_, reject) => {
      this.#giveUp = reject;
    });
    this.settled = Promise.race([work, hopeless]);
    this.#timer = setTimeout(() => this.#stop('too long'), Math.max(0, leftMs));
    signal.addEventListener('abort', this.#cancel);
    if (signal.aborted) this.#cancel();
  }

  end(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#again);
    clearTimeout(this.#grace);
    this.#signal.removeEventListener('abort', this.#cancel);
  }

  readonly #cancel = (): void => this.#stop('cancelled');

  #stop(reason: Reason): void {
    if (this.reason !== null) return;
    this.reason = reason;
    this.#connection.interrupt();
    this.#again = setInterval(() => this.#connection.interrupt(), againMs);
    this.#grace = setTimeout(() => {
      this.isGivenUp = true;
      this.#giveUp(new Error('the query does not stop'));
    }, graceMs);
  }
}
