// What is said while a store does not answer: whoever waits is to know what for, and for how long.
import { setTimeout as pause } from 'node:timers/promises';
import { isAway } from '../ledger/errors.ts';
import type { OnWait } from '../ledger/ledger.ts';
import { TablesBusy } from '../projections/warehouse/errors.ts';
import type { Context } from './context.ts';
import { nameOf, waitingText } from './notices.ts';

const betweenTriesMs = 1_000;

/** Somebody who follows, and goes on when a store is back, however long it was away: that is said once, and that it is over. */
export class Follower {
  readonly #context: Pick<Context, 'say' | 'signal'>;
  #isFollowing = false;
  #isWaiting = false;

  constructor(context: Pick<Context, 'say' | 'signal'>) {
    this.#context = context;
  }

  readonly onWait: OnWait = (waiting) => {
    const { store, away } = waiting;
    // Whoever has not begun yet does not wait for ever.
    if (!this.#isFollowing) void this.#context.say(waitingText(waiting));
    else if (away === null) this.#goesOn();
    else this.#waits(`${nameOf(store)} does not answer (${away.what})`);
  };

  /** Begins again when a store was away for longer than it is waited for, until it is stopped; `begin` knows where it was left. */
  async *following<Item>(begin: () => AsyncIterable<Item>): AsyncGenerator<Item> {
    const { signal } = this.#context;
    for (;;) {
      try {
        for await (const item of begin()) {
          this.#isFollowing = true;
          this.#goesOn();
          yield item;
        }
        return;
      } catch (error) {
        if (!this.#isFollowing || !isAway(error) || error instanceof TablesBusy) throw error;
        this.#waits(error.message);
      }
      await pause(betweenTriesMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
    }
  }

  #waits(why: string): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    void this.#context.say(`${why}; waiting until it is back`);
  }

  #goesOn(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    void this.#context.say('it is back');
  }
}
