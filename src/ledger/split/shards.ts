// A split ledger as shards: those of its evidence. Whoever has the one of them that holds no evidence has the decisions.
import type { Cursor } from '../cursor.ts';
import type { Ledger, ReadAllOptions } from '../ledger.ts';
import { decisionsShard, type Shards } from '../shards.ts';
import type { StoredEvent } from '../stored.ts';
import type { Cuts } from './cuts.ts';
import { type Both, PartUnopened, type Store } from './parts.ts';

export class SplitShards implements Shards {
  readonly names: readonly string[];
  readonly #stores: Both<Store>;
  readonly #cuts: Cuts;
  readonly #evidence: Shards;

  /** Throws UnsupportedByStore where the evidence has no shards, PartUnopened. */
  constructor(stores: Both<Store>, cuts: Cuts) {
    this.#stores = stores;
    this.#cuts = cuts;
    const evidence = stores.evidence.ledger;
    if (evidence === null) throw new PartUnopened(stores.evidence);
    this.#evidence = evidence.shards();
    this.names = this.#evidence.names;
  }

  share(group: string, signal: AbortSignal): AsyncIterable<readonly string[]> {
    return this.#stores.evidence.pages(() => this.#evidence.share(group, signal));
  }

  async *readAll(
    shard: string,
    { after, until, ...filter }: Pick<ReadAllOptions, 'after' | 'until' | 'types' | 'limit'> = {},
  ): AsyncGenerator<readonly StoredEvent[]> {
    const part = shard === decisionsShard ? 'decisions' : 'evidence';
    const [from, to] = [this.#cuts.cutOf(after)[part], this.#cuts.cutOf(until)[part]];
    if (until !== undefined && to === null) return;
    const options = { ...filter, ...(from === null ? {} : { after: from }), ...(to === null ? {} : { until: to }) };
    const read = (ledger: Ledger): AsyncIterable<readonly StoredEvent[]> =>
      part === 'decisions' ? ledger.readAll(options) : this.#evidence.readAll(shard, options);
    for await (const events of this.#stores[part].pages(read)) {
      yield events.map((event) => this.#cuts.alone(part, event));
    }
  }

  async behind(shard: string, cursor: Cursor | null): Promise<number> {
    const cut = this.#cuts.cutOf(cursor);
    if (shard !== decisionsShard)
      return await this.#stores.evidence.ask(() => this.#evidence.behind(shard, cut.evidence));
    const span = cut.decisions === null ? {} : { after: cut.decisions };
    const ranges = await this.#stores.decisions.ask((ledger) => ledger.ranges(Number.MAX_SAFE_INTEGER, span));
    return ranges.reduce((sum, { events }) => sum + events, 0);
  }
}
