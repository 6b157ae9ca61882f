// Retries a call after transient errors until the caller's patience is exhausted, and reports long waits.
import { setTimeout as pause } from 'node:timers/promises';
import { TransientError } from './errors.ts';

const firstPauseMs = 20;
const longestPauseMs = 1_000;
/** Shorter waits are not reported, unless the call fails in the end. */
const reportAfterMs = 1_000;

/** Called with the reason for waiting, and with null when the server is back. */
export type OnAway = (what: string | null) => void;

/** Reports once for all calls that wait at the same time. */
export class Waits {
  readonly #onAway: OnAway;
  #waiting = 0;

  constructor(onAway: OnAway) {
    this.#onAway = onAway;
  }

  begin(what: string): void {
    if (this.#waiting++ === 0) this.#onAway(what);
  }

  end(isBack: boolean): void {
    if (--this.#waiting === 0 && isBack) this.#onAway(null);
  }
}

export interface Patience {
  readonly ms: number;
  readonly waits: Waits;
  /** Ends the waiting with its reason. */
  readonly signal: AbortSignal;
}

/** The patience starts with the first transient error; the last one is translated by `givenUp`. Other errors are thrown immediately. */
export async function retry<Result>(
  { ms: patienceMs, waits, signal }: Patience,
  attempt: () => Promise<Result>,
  givenUp: (last: TransientError) => Error,
): Promise<Result> {
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
        const isOver = resumed - since > patienceMs;
        if (!isReported && (isOver || resumed - since >= reportAfterMs)) {
          isReported = true;
          waits.begin(error.message);
        }
        if (isOver) throw givenUp(error);
        await pause(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    }
  } finally {
    if (isReported) waits.end(isBack);
  }
}
