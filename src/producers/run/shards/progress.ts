// What is told of shards while they are done.
import type { ShardLost } from './shard-claim.ts';

export type ShardProgress =
  | {
      readonly kind: 'shards';
      readonly stage: number;
      readonly completed: number;
      readonly of: number;
      /** How many somebody has in hand, this process included. */
      readonly held: number;
    }
  | { readonly kind: 'shard-taken'; readonly stage: number; readonly shard: number; readonly of: number }
  | {
      readonly kind: 'shard-completed';
      readonly stage: number;
      readonly shard: number;
      readonly of: number;
      readonly events: number;
    }
  | { readonly kind: 'shard-lost'; readonly fault: ShardLost };
