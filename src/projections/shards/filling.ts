// A member of a group filling the tables of the shards it has, one after the other. Each shard has a file of tables with a
// cursor of its own that moves in the transaction that fills it, and one process at a time has the file: so a shard that goes
// from one member to another in the middle of a batch, or from one that died, is gone on with where its tables are.
import { setTimeout as pause } from 'node:timers/promises';
import { BadCursor } from '../../ledger/errors.ts';
import type { Cursor } from '../../ledger/event.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type Projected, project } from '../projector/projector.ts';
import type { BatchLimits } from '../projector/reading.ts';
import { shardOf } from '../projector/source.ts';
import { TablesBusy } from '../warehouse/errors.ts';
import type { TablesTrust } from '../warehouse/provenance.ts';
import { type OwnShard, OwnShards } from './own.ts';
import { shardFolder } from './place.ts';

export interface FillingOptions {
  readonly group: string;
  /** Of the group's tables. */
  readonly folder: string;
  /** Stays, and fills what comes. */
  readonly follow: boolean;
  /** Leaves the group. */
  readonly signal: AbortSignal;
  /** Told after each batch: how many events the tables of the shard know now. */
  readonly progress?: (shard: string, events: number) => void;
  readonly limits?: BatchLimits;
  readonly trust?: TablesTrust | undefined;
  readonly onNote?: ((note: string) => void) | undefined;
}

export interface ShardFilled extends Projected {
  readonly shard: string;
  readonly seconds: number;
  /** How many events came meanwhile. */
  readonly behind: number;
}

/** Where nothing comes, the store is asked ever more rarely, up to this. */
const slowestMs = 500;

/** Tells of each shard that was filled. Without `follow` it ends when all that this member has were. */
export async function* fillShards(ledger: Ledger, options: FillingOptions): AsyncGenerator<ShardFilled> {
  const { group, signal, follow } = options;
  const leaving = new AbortController();
  const over = AbortSignal.any([signal, leaving.signal]);
  const own = new OwnShards(ledger.shards().share(group, over));
  try {
    await own.joined();
    for (let rest = 1; !own.isLeft; ) {
      const shard = await nextOf(own, ledger, follow);
      if (shard !== null) {
        const filled = await fill(ledger, own, shard, options);
        if (filled !== null) yield filled;
        rest = 1;
      } else if (follow) {
        await Promise.race([own.changed(), pause(rest, undefined, { signal: over }).catch(() => undefined)]);
        rest = Math.min(rest * 2, slowestMs);
      } else break;
    }
    signal.throwIfAborted();
  } finally {
    leaving.abort();
    await own.left();
  }
}

/** One that was not filled since it came, or else, for who stays, one that has grown. */
async function nextOf(own: OwnShards, ledger: Ledger, follow: boolean): Promise<OwnShard | null> {
  for (const shard of own.all) {
    const cursor = own.filledTo(shard);
    if (cursor === undefined) return shard;
    if (follow && (await behind(ledger, shard.name, cursor)) > 0) return shard;
  }
  return null;
}

/** Null where the shard is somebody else's before it is filled. */
async function fill(
  ledger: Ledger,
  own: OwnShards,
  shard: OwnShard,
  { folder, signal, follow, progress, limits, trust, onNote }: FillingOptions,
): Promise<ShardFilled | null> {
  const { name, gone } = shard;
  const started = performance.now();
  try {
    const done = await project(shardOf(ledger, name), shardFolder(folder, name), {
      signal: AbortSignal.any([signal, gone]),
      progress: (events) => progress?.(name, events),
      limits,
      trust,
      onNote,
    });
    own.noteFilled(shard, done.cursor);
    const seconds = Math.round(performance.now() - started) / 1000;
    return { ...done, shard: name, seconds, behind: await behind(ledger, name, done.cursor) };
  } catch (error) {
    signal.throwIfAborted();
    if (gone.aborted) return null;
    // However long whoever had the shard keeps its tables, who stays goes on with them when they are free.
    if (follow && error instanceof TablesBusy) return null;
    throw error;
  }
}

/** What the tables know and the ledger does not have any more is found out where they are filled. */
async function behind(ledger: Ledger, shard: string, cursor: Cursor | null): Promise<number> {
  try {
    return await ledger.shards().behind(shard, cursor);
  } catch (error) {
    if (!(error instanceof BadCursor)) throw error;
    return await ledger.shards().behind(shard, null);
  }
}
