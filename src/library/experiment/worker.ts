// Does rollouts of a run that another process orchestrates, until the run is completed.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { WorkResult } from '../../../schemas/work-result.ts';
import { BlobMissing } from '../../ledger/blobs/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { findRun, RunNotFound } from '../../ledger/runs.ts';
import { requireSameEnvironment } from '../../producers/by-hand/forking.ts';
import { readHistory } from '../../producers/history/reading.ts';
import type { RunHistory } from '../../producers/history/run-history.ts';
import { withRecorded } from '../../producers/models/recorded.ts';
import { environmentOf } from '../../producers/run/opening.ts';
import { openPlayers, work as takePart, type WorkProgress } from '../../producers/run/shards/worker.ts';
import { ProgramGate } from '../consent/programs.ts';
import { blobsUrl } from '../opening/blobs.ts';
import { projectModels } from '../opening/models.ts';
import { runNamed } from '../run-named.ts';
import type { Session } from '../session.ts';
import type { ProgressOptions, WorkOptions } from './advance.ts';
import { type OpenExperiment, withExperiment } from './open.ts';
import { leaseIn, threadsIn } from './run.ts';
import { settingsOf } from './settings.ts';

/** The progress of a worker. */
export type WorkerProgress =
  /** There is no run of this name yet; the worker waits for it. */
  { readonly kind: 'no-run'; readonly name: string } | WorkProgress;

/** How a worker takes part in a run. */
export interface WorkerOptions extends WorkOptions, ProgressOptions<WorkerProgress> {
  /** Wait until the run starts. */
  readonly wait?: boolean;
  /** Lease timeout: seconds after which others take over a silent shard (default 60). */
  readonly leaseSeconds?: number;
}

/** Takes free shards of the run, one after another, until the run is completed. */
export async function work(session: Session, named = 'latest', options: WorkerOptions = {}): Promise<WorkResult> {
  const { spendingCap, wait = false } = options;
  const gate = new ProgramGate(session, options);
  return await withExperiment(session, { spendingCap }, async (experiment) => {
    const { ledger } = experiment;
    const { run, name } = await (wait
      ? runOnceBegun(session, ledger, named, options)
      : runNamed(session, ledger, named));
    const done = await shareRollouts(experiment, gate, await readHistory(ledger, run), options);
    return { ledger: ledger.url, run, name, ...done };
  });
}

async function runOnceBegun(
  { signal }: Session,
  ledger: Ledger,
  named: string,
  { onProgress }: WorkerOptions,
): ReturnType<typeof findRun> {
  let isSaid = false;
  for await (const { kind } of ledger.subscribe({ types: ['RunStarted'], signal })) {
    if (kind !== 'caught-up') continue;
    try {
      const found = await findRun(ledger, named);
      // Do not join another run whose name only starts with this one.
      if (named === 'latest' || named === found.name || named === found.run) return found;
    } catch (fault) {
      if (!(fault instanceof RunNotFound)) throw fault;
    }
    if (!isSaid) await onProgress?.({ kind: 'no-run', name: named });
    isSaid = true;
  }
  throw stopped(signal.reason);
}

async function shareRollouts(
  experiment: OpenExperiment,
  gate: ProgramGate,
  history: RunHistory,
  options: WorkerOptions,
): Promise<Pick<WorkResult, 'shards' | 'events' | 'lost'>> {
  const { session, ledger, blobs, folderOf } = experiment;
  const { cwd, signal } = session;
  const { registry } = await session.plugins.all();
  const { onProgress = () => {} } = options;
  const leaseSeconds = leaseIn(options);
  const settings = settingsOf(history);
  requireShards(history, settings);
  const { allow } = gate;
  gate.require(ledger, await gate.of(settings, ['environment']));
  const entries = withRecorded(experiment.entries, history.started?.data.policy);
  const recorded = experiment.entries.has(settings.policy) ? undefined : entries.get(settings.policy);
  if (recorded !== undefined) projectModels(session, ledger.url).permit(recorded);
  const models = experiment.modelsOf(entries);
  const environment = await environmentOf(settings, { allow, registry }, signal);
  const done = { shards: 0, events: 0, lost: 0 };
  const tell = async (progress: WorkProgress): Promise<void> => {
    if (progress.kind === 'shard-completed') {
      done.shards += 1;
      done.events += progress.events;
    }
    if (progress.kind === 'shard-lost') done.lost += 1;
    await onProgress(progress);
  };
  try {
    requireSameEnvironment(history, environment, cwd);
    const lab = await openPlayers(settings, environment, {
      ...{ cwd, entries, models, allow, registry },
      threads: threadsIn(options),
    });
    const folder = folderOf(history.run);
    await takePart({ ledger, blobs, history, settings, lab, folder, leaseSeconds, signal, tell });
    return done;
  } catch (fault) {
    if (signal.aborted) throw stopped(signal.reason);
    throw fault instanceof BlobMissing ? checkpointElsewhere(session, fault) : fault;
  } finally {
    await environment.close();
  }
}

function requireShards({ run }: RunHistory, { name, shards = 1 }: ReturnType<typeof settingsOf>): void {
  if (shards > 1) return;
  throw new IcecoreError('unsupported', `run ${name} is not split into shards, so workers have nothing to do`, {
    facts: { run, shards },
    remedy: 'A run is split when it starts: icecore run --shards 8.',
  });
}

function stopped(reason: unknown): IcecoreError {
  return new IcecoreError('interrupted', `stopped by ${reason}; completed shards are kept`, {
    remedy: 'Others can take over its unfinished shard.',
  });
}

/** The orchestrator stored it in its own blobs, which are not those of this machine. */
function checkpointElsewhere(session: Session, fault: BlobMissing): IcecoreError {
  const { digest, facts } = fault;
  return new IcecoreError('not-found', `the checkpoint ${digest} is not in ${blobsUrl(session)}`, {
    facts,
    cause: fault,
    remedy: 'Use the blobs of the orchestrator: ICECORE_BLOBS=s3://BUCKET/PREFIX, or "blobs" in icecore.config.json.',
  });
}
