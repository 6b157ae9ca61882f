// A rollout worker, on this machine or another: it takes an open shard, makes its rollouts, and takes the next. It
// decides nothing: its rollouts count once the orchestrator seals them. It needs no keys or programs of the engineer or
// the trainer.

import type { EventData } from '../../../../schemas/catalogue.ts';
import type { RunSettings } from '../../../../schemas/run-file.ts';
import { streamOf } from '../../../../schemas/streams.ts';
import { keepingTasks } from '../../../lab/environments/caching.ts';
import type { Environment } from '../../../lab/environments/environment.ts';
import type { Policy } from '../../../lab/policies/policy.ts';
import { trainableOn } from '../../../lab/registry.ts';
import type { Blobs } from '../../../ledger/blobs/blobs.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { Attempt, type Recorder, reportedRecorder } from '../../evidence/attempt.ts';
import { type AttemptLimits, usualLimits } from '../../evidence/reported.ts';
import { continued } from '../../history/reading.ts';
import type { RunHistory } from '../../history/run-history.ts';
import { forgetHolder, newHolder } from '../claim.ts';
import { learnerOf, type Surroundings } from '../opening.ts';
import { probePool } from '../pools.ts';
import type { Lab, RunProgress } from '../session.ts';
import { withPolicy } from '../steps/evaluate.ts';
import { type Playing, played, type StageTasks, withTasks } from '../steps/rollouts.ts';
import { PendingClaim, ShardClaim, ShardLeases, ShardLost, type ShardTaker } from './leases.ts';
import { countIn } from './portion.ts';
import { StreamSignal } from './stream-signal.ts';

export async function openPlayers(
  settings: RunSettings,
  opened: Environment,
  surroundings: Surroundings,
): Promise<Pick<Lab, 'environment' | 'learner'>> {
  const environment = keepingTasks(opened);
  const { entries, registry } = surroundings;
  const registered = trainableOn(registry, environment.descriptor.environment).map(({ name }) => name);
  const [first] = registered;
  // Only the orchestrator reads the initial checkpoint: workers get recorded checkpoints.
  const isWord = first === undefined || entries.has(settings.policy) || registered.includes(settings.policy);
  const policy = isWord ? settings.policy : first;
  return { environment, learner: await learnerOf({ ...settings, policy }, environment, surroundings) };
}

/** Works on the shards of stages. */
interface Sharing extends Playing, ShardTaker {
  /** The maximum size of an attempt, if attempts are reported. */
  readonly limits?: AttemptLimits;
  readonly streamSignal: StreamSignal;
}

/**
 * All shards of the stage, once they are completed. `policy` is null for an orchestrator that leaves them to workers.
 */
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
  const { leases, streamSignal, signal, check, tell } = sharing;
  for (;;) {
    signal.throwIfAborted();
    await check();
    await leases.read();
    const completed = leases.completedIn(stage, shards);
    const held = leases.heldIn(stage, shards);
    await tell({ kind: 'shards', stage, completed: completed.length, of: shards, held });
    if (completed.length === shards) return completed;
    const claim = policy === null ? null : await ShardClaim.take(sharing, stage, shards);
    if (claim !== null && policy !== null) await done(sharing, claim, split, policy);
    else await streamSignal.wait(policy === null ? null : leases.untilOpen(stage, shards));
  }
}

interface Split {
  readonly shards: number;
  readonly tasks: StageTasks;
}

/** A shard that another process took over is left to it. After any other error the shard is released. */
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

/** Each claim has its own attempts, so that no process writes into another's evidence. */
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

/** Progress reports of a worker, including waiting for work. */
export type WorkProgress = RunProgress | { readonly kind: 'idle'; readonly history: RunHistory };

export interface Working {
  readonly ledger: Ledger;
  readonly blobs: () => Promise<Blobs>;
  readonly history: RunHistory;
  readonly settings: RunSettings;
  readonly lab: Pick<Lab, 'environment' | 'learner'>;
  /** A temporary folder for checkpoints. */
  readonly folder: string;
  readonly leaseSeconds: number;
  /** The maximum size of an attempt, if attempts are reported. */
  readonly limits?: AttemptLimits;
  readonly signal: AbortSignal;
  readonly tell: (progress: WorkProgress) => Promise<void>;
}

/** Resolves when the run is completed. Aborting throws the signal's reason. */
export async function work({ history: before, ...working }: Working): Promise<void> {
  const { ledger, signal, tell } = working;
  const { run } = before;
  const holder = newHolder();
  const leases = new ShardLeases(ledger, run);
  const bid = new PendingClaim();
  const ready = madeReady(working);
  const streamSignal = await StreamSignal.open(ledger, [streamOf.run(run), streamOf.work(run)], signal);
  try {
    for (let history = before; ; ) {
      signal.throwIfAborted();
      history = await continued(ledger, history);
      await leases.read();
      if (history.completed !== null) return;
      const open = openStage(history, leases);
      if (open === null) {
        await ready();
        await tell({ kind: 'idle', history });
        await streamSignal.wait(null);
        continue;
      }
      const { stage, shards } = open;
      const sharing = { ...working, run, history, leases, streamSignal, holder, bid, check: async () => {} };
      await withPolicy(sharing, stage, async (policy) => await share(sharing, stage, shards, policy));
    }
  } finally {
    forgetHolder(holder);
    streamSignal.close();
  }
}

/** The pool is the same at every stage: it is generated during idle time and kept. */
function madeReady({ lab, settings, signal }: Omit<Working, 'history'>): () => Promise<unknown> {
  let made: Promise<number> | null = null;
  return () => {
    made ??= countIn(probePool(lab.environment, 'probe', settings, signal));
    return made;
  };
}

/** The stage whose training is complete and whose shards are not all done; null if there is none now. */
function openStage({ stages }: RunHistory, leases: ShardLeases): { stage: number; shards: number } | null {
  const last = stages.at(-1);
  if (last === undefined || last.training === null || last.sealed !== null) return null;
  const { stage, started } = last;
  const { shards = 1 } = started.data;
  return shards > 1 && leases.completedIn(stage, shards).length < shards ? { stage, shards } : null;
}
