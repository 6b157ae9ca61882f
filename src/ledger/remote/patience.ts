// Tries again what stumbled, until the patience is over, and tells of it where that takes long.
import { setTimeout as pause } from 'node:timers/promises';
import { Stumble } from './stumble.ts';

const firstPauseMs = 20;
const longestPauseMs = 1_000;
/** What is over sooner is not worth a word. */
const toldAfterMs = 1_000;

/** Told what is waited for, and with null that it is over. */
export type OnAway = (what: string | null) => void;

/** Tells once for all calls that wait at the same time. */
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

/** One call, which may come to wait. */
class Wait {
  readonly #waits: Waits;
  #isTold = false;

  constructor(waits: Waits) {
    this.#waits = waits;
  }

  /** By the next try, it will have taken so long. */
  lasts(ms: number, { message }: Stumble): void {
    if (this.#isTold || ms < toldAfterMs) return;
    this.#isTold = true;
    this.#waits.begin(message);
  }

  over(isBack: boolean): void {
    if (this.#isTold) this.#waits.end(isBack);
  }
}

export interface Patience {
  readonly ms: number;
  readonly waits: Waits;
  /** Ends it with its reason. */
  readonly signal: AbortSignal;
}

/**
 * The patience begins with the first stumble. Throws what is no stumble at once, what is said of one that passes soon or
 * never, and otherwise what `givenUp` makes of the last stumble.
 */
export async function patiently<Result>(
  patience: Patience,
  attempt: () => Promise<Result>,
  givenUp: (last: Stumble) => Error,
): Promise<Result> {
  const wait = new Wait(patience.waits);
  try {
    const result = await persistently(patience, attempt, givenUp, wait);
    wait.over(true);
    return result;
  } catch (error) {
    wait.over(false);
    throw error;
  }
}

async function persistently<Result>(
  { ms: patienceMs, signal }: Patience,
  attempt: () => Promise<Result>,
  givenUp: (last: Stumble) => Error,
  wait: Wait,
): Promise<Result> {
  let since: number | null = null;
  let soonSince: number | null = null;
  for (let stumbles = 0; ; stumbles++) {
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Stumble)) throw error;
      const pauseMs = Math.min(firstPauseMs * 2 ** stumbles, longestPauseMs) * (0.5 + Math.random() / 2);
      const resumed = performance.now() + pauseMs;
      since ??= performance.now();
      const { soon } = error;
      soonSince = soon === null ? null : (soonSince ?? performance.now());
      if (soon !== null && soonSince !== null && resumed - soonSince > Math.min(soon.withinMs, patienceMs)) {
        throw soon.otherwise();
      }
      if (resumed - since > patienceMs) throw givenUp(error);
      wait.lasts(resumed - since, error);
      await pause(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}
