// The shards of a stage, done by whoever comes: each process takes one that is open, does it, and takes the next, until
// all of them are there. Whoever waits is woken by what others write, and by the end of a lease that nobody renews.
import type { EventData } from '../../../../schemas/catalogue.ts';
import type { Policy } from '../../../lab/policies/policy.ts';
import { Attempt, type Recorder, reportedRecorder } from '../../evidence/attempt.ts';
import { type AttemptLimits, usualLimits } from '../../evidence/reports.ts';
import { type Playing, played, type StageTasks, withTasks } from '../steps/rollouts.ts';
import type { Bell } from './bell.ts';
import { ShardClaim, ShardLost, type Taker } from './shard-claim.ts';

/** Takes part in the rollouts of stages. */
export interface Sharing extends Playing, Taker {
  /** How much one attempt holds where attempts are reported. */
  readonly limits?: AttemptLimits;
  readonly bell: Bell;
}

/** All shards of the stage, once they are completed. `policy` is null for whoever leaves them to others. */
export async function share(
  sharing: Sharing,
  stage: number,
  shards: number,
  policy: Policy | null,
): Promise<readonly EventData['ShardCompleted'][]> {
  const completed = await withTasks(sharing, stage, (tasks) => shared(sharing, stage, { shards, tasks }, policy));
  await ShardClaim.settle(sharing);
  return completed;
}

async function shared(
  sharing: Sharing,
  stage: number,
  split: Split,
  policy: Policy | null,
): Promise<readonly EventData['ShardCompleted'][]> {
  const { shards } = split;
  const { board, bell, signal, check, tell } = sharing;
  for (;;) {
    signal.throwIfAborted();
    await check();
    await board.read();
    const completed = board.completedIn(stage, shards);
    const held = board.heldIn(stage, shards);
    await tell({ kind: 'shards', stage, completed: completed.length, of: shards, held });
    if (completed.length === shards) return completed;
    const claim = policy === null ? null : await ShardClaim.take(sharing, stage, shards);
    if (claim !== null && policy !== null) await done(sharing, claim, split, policy);
    else await bell.heard(policy === null ? null : board.untilOpen(stage, shards));
  }
}

interface Split {
  readonly shards: number;
  readonly tasks: StageTasks;
}

/** What others have taken over is left to them. Whatever else goes wrong, the shard is given back. */
async function done(sharing: Sharing, claim: ShardClaim, { shards, tasks }: Split, policy: Policy): Promise<void> {
  const { signal, check, tell } = sharing;
  const { stage, place } = claim;
  const { shard } = place;
  await tell({ kind: 'shard-taken', stage, shard, of: shards });
  const playing = {
    ...sharing,
    signal: AbortSignal.any([signal, claim.signal]),
    check: async () => {
      await check();
      await claim.check();
    },
  };
  try {
    const recorder = await recorderFor(playing, claim, sharing.limits);
    const sealed = await played(playing, { stage, shard, shards, recorder }, policy, tasks);
    await claim.complete(sealed);
    const events = sealed.reduce((sum, { count }) => sum + count, 0);
    await tell({ kind: 'shard-completed', stage, shard, of: shards, events });
  } catch (fault) {
    await claim.release();
    if (!(fault instanceof ShardLost)) throw fault;
    await tell({ kind: 'shard-lost', fault });
  }
}

/** Each claim has attempts of its own: so nobody ever writes into another's evidence. */
async function recorderFor(
  { ledger, run, check }: Playing,
  claim: ShardClaim,
  limits: AttemptLimits = usualLimits,
): Promise<Recorder> {
  const { stage, place } = claim;
  const { shard: part, attempt } = place;
  if (ledger.capabilities.attempts === 'reported')
    return await reportedRecorder(ledger, { run, stage, part }, claim.reports(check, limits));
  return new Attempt(ledger, { run, stage, part, attempt }, check);
}
