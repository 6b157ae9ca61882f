// What a file of tables is filled from: a ledger, or one shard of it.
import type { Ledger, ReadAllOptions } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';

export interface Source {
  /** Tables are of this and nothing else. */
  readonly id: string;
  readAll(options: Pick<ReadAllOptions, 'after' | 'until' | 'types' | 'limit'>): AsyncIterable<readonly StoredEvent[]>;
}

export function shardOf(ledger: Ledger, shard: string): Source {
  return { id: idOfShard(ledger, shard), readAll: (options) => ledger.shards().readAll(shard, options) };
}

export function idOfShard({ id }: Pick<Ledger, 'id'>, shard: string): string {
  return `${id}/${shard}`;
}
