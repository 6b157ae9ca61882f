// Gathers the evidence of a stage: the policy tries the probe pool and some of what it was trained on, every try is an
// event, and a seal vouches for all of them. Whoever was stopped in the middle makes the same events again, of which those
// that are there are not stored twice; where they cannot be the same, another attempt is made, and that one counts. Where
// the stage is split into shards, those attempts count that were completed under the claim that counts, whoever made them.
import type { EventData } from '../../../../schemas/catalogue.ts';
import { streamOf } from '../../../../schemas/streams.ts';
import type { Policy } from '../../../lab/policies/policy.ts';
import { DuplicateId } from '../../../ledger/errors.ts';
import type { SealedAttempt } from '../../../ledger/seal/attempt.ts';
import { type InHand, known, stageIn } from '../at.ts';
import { Bell } from '../shards/bell.ts';
import { Board } from '../shards/board.ts';
import { Bid } from '../shards/shard-claim.ts';
import { share } from '../shards/share.ts';
import type { Decision } from '../writing.ts';
import { played, withTasks } from './rollouts.ts';
import { runActor } from './start.ts';
import { withPolicy } from './with-policy.ts';

const mostAttempts = 2 ** 10;

export async function gather(at: InHand, stage: number): Promise<Decision> {
  const { started, training } = stageIn(at.history, stage);
  const shards = started.data.shards ?? 1;
  const attempts =
    shards > 1
      ? await shared(at, stage, shards)
      : [await withPolicy(at, stage, async (policy) => await attempted(at, stage, policy))];
  return {
    type: 'EvidenceSealed',
    stage,
    index: 0,
    actor: runActor,
    causes: [{ event: known(training, 'training').id }],
    data: { attempts },
  };
}

/** In one piece, by this process. */
async function attempted(at: InHand, stage: number, policy: Policy): Promise<SealedAttempt> {
  for (let attempt = await lastAttempt(at, stage); ; attempt++) {
    try {
      const whole = { stage, shard: 0, shards: 1, attempt };
      return await withTasks(at, stage, (tasks) => played(at, whole, policy, tasks));
    } catch (fault) {
      if (!(fault instanceof DuplicateId) || attempt + 1 >= mostAttempts) throw fault;
    }
  }
}

/** Of those before it nothing can be gone on with. */
async function lastAttempt({ ledger, run }: InHand, stage: number): Promise<number> {
  let last = 0;
  for await (const ends of ledger.streams(`evidence-${run}-${stage}-0-`)) {
    for (const { stream } of ends) {
      const attempt = Number(stream.slice(stream.lastIndexOf('-') + 1));
      if (stream === streamOf.evidence(run, stage, 0, attempt)) last = Math.max(last, attempt);
    }
  }
  return last;
}

async function shared(at: InHand, stage: number, shards: number): Promise<SealedAttempt[]> {
  const { ledger, run, signal, leavesShards } = at;
  const bell = await Bell.on(ledger, [streamOf.work(run)], signal);
  try {
    const sharing = { ...at, board: new Board(ledger, run), bell, bid: new Bid() };
    const completed = leavesShards
      ? await share(sharing, stage, shards, null)
      : await withPolicy(at, stage, async (policy) => await share(sharing, stage, shards, policy));
    // Of more shards than tasks some have none: no stream of theirs is there.
    return completed.filter(({ count }) => count > 0).map((one) => sealOf(run, stage, one));
  } finally {
    bell.close();
  }
}

function sealOf(
  run: string,
  stage: number,
  { shard, attempt, count, root }: EventData['ShardCompleted'],
): SealedAttempt {
  return { stream: streamOf.evidence(run, stage, shard, attempt), count, root };
}
