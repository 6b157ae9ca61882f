// Questions about the tables of a group. They are asked as the group's members have filled them: nothing is added first, since
// that may be much, and may be at work elsewhere.
import { BadCursor } from '../../ledger/errors.ts';
import type { Standing } from '../asking.ts';
import type { Position } from '../projector/layout.ts';
import { isUnstopped } from '../query/errors.ts';
import { type Limits, type Questions, questionsIn } from '../query/questions.ts';
import { BrokenTables } from '../warehouse/errors.ts';
import type { HoldOptions } from '../warehouse/holding.ts';
import { type Joined, openJoined } from './joined.ts';
import { type AskedGroup, filledFiles, groupFolder, ShardNotFilled } from './place.ts';

/** Hands over questions, and closes them when `body` is done. Throws ShardNotFilled. */
export async function withQuestionsOfGroup<Result>(
  asked: AskedGroup,
  limits: Limits,
  options: HoldOptions,
  body: (questions: Questions, standing: Standing) => Promise<Result>,
): Promise<Result> {
  const { held, positions } = await openFilled(asked, limits, options);
  const questions = await questionsIn(held, groupFolder(asked.tables, asked.group), limits);
  let closing = (): Promise<void> => questions.close();
  try {
    return await body(questions, await standingOf(asked, positions));
  } catch (error) {
    // Nobody has to wait for what cannot be stopped; the files are let go of when it is done.
    if (isUnstopped(error)) closing = async () => void questions.close();
    throw error;
  } finally {
    await closing();
  }
}

async function openFilled(asked: AskedGroup, limits: Limits, options: HoldOptions): Promise<Joined> {
  for (;;) {
    const files = filledFiles(asked);
    try {
      return await openJoined(asked, files, limits.memoryMegabytes, options);
    } catch (error) {
      if (!(error instanceof BrokenTables)) throw error;
      // A file that somebody has replaced meanwhile is gone, and not broken.
      if (filledFiles(asked).some(({ path }, index) => path !== files[index]?.path)) continue;
      const { path: broken, why } = error.facts;
      const shards = files.filter(({ path }) => path === broken).map(({ shard }) => shard);
      throw shards.length === 0 ? error : new ShardNotFilled(asked, shards, `cannot be used: ${String(why)}`);
    }
  }
}

async function standingOf(asked: AskedGroup, positions: ReadonlyMap<string, Position | null>): Promise<Standing> {
  let [events, behind] = [0, 0];
  for (const [shard, position] of positions) {
    events += position?.events ?? 0;
    behind += await asked.ledger
      .shards()
      .behind(shard, position?.cursor ?? null)
      .catch((error: unknown) => {
        if (!(error instanceof BadCursor)) throw error;
        throw new ShardNotFilled(asked, [shard], 'knows events that the ledger does not have');
      });
  }
  return { events, behind };
}
