// A ledger in two stores: what is decided in the one, the evidence, which is much more, in the other. Each stream lies
// whole in one of them; of an order between the two nothing is known.
import type { NewEvent } from '../../../schemas/envelope.ts';
import type { Cursor, CursorOrder } from '../cursor.ts';
import type {
  Appended,
  AppendOptions,
  AuditOptions,
  Capabilities,
  Delivery,
  DigestsOf,
  EventRange,
  Head,
  Ledger,
  ReadAllOptions,
  ReadOptions,
  Replicated,
  StoreFault,
  StreamEnd,
  SubscribeOptions,
} from '../ledger.ts';
import type { Shards } from '../shards.ts';
import type { StoredEvent } from '../stored.ts';
import { auditBoth } from './audit.ts';
import { capabilitiesOf } from './capabilities.ts';
import { type Cut, Cuts, compareCuts, nothing } from './cuts.ts';
import { Feeds } from './feeds.ts';
import { Live } from './live.ts';
import { type Both, type Part, PartUnopened, partOf, Store } from './parts.ts';
import { SplitShards } from './shards.ts';
import { Survey } from './survey.ts';

export class SplitLedger implements Ledger {
  readonly id: string;
  readonly url: string;
  readonly #stores: Both<Store>;
  readonly #cuts: Cuts;
  readonly #feeds: Feeds;
  readonly #live: Live;
  readonly #survey: Survey;

  readonly #decisions: Ledger;

  /** Both bear the same identity. */
  constructor(decisions: Ledger, evidence: Store) {
    this.id = decisions.id;
    this.url = `split:${decisions.url}+${evidence.url}`;
    this.#decisions = decisions;
    this.#stores = { decisions: Store.of('decisions', decisions), evidence };
    const { backwards } = this.capabilities;
    this.#cuts = new Cuts(this.id, this.url);
    this.#feeds = new Feeds(this.#stores, this.#cuts, { url: this.url, backwards });
    this.#live = new Live(this.#stores, this.#cuts, this.#feeds);
    this.#survey = new Survey(this.#stores, this.#cuts);
  }

  get capabilities(): Capabilities {
    return capabilitiesOf(this.#decisions.capabilities, this.#stores.evidence.ledger?.capabilities);
  }

  async append(stream: string, events: readonly NewEvent[], options: AppendOptions): Promise<Appended> {
    const part = partOf(stream);
    const appended = await this.#stores[part].ask((ledger) => ledger.append(stream, events, options));
    return { ...appended, cursor: this.#cuts.cursorOf({ ...nothing, [part]: appended.cursor }) };
  }

  async *read(stream: string, options?: ReadOptions): AsyncGenerator<readonly StoredEvent[]> {
    const part = partOf(stream);
    for await (const events of this.#stores[part].pages((ledger) => ledger.read(stream, options))) {
      yield events.map((event) => this.#cuts.alone(part, event));
    }
  }

  readAll(options: ReadAllOptions = {}): AsyncGenerator<readonly StoredEvent[]> {
    return this.#feeds.ofAll(options);
  }

  subscribe(options: SubscribeOptions = {}): AsyncGenerator<Delivery> {
    return this.#live.deliveries(options);
  }

  /**
   * The evidence first: decisions vouch for evidence, so whoever is killed in between leaves some that nobody vouches for
   * yet, and no decision without what it rests on. All or none holds for each of the two by itself.
   */
  async replicate(events: readonly StoredEvent[], signal?: AbortSignal): Promise<Replicated> {
    let cut: Cut = nothing;
    let existed = 0;
    for (const part of ['evidence', 'decisions'] as const) {
      const own = events.filter(({ stream }) => partOf(stream) === part);
      if (own.length === 0) continue;
      const done = await this.#stores[part].ask((ledger) => ledger.replicate(own, signal));
      cut = { ...cut, [part]: done.cursor };
      existed += done.existed;
    }
    return { existed, cursor: this.#cuts.cursorOf(cut) };
  }

  streams(prefix = ''): AsyncGenerator<readonly StreamEnd[]> {
    return this.#survey.streams(prefix);
  }

  digests(of: DigestsOf): AsyncGenerator<string> {
    return this.#survey.digests(of);
  }

  ranges(events: number, span: { after?: Cursor; until?: Cursor } = {}): Promise<readonly EventRange[]> {
    return this.#survey.ranges(events, span);
  }

  audit({ wholly = true, run = null }: AuditOptions = {}): AsyncGenerator<StoreFault> {
    return auditBoth(this.#stores, { wholly, run });
  }

  async find(id: string, limit = 2): Promise<readonly StoredEvent[]> {
    const find = async (part: Part, most: number): Promise<readonly StoredEvent[]> => {
      const found = await this.#stores[part].ask((ledger) => ledger.find(id, most));
      return found.map((event) => this.#cuts.alone(part, event));
    };
    const decisions = await find('decisions', limit);
    return decisions.length >= limit
      ? decisions
      : [...decisions, ...(await find('evidence', limit - decisions.length))];
  }

  head(): Promise<Head> {
    return this.#survey.head();
  }

  shards(): Shards {
    return new SplitShards(this.#stores, this.#cuts);
  }

  compareCursors(a: Cursor, b: Cursor): CursorOrder {
    const [left, right] = [this.#cuts.cutOf(a), this.#cuts.cutOf(b)];
    return compareCuts(left, right, (part, one, other) => {
      const store = this.#stores[part];
      // What is the same needs nobody to say so.
      if (store.ledger === null && one !== other) throw new PartUnopened(store);
      return store.ledger?.compareCursors(one, other) ?? 'equal';
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#stores.decisions.close(), this.#stores.evidence.close()]);
  }
}
