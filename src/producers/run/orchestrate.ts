// Runs a run: determines the next step from the record, takes and records it, until no step is left. After a stop, a
// new process continues at the same step. A failure is recorded, unless another process holds the run by then.

import { IcecoreError } from '../../../schemas/errors.ts';
import { isExternal, type RunSettings } from '../../../schemas/run-file.ts';
import { streamOf } from '../../../schemas/streams.ts';
import type { Clock } from '../../lab/models/clock.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { formNamed } from '../contexts/forms.ts';
import { type AttemptLimits, Reports, usualLimits } from '../evidence/reported.ts';
import type { RunHistory } from '../history/run-history.ts';
import { retried } from '../proposals/asking.ts';
import { summaryModules } from '../summaries/modules.ts';
import { Claim, RunHeld } from './claim.ts';
import { type Decision, Journal } from './journal.ts';
import { type Course, nextStep, type Step } from './next.ts';
import type { InHand, Lab, RunProgress } from './session.ts';
import { ShardLeases } from './shards/leases.ts';
import { adoptFirst, complete, completeStage, type RunFacts, runActor, start, startStage } from './steps/bounds.ts';
import { evaluate, probeHoldout, validation } from './steps/evaluate.ts';
import { gather } from './steps/gather.ts';
import { adopt, propose, show } from './steps/propose.ts';
import { summarise } from './steps/summarise.ts';
import { train, UnusableCheckpoint } from './steps/train.ts';

interface LoopOptions {
  readonly journal: Journal;
  readonly course: Course;
  readonly about: RunFacts;
  /** The input of steps, except for the growing history. */
  readonly at: Omit<InHand, 'history'>;
}

/** How it ended: complete, or waiting for a person's decision. */
type Ended = 'completed' | 'waiting';

/** Aborting throws the signal's reason; recorded results remain. `until` stops before a step. */
async function loop(looping: LoopOptions, until: (step: Step) => boolean = () => false): Promise<Ended> {
  const { journal, course, at } = looping;
  for (;;) {
    at.signal.throwIfAborted();
    const step = nextStep(journal.history, course);
    if (step === null) return 'completed';
    if (step.do === 'wait' || until(step)) return 'waiting';
    await at.check();
    await at.tell({ kind: 'step', step });
    const decision = await again(step, { ...at, history: journal.history }, looping.about);
    // If another process wrote in between, the next step is determined again.
    const isWritten = await journal.append(decision);
    if (isWritten) await at.tell({ kind: 'decided', decision, history: journal.history });
  }
}

/** With --on-error retry, a step with a temporary failure is repeated. */
async function again(step: Exclude<Step, { do: 'wait' }>, at: InHand, about: RunFacts): Promise<Decision> {
  const { settings, signal, clock } = at;
  if (settings.onError !== 'retry') return await taken(step, at, about);
  const onRetry = async (why: string, seconds: number): Promise<void> =>
    await at.tell({ kind: 'retrying', why, seconds });
  return await retried(async () => await taken(step, at, about), { signal, clock, onRetry });
}

function taken(step: Exclude<Step, { do: 'wait' }>, at: InHand, about: RunFacts): Promise<Decision> | Decision {
  switch (step.do) {
    case 'start':
      return start(at, about);
    case 'adopt-first':
      return adoptFirst(at);
    case 'start-stage':
      return startStage(at, step.stage);
    case 'train':
      return train(at, step.stage, about);
    case 'evaluate':
      return evaluate(at, step.stage, step.evaluation);
    case 'gather':
      return gather(at, step.stage);
    case 'summarise':
      return summarise(at, step.stage, step.module);
    case 'complete-stage':
      return completeStage(at, step.stage);
    case 'show':
      return show(at, step.stage);
    case 'propose':
      return propose(at, step.stage);
    case 'adopt':
      return adopt(at, step.stage);
    case 'complete':
      return complete(at);
  }
}

export interface Orchestration {
  readonly ledger: Ledger;
  readonly blobs: () => Promise<Blobs>;
  readonly run: string;
  readonly settings: RunSettings;
  readonly lab: Lab;
  readonly folder: string;
  readonly about: RunFacts;
  readonly leaseSeconds?: number;
  /** Leave the shards of rollouts to workers. */
  readonly leavesShards?: boolean;
  readonly signal: AbortSignal;
  readonly tell: (progress: RunProgress) => Promise<void>;
  /** Called when another process's lease has to be waited for. */
  readonly onWait?: (holder: string, seconds: number) => void;
  /** The maximum size of an attempt, if attempts are reported. */
  readonly limits?: AttemptLimits;
  /** The clock for pauses. */
  readonly clock?: Clock;
  /** Stop before such a step. */
  readonly until?: (step: Step) => boolean;
}

export interface RunEnd {
  readonly ended: Ended;
  readonly history: RunHistory;
}

export const usualLease = 60;

/** Throws RunHeld if another process holds the run, the error that stopped it, or the signal's reason. */
export async function orchestrate(orchestration: Orchestration): Promise<RunEnd> {
  const { ledger, blobs, run, settings, lab, folder, about, signal, tell, onWait, until, clock } = orchestration;
  const { leaseSeconds = usualLease, leavesShards = false, limits = usualLimits } = orchestration;
  const claim = await Claim.take({
    ledger,
    run,
    stream: streamOf.run(run),
    name: settings.name,
    actor: runActor,
    leaseSeconds,
    signal,
    ...(onWait === undefined ? {} : { onWait }),
  });
  const check = (): Promise<void> => claim.check();
  try {
    const journal = await Journal.open(run, { ledger, blobs, check });
    const course = courseOf(settings, lab);
    const reports = reportsOf(claim, ledger, run, limits);
    const having = { holder: claim.holder, leaseSeconds, leavesShards, check, reports };
    const timed = clock === undefined ? {} : { clock };
    const at = { run, settings, lab, ledger, blobs, folder, ...having, ...timed, signal, tell };
    try {
      return { ended: await loop({ journal, course, about, at }, until), history: journal.history };
    } catch (fault) {
      if (!signal.aborted && !isOfTheCaller(fault, settings)) await recordFailure(journal, course, fault);
      throw fault;
    }
  } finally {
    await claim.release();
  }
}

/** Attempts are reported in the work stream under the claim. */
export function reportsOf(claim: Claim, ledger: Ledger, run: string, limits: AttemptLimits = usualLimits): Reports {
  const board = new ShardLeases(ledger, run);
  return new Reports({
    ...{ fencingToken: claim.fencingToken, limits },
    check: async () => await claim.check(),
    finishedAt: async (stage, part) => {
      await board.read();
      return board.finishedAt(stage, part);
    },
    write: async (event) => await claim.write(event),
  });
}

function courseOf({ stages, suites, context, onError }: RunSettings, { engineer, isByHand }: Lab): Course {
  const needsNarrator = formNamed(context).modules.includes('self-summary');
  return {
    stages,
    evaluations: [validation, probeHoldout, ...suites],
    summaries: [...summaryModules, ...(needsNarrator ? ['self-summary'] : [])],
    hasContext: engineer.reads.length > 0,
    isByHand,
    keepsOnError: onError === 'keep',
  };
}

/** Another process has the run, or a person handed in a wrong checkpoint: the run itself has not failed. */
function isOfTheCaller(fault: unknown, { trainer }: RunSettings): boolean {
  return fault instanceof RunHeld || (fault instanceof UnusableCheckpoint && isExternal(trainer));
}

/** If the ledger itself fails, the failure cannot be recorded. */
async function recordFailure(journal: Journal, course: Course, fault: unknown): Promise<void> {
  const step = nextStep(journal.history, course);
  const error = fault instanceof Error ? fault : new Error(String(fault));
  const stage = step !== null && 'stage' in step ? step.stage : null;
  const failed = {
    type: 'RunFailed',
    stage,
    // Repeated failures are at different revisions.
    index: journal.history.revision + 1,
    actor: runActor,
    data: {
      reason: fault instanceof IcecoreError ? fault.kind : error.name,
      message: error.message,
      ...(step === null ? {} : { during: step.do }),
      resumable: true,
    },
  } as const;
  if (journal.history.started !== null) await journal.append(failed).catch(() => false);
}
