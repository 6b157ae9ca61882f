// Limits the number of concurrent questions and tokens per minute, first come first served, and pauses while the
// endpoint requests it.
import type { Clock } from './clock.ts';

const minute = 60_000;

export interface Passed {
  /** Call it when the answer arrived; `tokens` is the actual usage, if known. */
  leave(tokens?: number): void;
}

interface Waiting {
  readonly tokens: number;
  readonly enter: (passed: Passed) => void;
  readonly leave: (reason: unknown) => void;
}

/** Admitted tokens and their time. */
interface Spent {
  readonly at: number;
  tokens: number;
}

export class Gate {
  readonly #width: number;
  readonly #tokensPerMinute: number;
  readonly #clock: Clock;
  readonly #waiting: Waiting[] = [];
  readonly #spent: Spent[] = [];
  #inside = 0;
  #closedUntil = 0;
  #callOff: () => void = () => {};

  constructor(width: number, tokensPerMinute: number | null, clock: Clock) {
    this.#width = width;
    this.#tokensPerMinute = tokensPerMinute ?? Number.POSITIVE_INFINITY;
    this.#clock = clock;
  }

  /** Admits no questions for this time; those in progress continue. */
  hold(ms: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, this.#clock.now() + ms);
  }

  /** Rejects all waiting questions. */
  rejectWaiting(reason: unknown): void {
    for (const { leave } of [...this.#waiting]) leave(reason);
  }

  /** `tokens` is an upper bound for the question. A question above the limit per minute enters alone. */
  enter(tokens: number, signal: AbortSignal): Promise<Passed> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const enter = (passed: Passed): void => {
        signal.removeEventListener('abort', abort);
        resolve(passed);
      };
      const leave = (reason: unknown): void => {
        signal.removeEventListener('abort', abort);
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(reason);
        this.#admit();
      };
      const waiting = { tokens, enter, leave };
      const abort = (): void => leave(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting.push(waiting);
      this.#admit();
    });
  }

  #admit(): void {
    this.#callOff();
    for (;;) {
      const [first] = this.#waiting;
      if (first === undefined || this.#inside >= this.#width) return;
      const wait = Math.max(this.#closedUntil - this.#clock.now(), this.#waitForTokens(first.tokens));
      if (wait > 0) {
        this.#callOff = this.#clock.after(wait, () => this.#admit());
        return;
      }
      this.#waiting.shift();
      first.enter(this.#pass(first.tokens));
    }
  }

  #waitForTokens(wanted: number): number {
    const now = this.#clock.now();
    while (this.#spent[0] !== undefined && this.#spent[0].at + minute <= now) this.#spent.shift();
    let sum = wanted;
    for (const { tokens } of this.#spent) sum += tokens;
    const [oldest] = this.#spent;
    return oldest === undefined || sum <= this.#tokensPerMinute ? 0 : oldest.at + minute - now;
  }

  #pass(tokens: number): Passed {
    const spent = { at: this.#clock.now(), tokens };
    this.#spent.push(spent);
    this.#inside += 1;
    return {
      leave: (really = tokens) => {
        spent.tokens = really;
        this.#inside -= 1;
        this.#admit();
      },
    };
  }
}
