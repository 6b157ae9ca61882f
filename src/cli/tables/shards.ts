// What `icecore project --group` does: as a member of a group, fills the tables of the shards that the group gives to it.
import type { ProjectGroupResult } from '../../../schemas/tables-output.ts';
import { fillShards, type ShardFilled } from '../../projections/shards/filling.ts';
import { type AskedGroup, groupFolder } from '../../projections/shards/place.ts';
import type { Context } from '../context.ts';
import { exitCodeOf, type StopSignal } from '../io.ts';
import { Progress } from '../output/progress.ts';
import { count, counted, duration } from '../output/quantity.ts';
import type { Follower } from '../waiting.ts';
import { tablesTrust } from './folder.ts';
import { remark } from './remark.ts';

/** Stays, where somebody follows. */
export async function projectShards(context: Context, asked: AskedGroup, follower: Follower | null): Promise<number> {
  const { ledger, tables, group } = asked;
  const { signal } = context;
  const folder = groupFolder(tables, group);
  const progress = new Progress(context, 'events in tables');
  const known = new Map<string, number>();
  const others = new Set(ledger.shards().names);
  const tellProgress = (shard: string, events: number): void => {
    known.set(shard, events);
    void progress.update({ done: [...known.values()].reduce((sum, one) => sum + one, 0) });
  };
  const options = {
    group,
    folder,
    follow: follower !== null,
    signal,
    progress: tellProgress,
    trust: tablesTrust(context.io),
  };
  const begin = (): AsyncIterable<ShardFilled> => fillShards(ledger, options);
  try {
    for await (const filled of follower?.following(begin) ?? begin()) {
      // Of a shard that has come back, with nothing new in it, there is nothing to tell.
      if (!others.delete(filled.shard) && filled.added === 0) continue;
      await progress.end();
      await tell(context, asked, filled);
    }
  } catch (fault) {
    if (!signal.aborted) throw fault;
    return exitCodeOf(signal.reason as StopSignal);
  } finally {
    await progress.end();
  }
  if (signal.aborted) return exitCodeOf(signal.reason as StopSignal);
  if (others.size > 0) await context.say(`left to other members of the group: ${[...others].join(', ')}`);
  return 0;
}

async function tell(context: Context, { ledger, group }: AskedGroup, filled: ShardFilled): Promise<void> {
  const { shard, path, events, added, behind, unread, unknown, built, remade, seconds } = filled;
  if (context.flags.json) {
    const so = { events, added, behind, unread, unknown: [...unknown], built, remade: [...remade], seconds };
    const result: ProjectGroupResult = { ledger: ledger.url, group, shard, tables: path, ...so };
    return await context.printJson(result);
  }
  await remark(context, filled, `${shard}: `);
  const rate = seconds > 0 ? `, ${count(Math.round(added / seconds))}/s` : '';
  const came = behind > 0 ? `, ${count(behind)} more came meanwhile` : '';
  await context.print(
    `${shard}: ${counted(added, 'event')} added, ${count(events)} in all, ${duration(seconds)}${rate}${came}\n`,
  );
}
