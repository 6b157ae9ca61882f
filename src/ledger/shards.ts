// Shards: the parts of a ledger that readers can have between them. Every stream lies whole in one of them, and of an order
// between two of them nothing is known.
import type { Cursor } from './event.ts';
import type { StoredEvent } from './stored.ts';

/** Where all lies that is no evidence. Every ledger that has shards has this one. */
export const decisionsShard = 'decisions';

/** As for a whole ledger. */
export interface ShardOptions {
  readonly after?: Cursor;
  readonly until?: Cursor;
  readonly types?: readonly string[];
  readonly limit?: number;
}

export interface Shards {
  /** Of all of them, in a fixed order. */
  readonly names: readonly string[];

  /**
   * Joins a group, whose members have the shards between them: yields those of this member from now on, each time they
   * change. Ends, and leaves the group, when the signal aborts. A member that is no longer heard of is taken for gone after
   * a while; until it hears of that itself, a shard may have two members.
   */
  share(group: string, signal: AbortSignal): AsyncIterable<readonly string[]>;

  /** The events of one shard, as `readAll` of a ledger gives them; a cursor that comes with one is for this shard. */
  readAll(shard: string, options?: ShardOptions): AsyncIterable<readonly StoredEvent[]>;

  /**
   * How many events a shard has behind a cursor; null: in all. Nothing is read to find out: of what nobody here has read yet,
   * whatever else a store keeps among events is counted in.
   */
  behind(shard: string, cursor: Cursor | null): Promise<number>;
}
