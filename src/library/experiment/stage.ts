// Drives a run whose trainer icecore does not start: advances to the next training, and records its result.
import { isDeepStrictEqual } from 'node:util';
import type { StageFinished, StageSpec } from '../../../schemas/by-hand-output.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { RunFile, RunSettings } from '../../../schemas/run-file.ts';
import { commandIn, external, isExternal, nameIn } from '../../../schemas/run-file.ts';
import { commandToContinue } from '../../base/continuing.ts';
import { shellWord } from '../../base/shell-word.ts';
import { stageOf } from '../../lab/trainers/command/open.ts';
import { isLedgerThere } from '../../ledger/open.ts';
import { nameOf } from '../../producers/history/name.ts';
import { readHistory } from '../../producers/history/reading.ts';
import type { RunHistory, StageHistory } from '../../producers/history/run-history.ts';
import type { RunEnd } from '../../producers/run/orchestrate.ts';
import type { Lab } from '../../producers/run/session.ts';
import { requestOf } from '../../producers/run/steps/train.ts';
import { openExternal } from '../../producers/trainers/trainers.ts';
import { ProgramGate } from '../consent/programs.ts';
import { defaultsIn, findConfig } from '../place/config.ts';
import { findPlace } from '../place/place.ts';
import { nextStage, type RunReference, referenceTo, type StageName, stageNamed } from '../reference.ts';
import { runNamed } from '../run-named.ts';
import type { Session } from '../session.ts';
import { advance, type ProgressOptions, type RunProgress, type RunToAdvance, type WorkOptions } from './advance.ts';
import { type OpenExperiment, withExperiment } from './open.ts';
import { newRun, progressIn, requireOpenable, requirePrograms, threadsIn } from './run.ts';
import { runFileFrom, type SettingsOptions, settingsIn, settingsOf, withDefaults } from './settings.ts';
import { type TrainingOptions, trainingOf } from './training.ts';

type StageWork = WorkOptions & ProgressOptions<RunProgress>;

/** The settings of a new run that is trained elsewhere, and how to start its stage. */
export interface StageStartOptions
  extends Omit<SettingsOptions, 'name' | 'trainer'>,
    WorkOptions,
    ProgressOptions<RunProgress> {}

/**
 * Starts a new run if settings are given and no run has the name; otherwise continues the run, and given settings must equal
 * those it started with. Advances to the next training.
 */
export async function startStage(session: Session, name?: string, options: StageStartOptions = {}): Promise<StageSpec> {
  const settings = settingsIn(options);
  const isNew = Object.keys(settings).length > 0;
  const gate = new ProgramGate(session, options);
  // Read once: a run file that is a pipe is empty the second time.
  const given = isNew ? await fileTrainedElsewhere(session, settings) : {};
  if (isNew) {
    const defaults = defaultsIn(findConfig(session));
    const file = newFile(session, name, given);
    await requirePrograms(gate, file, { options: settings, defaults, cwd: session.cwd });
    if (!(await isLedgerThere(findPlace(session).ledger.url))) {
      const environment = await requireOpenable(session, gate, file, threadsIn(options));
      await environment.close();
    }
  }
  return await withExperiment(session, { create: isNew, spendingCap: options.spendingCap }, async (experiment) => {
    const run = await runToTrain(experiment, gate, name, given);
    return await advanceToTraining(experiment, gate, run, options);
  }).catch((fault: unknown) => {
    throw isNew ? fault : withStart(fault, name);
  });
}

/** Without settings, a name that no run has may be misspelled, so no run is started; the error says how to start one. */
function withStart(fault: unknown, name = 'NAME'): unknown {
  if (!(fault instanceof IcecoreError) || !['RunNotFound', 'LedgerMissing'].includes(fault.name)) return fault;
  const { kind, message, facts, remedy, commandRemedy } = fault;
  const start = `To start a run, give at least one of its settings: icecore stage start ${shellWord(name)} --stages 3.`;
  const remedies = { remedy: `${remedy} ${start}`, commandRemedy: `${commandRemedy} ${start}` };
  return new IcecoreError(kind, message, { name: fault.name, facts, ...remedies });
}

interface RunToTrain extends RunToAdvance {
  /** The training of its last stage is recorded, and the next stage is not decided (default: false, as of a new run). */
  readonly isTrained?: boolean;
}

/** Advances to the next training, which happens elsewhere. */
export async function advanceToTraining(
  experiment: OpenExperiment,
  gate: ProgramGate,
  run: RunToTrain,
  options: StageWork,
): Promise<StageSpec> {
  const { isTrained = false } = run;
  const command = commandToContinue(run.settings.name, { isTrainedElsewhere: true, isTrained });
  const advancing = {
    ...run,
    ...progressIn(options),
    ...{ gate, threads: threadsIn(options), command },
    until: ({ do: doing }: { readonly do: string }): boolean => doing === 'train',
  };
  return await advance(experiment, advancing, (end, lab) => specOf(experiment, run, end, lab));
}

/** `given`: the settings of a new run, or those that a run must have; empty without settings. */
async function runToTrain(
  experiment: OpenExperiment,
  gate: ProgramGate,
  name: string | undefined,
  given: RunFile,
): Promise<RunToTrain> {
  const { session, ledger } = experiment;
  const isNew = Object.keys(given).length > 0;
  if (isNew) gate.remember(ledger);
  const begin = (): Promise<RunToAdvance> => newRun(experiment, gate, newFile(session, name, given));
  if (name === undefined && isNew) return await begin();
  const found = await runNamed(session, ledger, name ?? 'latest').catch((fault: unknown) => {
    if (fault instanceof IcecoreError && fault.name === 'RunNotFound' && name !== undefined && isNew) return null;
    throw fault;
  });
  // A prefix of a name can continue a run, but cannot name a new one.
  if (found === null || (isNew && found.name !== name && found.run !== name)) return await begin();
  const history = await readHistory(ledger, found.run);
  const settings = settingsOf(history);
  requireElsewhere(settings);
  const { trainer, ...same } = given;
  requireSame(settings, trainer === undefined || trainer === external ? same : given);
  gate.require(ledger, await gate.of(settings, ['environment', 'engineer', 'policy']));
  const last = history.stages.at(-1);
  const isTrained = last !== undefined && last.training !== null && last.adopted === null;
  return { run: found.run, settings, isTrained };
}

function newFile(session: Session, name: string | undefined, given: RunFile): RunFile {
  return withDefaults({ ...given, ...(name === undefined ? {} : { name }) }, defaultsIn(findConfig(session)));
}

/** A run file can list the knobs of a trainer that is started elsewhere. */
async function fileTrainedElsewhere(session: Session, options: SettingsOptions): Promise<RunFile> {
  const { trainer, ...file } = await runFileFrom(options, session);
  return { ...file, trainer: trainer !== undefined && isExternal(trainer) ? trainer : external };
}

function requireElsewhere({ name, trainer }: RunSettings): void {
  if (isExternal(trainer)) return;
  const words = commandIn(trainer)?.join(' ') ?? nameIn(trainer);
  throw new IcecoreError('usage', `${name} is trained by ${words}, not by you`, {
    facts: { name, trainer },
    remedy: `Continue with icecore resume ${shellWord(name)}`,
  });
}

/** The call may be in a loop, so settings may be repeated, but not changed. */
function requireSame(settings: RunSettings, given: Partial<RunSettings>): void {
  for (const [key, value] of Object.entries(given)) {
    const before = settings[key as keyof RunSettings];
    if (isDeepStrictEqual(before, value)) continue;
    throw new IcecoreError(
      'usage',
      `${settings.name} began with ${key} ${JSON.stringify(before)}, which cannot change: found ${JSON.stringify(value)}`,
      {
        facts: { field: key, found: value, allowed: before },
        remedy: 'Leave it out, or start a run with another name.',
      },
    );
  }
}

async function specOf(
  { ledger, blobs, folderOf }: OpenExperiment,
  { run, settings }: RunToAdvance,
  { ended, history }: RunEnd,
  lab: Lab,
): Promise<StageSpec> {
  const { name, stages } = settings;
  const stage = history.stages.at(-1);
  if (ended === 'completed' || stage === undefined) throw nothingLeft(name);
  if (stage.training !== null) throw undecided(name, stage.stage);
  const request = await requestOf({ run, settings, history, lab, ledger, blobs, folder: folderOf(run) }, stage.stage);
  const { resume: _none, ...spec } = stageOf(
    request,
    { environment: lab.environment.descriptor.environment, command: [] },
    null,
  );
  return { ...spec, run, name, stage: stage.stage, stages, resume: null } as StageSpec;
}

function nothingLeft(name: string): IcecoreError {
  return new IcecoreError('conflict', `${name} is completed: there is nothing left to train`, {
    facts: { name },
    remedy: `icecore show ${shellWord(name)} shows its results.`,
  });
}

function undecided(name: string, stage: number): IcecoreError {
  return new IcecoreError('conflict', `${name} waits for a person to decide on stage ${stage + 1}`, {
    facts: { name, stage },
    remedy: `icecore context ${shellWord(`${name}@${stage + 1}`)} shows the evidence; decide with icecore adopt.`,
  });
}

/** The result of an external training, and how the run continues with it. */
export interface StageFinishOptions
  extends TrainingOptions,
    Pick<SettingsOptions, 'onError'>,
    WorkOptions,
    ProgressOptions<RunProgress> {}

/** Records the training of the current stage, and advances the run to the next stage. */
export async function finishStage(
  session: Session,
  run: string | RunReference = 'latest',
  options: StageFinishOptions = {},
): Promise<StageFinished> {
  const { spendingCap, onError } = options;
  const reference = referenceTo(run);
  const gate = new ProgramGate(session, options);
  return await withExperiment(session, { spendingCap }, async (experiment) => {
    const { ledger, folderOf } = experiment;
    const { run: identity } = await runNamed(session, ledger, reference.run);
    const history = await readHistory(ledger, identity);
    const settings = { ...settingsOf(history), ...(onError === undefined ? {} : { onError }) };
    requireElsewhere(settings);
    const stage = stageUnderWay(history, reference.stage);
    gate.require(ledger, await gate.of(settings, ['environment', 'engineer', 'policy']));
    const training = await trainingOf(session, { settings, history, stage, folder: folderOf(identity) }, options);
    const advancing = {
      ...{ run: identity, settings, gate, threads: threadsIn(options), ...progressIn(options) },
      command: commandToContinue(settings.name, { isTrainedElsewhere: true, isTrained: true }),
      until: (step: { readonly do: string }): boolean => step.do === 'start-stage',
      trainer: openExternal(settings.name, training),
    };
    return await advance(experiment, advancing, (end) => finishedStage(end, ledger.url, stage.stage));
  });
}

/** The stage that has started and is not complete. */
function stageUnderWay(history: RunHistory, named: StageName | null): StageHistory {
  const last = history.stages.at(-1);
  const name = nameOf(history);
  if (history.completed !== null) throw over(name);
  const stage = named === null ? null : stageNamed(history, named, 'begun');
  if (last === undefined || (last.completed !== null && last.adopted !== null))
    throw notStarted(name, nextStage(history), stage);
  if (stage === null || stage === last.stage) return last;
  throw new IcecoreError('usage', `stage ${stage} of ${name} is not under way: stage ${last.stage} is`, {
    facts: { run: history.run, found: stage, allowed: last.stage },
    remedy: `icecore stage finish ${shellWord(`${name}@${last.stage}`)}`,
  });
}

/** Between two stages: `named` may be one that is finished already. */
function notStarted(name: string, next: number, named: number | null): IcecoreError {
  const isFinished = named !== null && named < next;
  const what = isFinished ? `stage ${named} of ${name} is finished, and stage ${next}` : `stage ${next} of ${name}`;
  return new IcecoreError('conflict', `${what} has not begun`, {
    facts: { name, stage: next, ...(isFinished ? { found: named } : {}) },
    remedy: `icecore stage start ${shellWord(name)} starts stage ${next} and prints what to train.`,
  });
}

function over(name: string): IcecoreError {
  return new IcecoreError('conflict', `${name} is completed`, {
    facts: { name },
    remedy: `icecore show ${shellWord(name)} shows its results.`,
  });
}

function finishedStage({ ended, history }: RunEnd, ledger: string, stage: number): StageFinished {
  const name = nameOf(history);
  const of = history.stages.find((one) => one.stage === stage);
  const completed = of?.completed?.data;
  const come = ended === 'completed' ? ended : of?.adopted === null ? 'waiting' : 'stage';
  const next = {
    completed: null,
    waiting: `icecore context ${shellWord(`${name}@${stage + 1}`)}`,
    stage: commandToContinue(name, { isTrainedElsewhere: true, isTrained: false }),
  };
  return {
    ledger,
    run: history.run,
    name,
    stage,
    ended: come,
    checkpoint: completed?.checkpoint?.reference ?? null,
    results: [...(completed?.results ?? [])],
    spent: { ...completed?.spent },
    next: next[come],
  };
}
