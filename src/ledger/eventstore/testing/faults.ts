// Faults of the test server, on demand.
import { type Endpoint, unavailable } from './refusals.ts';

/** How an answer is lost: with the connection, with the server, by an error, by a timeout status, or silently. */
export type Loss = 'cut' | 'restart' | 'unavailable' | 'timeout' | 'silence';

/** The fate of an append. One that is lost before it is written may be sent again without harm. */
export type Fate =
  | { readonly lost: 'before' | 'after'; readonly how: Loss }
  | { readonly refusal: Error }
  | { readonly heldUntil: Promise<void> };

export interface AppendSeen {
  readonly stream: string;
  readonly ids: readonly string[];
  /** From 1, for the same first event to the same stream. */
  readonly attempt: number;
}

export class Faults {
  /** Called for each append that `strike` did not decide. */
  onAppend: ((append: AppendSeen) => Fate | null) | null = null;
  /** The address of the leader, if it is another node; clients that require the leader are sent there. */
  leader: Endpoint | null = null;
  readonly #fates: Fate[] = [];
  readonly #attempts = new Map<string, number>();
  readonly #drops: { readonly after: number; readonly how: 'cut' | 'unavailable' }[] = [];
  readonly #cutAll: () => void;

  constructor(cutAll: () => void) {
    this.#cutAll = cutAll;
  }

  /** The next appends, each once. */
  strike(fate: Fate, times = 1): void {
    for (let i = 0; i < times; i++) this.#fates.push(fate);
  }

  /** Every append is written, and its first answer is lost. */
  loseEveryAnswerOnce(how: Loss): void {
    this.onAppend = ({ attempt }) => (attempt === 1 ? { lost: 'after', how } : null);
  }

  /** The next subscriptions end after this number of events and checkpoints. */
  dropSubscriptions(after: number, how: 'cut' | 'unavailable', times = 1): void {
    for (let i = 0; i < times; i++) this.#drops.push({ after, how });
  }

  cutConnections(): void {
    this.#cutAll();
  }

  heal(): void {
    this.onAppend = null;
    this.leader = null;
    this.#fates.length = 0;
    this.#drops.length = 0;
    this.#attempts.clear();
  }

  fateOf(stream: string, ids: readonly string[]): Fate | null {
    const key = `${stream}\n${ids[0]}`;
    const attempt = (this.#attempts.get(key) ?? 0) + 1;
    if (this.onAppend !== null) this.#attempts.set(key, attempt);
    return this.#fates.shift() ?? this.onAppend?.({ stream, ids, attempt }) ?? null;
  }

  /** Called before each event and checkpoint of a new subscription, with the number sent before. */
  forSubscription(cut: () => void): (sent: number) => void {
    const drop = this.#drops.shift();
    if (drop === undefined) return () => {};
    return (sent) => {
      if (sent < drop.after) return;
      if (drop.how === 'unavailable') throw unavailable();
      cut();
    };
  }
}
