// The events of both parts as one feed. People like to read them as they happened, so they are merged by when they were
// recorded, decisions first where both were recorded at once; nothing rests on that order.

import { UnsupportedByStore } from '../errors.ts';
import type { Cursor } from '../event.ts';
import type { ReadAllOptions } from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';
import { type Cut, type Cuts, nothing } from './cuts.ts';
import { type Merging, merged } from './merging.ts';
import { askedOf, type Both, type Filter, otherThan, type Part, type Store } from './parts.ts';

type Pages = AsyncIterable<readonly StoredEvent[]>;

const weigh = ({ body }: StoredEvent): number => body.length;

export class Feeds {
  readonly #stores: Both<Store>;
  readonly #cuts: Cuts;
  readonly #url: string;
  readonly #goesBackwards: boolean;

  constructor(stores: Both<Store>, cuts: Cuts, { url, backwards }: { url: string; backwards: boolean }) {
    this.#stores = stores;
    this.#cuts = cuts;
    this.#url = url;
    this.#goesBackwards = backwards;
  }

  ofAll(options: ReadAllOptions): AsyncGenerator<readonly StoredEvent[]> {
    return options.backwards === true ? this.#backwards(options) : this.#forwards(options);
  }

  async *#forwards({ after, until, limit, ...filter }: ReadAllOptions): AsyncGenerator<readonly StoredEvent[]> {
    let cut = this.#cuts.cutOf(after);
    const end = until === undefined ? null : this.#cuts.cutOf(until);
    const pages = (part: Part): Pages => this.#pagesBehind(part, filter, { after: cut[part], end, limit });
    const merging: Merging<StoredEvent, StoredEvent> = {
      isBefore: (decision, evidence) => decision.recordedMs <= evidence.recordedMs,
      make: (part, event) => {
        cut = { ...cut, [part]: event.cursor };
        return this.#cuts.at(cut, event);
      },
      weigh,
    };
    yield* merged({ decisions: pages('decisions'), evidence: pages('evidence') }, merging, limit);
  }

  #pagesBehind(
    part: Part,
    filter: Filter,
    { after, end, limit }: { after: Cursor | null; end: Cut | null; limit: number | undefined },
  ): Pages {
    const asked = askedOf(part, filter);
    if (asked === null || (end !== null && end[part] === null)) return none();
    const until = end?.[part] ?? null;
    const span = { ...(after === null ? {} : { after }), ...(until === null ? {} : { until }) };
    const most = limit === undefined ? {} : { limit };
    return this.#stores[part].pages((ledger) => ledger.readAll({ ...asked, ...span, ...most }));
  }

  /** Each event with the cursor it has forwards: behind it comes what was handed over before it. */
  async *#backwards({ after, limit, ...filter }: ReadAllOptions): AsyncGenerator<readonly StoredEvent[]> {
    if (!this.#goesBackwards) throw new UnsupportedByStore(this.#url, 'read backwards');
    const start = after === undefined ? null : this.#cuts.cutOf(after);
    const last = start === null ? null : await this.#lastOf(start);
    const pages = (part: Part): Pages => this.#pagesBefore(part, filter, { start, isLast: last === part, limit });
    const merging: Merging<StoredEvent, StoredEvent> = {
      isBefore: (decision, evidence) => decision.recordedMs > evidence.recordedMs,
      make: (part, event, next) => {
        return this.#cuts.at({ ...nothing, [otherThan(part)]: next?.cursor ?? null, [part]: event.cursor }, event);
      },
      weigh,
    };
    yield* merged({ decisions: pages('decisions'), evidence: pages('evidence') }, merging, limit);
  }

  #pagesBefore(
    part: Part,
    filter: Filter,
    { start, isLast, limit }: { start: Cut | null; isLast: boolean; limit: number | undefined },
  ): Pages {
    const asked = askedOf(part, filter);
    if (asked === null || (start !== null && start[part] === null)) return none();
    const from = start?.[part] ?? null;
    const most = limit === undefined ? {} : { limit };
    const back = { ...asked, ...most, backwards: true, ...(from === null ? {} : { after: from }) };
    const before = this.#stores[part].pages((ledger) => ledger.readAll(back));
    return from === null || isLast ? before : this.#withEventAt(part, from, asked, before);
  }

  /** A cut is read backwards without its last event: that of the one part. That of the other is still before it. */
  async *#withEventAt(part: Part, cursor: Cursor, filter: Filter, before: Pages): Pages {
    const event = await this.#eventAt(part, cursor, filter);
    if (event !== null) yield [event];
    yield* before;
  }

  /** Which part a cut ends with. */
  async #lastOf({ decisions, evidence }: Cut): Promise<Part> {
    if (decisions === null) return 'evidence';
    if (evidence === null) return 'decisions';
    const decision = await this.#eventAt('decisions', decisions, {});
    const finding = await this.#eventAt('evidence', evidence, {});
    if (decision === null || finding === null) return finding === null ? 'decisions' : 'evidence';
    return decision.recordedMs > finding.recordedMs ? 'decisions' : 'evidence';
  }

  /** The event that a part's cursor is of; null where the filter leaves it out. */
  async #eventAt(part: Part, cursor: Cursor, filter: Filter): Promise<StoredEvent | null> {
    return await this.#stores[part].ask(async (ledger) => {
      let before: Cursor | undefined;
      for await (const [event] of ledger.readAll({ backwards: true, after: cursor, limit: 1 })) before = event?.cursor;
      const span = { until: cursor, ...(before === undefined ? {} : { after: before }) };
      for await (const [event] of ledger.readAll({ ...filter, ...span, limit: 1 })) return event ?? null;
      return null;
    });
  }
}

async function* none(): AsyncGenerator<readonly StoredEvent[]> {}
