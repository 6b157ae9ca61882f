// Gathers the evidence of a stage: the policy tries the probe pool and a sample of its training tasks, every try is an
// event, and a seal covers all of them. After an interruption the same events are made again and not stored twice; if
// they cannot be identical, another attempt is made, which then counts. If the stage is split into shards, the attempts
// completed under valid claims count.
import type { EventData } from '../../../../schemas/catalogue.ts';
import { streamOf } from '../../../../schemas/streams.ts';
import type { SealedAttempt } from '../../../ledger/seal/attempt.ts';
import { recorded } from '../../evidence/attempt.ts';
import type { StageHistory } from '../../history/run-history.ts';
import type { Decision } from '../journal.ts';
import { type InHand, required, stageIn } from '../session.ts';
import { PendingClaim, ShardLeases } from '../shards/leases.ts';
import { StreamSignal } from '../shards/stream-signal.ts';
import { share } from '../shards/worker.ts';
import { runActor } from './bounds.ts';
import { withPolicy } from './evaluate.ts';
import { played, withTasks } from './rollouts.ts';

export async function gather(at: InHand, stage: number): Promise<Decision> {
  const { started, training } = stageIn(at.history, stage);
  const shards = started.data.shards ?? 1;
  const attempts =
    shards > 1
      ? await shared(at, stage, shards)
      : await withPolicy(at, stage, (policy) =>
          recorded(at, { run: at.run, stage, part: 0 }, (recorder) =>
            withTasks(at, stage, (tasks) => played(at, { stage, shard: 0, shards: 1, recorder }, policy, tasks)),
          ),
        );
  return {
    type: 'EvidenceSealed',
    stage,
    index: 0,
    actor: runActor,
    causes: [{ event: required(training, 'training').id }],
    data: { attempts: [...attempts, ...recordedBefore(stageIn(at.history, stage))] },
  };
}

/** The rollouts that trainings and evaluations cite themselves. */
function recordedBefore({ training, evaluations }: StageHistory): SealedAttempt[] {
  return [training, ...evaluations].flatMap((recorded) =>
    (recorded?.rollouts ?? []).map(({ stream, to, root }) => ({ stream, count: to + 1, root })),
  );
}

async function shared(at: InHand, stage: number, shards: number): Promise<SealedAttempt[]> {
  const { ledger, run, signal, leavesShards } = at;
  const streamSignal = await StreamSignal.open(ledger, [streamOf.work(run)], signal);
  try {
    const sharing = {
      ...at,
      limits: at.reports.limits,
      leases: new ShardLeases(ledger, run),
      streamSignal,
      bid: new PendingClaim(),
    };
    const completed = leavesShards
      ? await share(sharing, stage, shards, null)
      : await withPolicy(at, stage, async (policy) => await share(sharing, stage, shards, policy));
    return completed.flatMap((one) => sealedIn(run, stage, one));
  } finally {
    streamSignal.close();
  }
}

function sealedIn(run: string, stage: number, { shard, attempts }: EventData['ShardCompleted']): SealedAttempt[] {
  return attempts.map(({ attempt, count, root }) => ({
    stream: streamOf.evidence(run, stage, shard, attempt),
    count,
    root,
  }));
}
