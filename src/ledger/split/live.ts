// Following both parts at once: what is there first, in the order people like, then what comes from either as it comes.
import { LedgerClosed } from '../errors.ts';
import type { Delivery, SubscribeOptions } from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';
import type { Cut, Cuts } from './cuts.ts';
import type { Feeds } from './feeds.ts';
import { askedOf, type Both, type Filter, type Part, parts, type Store } from './parts.ts';

export class Live {
  readonly #stores: Both<Store>;
  readonly #cuts: Cuts;
  readonly #feeds: Feeds;

  constructor(stores: Both<Store>, cuts: Cuts, feeds: Feeds) {
    this.#stores = stores;
    this.#cuts = cuts;
    this.#feeds = feeds;
  }

  async *deliveries({ after, signal, ...filter }: SubscribeOptions): AsyncGenerator<Delivery> {
    let cut = this.#cuts.cutOf(after);
    const isOver = (): boolean => signal?.aborted === true;
    if (isOver()) return;
    try {
      for await (const events of this.#feeds.ofAll({ ...filter, ...(after === undefined ? {} : { after }) })) {
        const cursor = (events.at(-1) as StoredEvent).cursor;
        yield { kind: 'events', events, cursor };
        if (isOver()) return;
        cut = this.#cuts.cutOf(cursor);
      }
      yield* this.#coming(cut, filter, signal);
    } catch (error) {
      // Closing the ledger ends its subscriptions; it is no failure of theirs.
      if (!(error instanceof LedgerClosed)) throw error;
    }
  }

  async *#coming(start: Cut, filter: Filter, signal: AbortSignal | undefined): AsyncGenerator<Delivery> {
    const left = new AbortController();
    const stop = signal === undefined ? left.signal : AbortSignal.any([left.signal, signal]);
    const followed = this.#followed(start, filter, stop);
    const rounds = new Rounds(followed.map(({ part }) => part));
    let cut = start;
    try {
      for (;;) {
        const { from, next } = await Promise.race(followed.map((one) => one.coming()));
        // Either ends when it is told to, or closed.
        if (next.done === true || stop.aborted) return;
        const delivery = next.value;
        from.taken();
        if (delivery.kind === 'events') {
          const before = cut;
          cut = { ...cut, [from.part]: delivery.cursor };
          const events = delivery.events.map((event) => this.#cuts.at({ ...before, [from.part]: event.cursor }, event));
          rounds.grew(from.part);
          yield { kind: 'events', events, cursor: this.#cuts.cursorOf(cut) };
        } else {
          cut = { ...cut, [from.part]: delivery.cursor };
          if (!rounds.reachedBy(from.part)) continue;
          yield { kind: 'caught-up', cursor: this.#cuts.cursorOf(cut) };
        }
      }
    } finally {
      left.abort();
      await Promise.allSettled(followed.map((one) => one.stop()));
    }
  }

  /**
   * A part that can have nothing of what is wanted is not asked, and a cursor stays where it was in it. Whoever wants nothing
   * that either part could have is told when either has grown.
   */
  #followed(start: Cut, filter: Filter, signal: AbortSignal): readonly Followed[] {
    const asked = parts.filter((part) => askedOf(part, filter) !== null);
    return (asked.length === 0 ? parts : asked).map((part) => {
      const after = start[part];
      const options = { ...(askedOf(part, filter) ?? filter), ...(after === null ? {} : { after }), signal };
      return new Followed(
        part,
        this.#stores[part].pages((ledger) => ledger.subscribe(options)),
      );
    });
  }
}

interface Coming {
  readonly from: Followed;
  readonly next: IteratorResult<Delivery>;
}

/** One part that is followed: what comes next of it is asked for when what came before was taken. */
class Followed {
  readonly part: Part;
  readonly #deliveries: AsyncGenerator<Delivery>;
  #coming: Promise<Coming> | null = null;

  constructor(part: Part, deliveries: AsyncGenerator<Delivery>) {
    this.part = part;
    this.#deliveries = deliveries;
  }

  coming(): Promise<Coming> {
    if (this.#coming === null) {
      this.#coming = this.#deliveries.next().then((next) => ({ from: this, next }));
      // Where the other part failed first, nobody waits for this one any more.
      this.#coming.catch(() => undefined);
    }
    return this.#coming;
  }

  taken(): void {
    this.#coming = null;
  }

  async stop(): Promise<void> {
    await this.#deliveries.return(undefined);
  }
}

/** All has been delivered when both have said so since that was last said, or have had nothing new since they did. */
class Rounds {
  readonly #standing: Map<Part, 'on the way' | 'there again' | 'there'>;

  constructor(followed: readonly Part[]) {
    this.#standing = new Map(followed.map((part) => [part, 'on the way']));
  }

  grew(part: Part): void {
    if (this.#standing.get(part) === 'there') this.#standing.set(part, 'on the way');
  }

  /** Whether all are there now. */
  reachedBy(part: Part): boolean {
    this.#standing.set(part, 'there again');
    if ([...this.#standing.values()].includes('on the way')) return false;
    for (const one of this.#standing.keys()) this.#standing.set(one, 'there');
    return true;
  }
}
