// Questions about the tables of a group. They are asked as the group's members have filled them: nothing is added first, since
// that may be much, and may be at work elsewhere.

import { BadCursor } from '../../ledger/errors.ts';
import type { UnknownEvents } from '../../ledger/unknown-events.ts';
import type { Standing } from '../asking.ts';
import { isUnstopped } from '../query/errors.ts';
import type { TableFiles } from '../query/open.ts';
import { type Limits, openTableFiles, type Questions } from '../query/questions.ts';
import { BrokenTables } from '../warehouse/errors.ts';
import type { HoldOptions } from '../warehouse/holding.ts';
import { type ShardStanding, withJoined } from './joined.ts';
import { type AskedGroup, filledFiles, ShardNotFilled } from './place.ts';

/** Hands over questions, and closes them when `body` is done. They run in this process: for SQL of icecore's own. Throws
 * ShardNotFilled. */
export async function withQuestionsOfGroup<Result>(
  asked: AskedGroup,
  limits: Limits,
  options: HoldOptions,
  body: (questions: Questions, standing: Standing) => Promise<Result>,
): Promise<Result> {
  return await withTablesOfGroup(asked, options, async (files, standing) => {
    const questions = await openTableFiles(files, limits);
    let closing = (): Promise<void> => questions.close();
    try {
      return await body(questions, standing);
    } catch (error) {
      // Nobody has to wait for what cannot be stopped; the files are let go of when it is done.
      if (isUnstopped(error)) closing = async () => void questions.close();
      throw error;
    } finally {
      await closing();
    }
  });
}

/** Hands over the files, open nowhere in this process. Throws ShardNotFilled. */
export async function withTablesOfGroup<Result>(
  asked: AskedGroup,
  options: HoldOptions,
  body: (files: TableFiles, standing: Standing) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    const shards = filledFiles(asked);
    try {
      return await withJoined(asked, shards, options, async ({ files, shards: standings }) =>
        body(files, await standingOf(asked, standings)),
      );
    } catch (error) {
      if (!(error instanceof BrokenTables)) throw error;
      // A file that somebody has replaced meanwhile is gone, and not broken.
      if (filledFiles(asked).some(({ path }, index) => path !== shards[index]?.path)) continue;
      const { path: broken, why } = error.facts;
      const damaged = shards.filter(({ path }) => path === broken).map(({ shard }) => shard);
      throw damaged.length === 0 ? error : new ShardNotFilled(asked, damaged, `cannot be used: ${String(why)}`);
    }
  }
}

async function standingOf(asked: AskedGroup, standings: ReadonlyMap<string, ShardStanding>): Promise<Standing> {
  let [events, behind] = [0, 0];
  for (const [shard, { position }] of standings) {
    events += position?.events ?? 0;
    behind += await asked.ledger
      .shards()
      .behind(shard, position?.cursor ?? null)
      .catch((error: unknown) => {
        if (!(error instanceof BadCursor)) throw error;
        throw new ShardNotFilled(asked, [shard], 'knows events that the ledger does not have');
      });
  }
  return { events, behind, unknown: summed([...standings.values()].flatMap(({ unknown }) => unknown)) };
}

/** Of each type and version once. */
function summed(unknown: readonly UnknownEvents[]): readonly UnknownEvents[] {
  const kinds = Map.groupBy(unknown, ({ type, version }) => `${type} ${version}`);
  return Array.from(kinds.values(), ([first, ...others]) => ({
    type: first?.type ?? '',
    version: first?.version ?? 0,
    events: others.reduce((sum, { events }) => sum + events, first?.events ?? 0),
  }));
}
