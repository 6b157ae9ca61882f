// Events as readers are given them, page by page: those of one stream, those of the whole ledger, and what is committed
// from now on.

import { LedgerClosed } from '../../errors.ts';
import type { Delivery, ReadAllOptions, ReadOptions, SubscribeOptions } from '../../ledger.ts';
import type { Identity } from '../../sqlite/connection.ts';
import type { Pages as Reading } from '../../sqlite/pages.ts';
import { type Merged, merged, type Range as Span } from '../../sqlite/scans.ts';
import type { StoredEvent } from '../../stored.ts';
import type { Attempts } from './attempts.ts';
import type { Cursors } from './cursors.ts';
import { Following } from './following.ts';

const beyond = Number.MAX_SAFE_INTEGER;

export class Feeds {
  readonly #identity: Identity;
  readonly #reading: Reading;
  readonly #cursors: Cursors;
  readonly #attempts: Attempts;

  constructor(identity: Identity, reading: Reading, cursors: Cursors, attempts: Attempts) {
    this.#identity = identity;
    this.#reading = reading;
    this.#cursors = cursors;
    this.#attempts = attempts;
  }

  async *ofStream(stream: string, options: ReadOptions): AsyncGenerator<readonly StoredEvent[]> {
    const backwards = options.backwards ?? false;
    const order = backwards ? 'DESC' : 'ASC';
    const where = `stream = ? AND revision BETWEEN ? AND ? ORDER BY revision ${order}`;
    let { from = 0, to = beyond, limit = beyond } = options;
    while (limit > 0 && from <= to) {
      const number = await this.#attempts.make(() => this.#reading.streams.numberOf(stream));
      if (number === null) return;
      const page = await this.#attempts.make(() => this.#reading.page(where, [number, from, to], limit));
      const last = page.events.at(-1);
      if (last === undefined) return;
      yield page.events;
      if (!page.full) return;
      limit -= page.events.length;
      if (backwards) to = last.revision - 1;
      else from = last.revision + 1;
    }
  }

  async *ofAll(options: ReadAllOptions): AsyncGenerator<readonly StoredEvent[]> {
    const backwards = options.backwards ?? false;
    let left = options.limit ?? beyond;
    const start = await this.#cursors.startOf(options.after);
    const end = await this.#cursors.endOf(options.until);
    const span = backwards
      ? { after: 0, before: options.after === undefined ? end + 1 : start }
      : { after: start, before: end + 1 };
    if (left <= 0) return;
    for await (const { events } of this.#round(options, span, backwards)) {
      const some = events.length > left ? events.slice(0, left) : events;
      if (some.length > 0) yield some;
      left -= some.length;
      if (left <= 0) return;
    }
  }

  async *live(options: SubscribeOptions): AsyncGenerator<Delivery> {
    this.#attempts.requireOpen();
    const ended = this.#attempts.endOr(options.signal);
    let after = await this.#cursors.startOf(options.after);
    const following = new Following(this.#identity, () => this.#reading.dataVersion(), ended);
    try {
      while (!ended.aborted) {
        const end = await this.#cursors.last();
        for await (const { events, position } of this.#round(options, { after, before: end + 1 }, false)) {
          yield { kind: 'events', events, cursor: this.#cursors.at(position) };
          if (ended.aborted) return;
        }
        after = end;
        yield { kind: 'caught-up', cursor: this.#cursors.at(after) };
        await following.changed();
      }
    } catch (error) {
      // Closing the ledger ends its subscriptions; it is no failure of theirs.
      if (!(error instanceof LedgerClosed)) throw error;
    } finally {
      following.close();
    }
  }

  /** What is wanted of a span; whatever is committed meanwhile lies beyond it. */
  async *#round(wanted: ReadAllOptions, span: Span, backwards: boolean): AsyncGenerator<Merged> {
    let rest = span;
    let pages: Generator<Merged> | null = null;
    const step = (): IteratorResult<Merged> => {
      pages ??= merged(this.#reading, wanted, rest, backwards);
      try {
        return pages.next();
      } catch (error) {
        // A generator that threw has ended: a second try must begin where the last page ended.
        pages = null;
        throw error;
      }
    };
    for (;;) {
      const next = await this.#attempts.make(step);
      if (next.done === true) return;
      yield next.value;
      rest = backwards ? { ...rest, before: next.value.position } : { ...rest, after: next.value.position };
    }
  }
}
