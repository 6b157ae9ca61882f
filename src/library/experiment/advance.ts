// Advances a run from its recorded state: opens its lab, performs the next steps, and says how to resume a stopped run.

import type { Descriptor } from '../../../schemas/environment.ts';
import { type ErrorKind, IcecoreError } from '../../../schemas/errors.ts';
import type { RunSettings } from '../../../schemas/run-file.ts';
import type { RunResult } from '../../../schemas/run-result.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import { ModelFault } from '../../lab/models/faults.ts';
import type { Trainer } from '../../lab/trainers/trainer.ts';
import { requireSameEnvironment } from '../../producers/by-hand/forking.ts';
import { programsChanged } from '../../producers/history/program-files.ts';
import { readHistory } from '../../producers/history/reading.ts';
import type { RunHistory } from '../../producers/history/run-history.ts';
import { programFiles } from '../../producers/programs.ts';
import { EngineerErrored } from '../../producers/proposals/asking.ts';
import type { Step } from '../../producers/run/next.ts';
import { environmentOf, openLab } from '../../producers/run/opening.ts';
import { orchestrate, type RunEnd } from '../../producers/run/orchestrate.ts';
import type { Lab, RunProgress as StepProgress } from '../../producers/run/session.ts';
import type { RunFacts } from '../../producers/run/steps/bounds.ts';
import type { ProgramGate, ProgramOptions } from '../consent/programs.ts';
import { noticingHolder } from '../session.ts';
import type { OpenExperiment } from './open.ts';
import { runtimeInfo } from './runtime.ts';

/** The progress of a run. */
export type RunProgress =
  /** The lab is open and work starts; `history` is the recorded state of the run. */
  | {
      readonly kind: 'opened';
      readonly settings: RunSettings;
      readonly descriptor: Descriptor;
      readonly history: RunHistory;
    }
  /** The new run shares the stages before `stage` with another run, and decides that stage again. */
  | { readonly kind: 'forked'; readonly name: string; readonly from: { readonly name: string; readonly stage: number } }
  | StepProgress;

export interface ProgressOptions<Progress> {
  /** Called with the progress. Work waits for the promise it returns. */
  readonly onProgress?: (progress: Progress) => void | Promise<void>;
}

/** How a verb works. None of this changes the result. */
export interface WorkOptions extends ProgramOptions {
  /** Number of threads (default one per core). */
  readonly jobs?: number;
  /** Stop when the total cost of all model calls exceeds this. */
  readonly spendingCap?: number;
}

/** A run to start or resume. */
export interface RunToAdvance {
  readonly run: string;
  readonly settings: RunSettings;
  readonly parent?: NonNullable<RunFacts['parent']>;
  /** The environment, if open already; it is closed with the lab. */
  readonly environment?: Environment;
}

export interface Advance extends RunToAdvance, ProgressOptions<RunProgress> {
  /** Has already allowed the programs of the run. */
  readonly gate: ProgramGate;
  readonly threads: number;
  readonly leaseSeconds?: number;
  /** Leave shards of rollouts to workers. */
  readonly leavesShards?: boolean;
  /** The trainer, if not the one in the settings. */
  readonly trainer?: Trainer;
  /** Stop before such a step. */
  readonly until?: (step: Step) => boolean;
  /** The command that resumes the run. */
  readonly command: string;
}

/** `resultOf` is called while the lab is still open. */
export async function advance<Result>(
  experiment: OpenExperiment,
  options: Advance,
  resultOf: (end: RunEnd, lab: Lab) => Promise<Result> | Result,
): Promise<Result> {
  const { session, ledger, blobs, entries, models, folderOf } = experiment;
  const { run, settings, parent, threads, trainer, until, command, leaseSeconds, leavesShards } = options;
  const { onProgress = () => {} } = options;
  const { cwd, signal } = session;
  const { registry } = await session.plugins.all();
  const { allow } = options.gate;
  const environment = options.environment ?? (await environmentOf(settings, { allow, registry }, signal));
  const opened = await openLab(settings, environment, { cwd, entries, models, allow, registry, threads });
  const lab = trainer === undefined ? opened : { ...opened, trainer };
  /** Null until the history is read. */
  let hasBegun: boolean | null = null;
  const tell = async (progress: StepProgress): Promise<void> => {
    if (progress.kind === 'decided') hasBegun = true;
    await onProgress(progress);
  };
  const programs = () => programFiles(settings, cwd);
  try {
    const history = await readHistory(ledger, run);
    hasBegun = history.started !== null;
    requireSameEnvironment(history, lab.environment, cwd);
    for (const text of programsChanged(history, settings, await programs())) {
      await session.notify({ kind: 'note', text });
    }
    await onProgress({ kind: 'opened', settings, descriptor: lab.environment.descriptor, history });
    const end = await orchestrate({
      ...{ ledger, blobs, run, settings, lab, folder: folderOf(run), signal },
      about: { ...(await runtimeInfo()), programs, ...(parent === undefined ? {} : { parent }) },
      tell,
      onWait: noticingHolder(session),
      ...(until === undefined ? {} : { until }),
      ...(leaseSeconds === undefined ? {} : { leaseSeconds }),
      ...(leavesShards === undefined ? {} : { leavesShards }),
    });
    return await resultOf(end, lab);
  } catch (fault) {
    if (signal.aborted) {
      const isNothingThere = hasBegun === false && (await readHistory(ledger, run)).started === null;
      throw stopped(signal.reason, settings.name, isNothingThere ? null : command);
    }
    throw hasBegun === true ? withCommand(fault, command) : fault;
  } finally {
    await opened.close();
  }
}

/** `command`: the one that continues the run; null: nothing is recorded. */
function stopped(reason: unknown, name: string, command: string | null): IcecoreError {
  const what = command === null ? 'nothing was recorded' : 'everything recorded so far is kept';
  return new IcecoreError('interrupted', `stopped by ${reason}; ${what}`, {
    facts: { name },
    remedy: command === null ? '' : `Continue with: ${command}`,
    cause: reason,
  });
}

const passing: readonly ErrorKind[] = ['storage', 'unavailable', 'interrupted'];
/** Repeating the command would start another run. */
const sameAgain = /,? and run the same (?:command )?again\b.*$/;

/** Adds the command that resumes the run to the remedy of a fault that is temporary or can be fixed. */
export function withCommand(fault: unknown, command: string): unknown {
  if (!(fault instanceof IcecoreError) || !(fault instanceof ModelFault || passing.includes(fault.kind))) return fault;
  const { kind, message, facts, remedy } = fault;
  const first = remedy.replace(sameAgain, '.');
  const keeping = isOfEngineer(fault, command) ? `, or with the current configuration: ${command} --on-error keep` : '';
  const both = [...(first === '' ? [] : [first]), `Continue with: ${command}${keeping}`].join(' ');
  return new IcecoreError(kind, message, { facts, remedy: both, cause: fault });
}

/** Only a run can continue without its engineer. */
function isOfEngineer(fault: IcecoreError, command: string): boolean {
  return fault instanceof EngineerErrored && command.startsWith('icecore ');
}

export function runResultOf({ ended, history }: RunEnd, ledger: string): RunResult {
  const { run: identity, started, stages, completed } = history;
  const last = stages.findLast((stage) => stage.completed !== null)?.completed?.data;
  return {
    ledger,
    run: identity,
    name: started?.data.name ?? identity,
    ended,
    stages: stages.length,
    checkpoint: last?.checkpoint?.reference ?? null,
    results: [...(last?.results ?? [])],
    spent: completed?.data.spent ?? {},
  };
}
