// Follows a ledger or its tables until stopped. When a store is away for longer than the usual wait, it keeps waiting and
// continues when the store is back; one notice reports the wait and one its end.
import { setTimeout as pause } from 'node:timers/promises';
import { isAway } from '../ledger/errors.ts';
import type { OnWait } from '../ledger/ledger.ts';
import { TablesBusy } from '../projections/warehouse/errors.ts';
import type { Session } from './session.ts';

const betweenTriesMs = 1_000;

export class Follower {
  readonly #session: Pick<Session, 'notify' | 'signal'>;
  #isFollowing = false;
  #isWaiting = false;

  constructor(session: Pick<Session, 'notify' | 'signal'>) {
    this.#session = session;
  }

  readonly onWait: OnWait = (waiting) => {
    const { store, away } = waiting;
    // A command that has not started yet does not wait forever.
    if (!this.#isFollowing) void this.#session.notify({ kind: 'waiting', waiting });
    else if (away === null) this.#goesOn();
    else
      this.#waits({
        kind: 'waiting',
        waiting: { store, away: { what: away.what, seconds: Number.POSITIVE_INFINITY } },
      });
  };

  /** Starts again after a store was away too long, until stopped; `begin` knows where to resume. */
  async *following<Item>(begin: () => AsyncIterable<Item>): AsyncGenerator<Item, void, undefined> {
    const { signal } = this.#session;
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
        this.#waits({ kind: 'note', text: `${error.message}; waiting until it is back` });
      }
      await pause(betweenTriesMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
    }
  }

  #waits(notice: Parameters<Session['notify']>[0]): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    void this.#session.notify(notice);
  }

  #goesOn(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    void this.#session.notify({ kind: 'note', text: 'it is back' });
  }
}
