// What `icecore stage start` and `icecore stage finish` do, for runs that are trained outside of icecore.

import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { StageFinished, StageSpec } from '../../../../schemas/by-hand-output.ts';
import { IcecoreError } from '../../../../schemas/errors.ts';
import type { RunFile, RunSettings } from '../../../../schemas/run-file.ts';
import { realPathOf } from '../../../base/real-path.ts';
import { visible } from '../../../base/visible.ts';
import { neuralComponent } from '../../../lab/policies/neural/neural.ts';
import type { Checkpoint } from '../../../lab/policies/policy.ts';
import { Misspoken, type Snapshot, savedFrom } from '../../../lab/trainers/command/messages.ts';
import { stageOf } from '../../../lab/trainers/command/open.ts';
import type { Budget, Signal, Trained } from '../../../lab/trainers/trainer.ts';
import { isLedgerThere } from '../../../ledger/open.ts';
import { findRun, RunNotFound } from '../../../ledger/runs.ts';
import { shellWord } from '../../../ledger/shell-word.ts';
import { ProgramGate, type ProgramOptions } from '../../../library/consent/programs.ts';
import { fileFrom, type SettingsOptions, settingsIn } from '../../../library/experiment/settings.ts';
import { type Workshop, withWorkshop } from '../../../library/experiment/workshop.ts';
import { findPlace } from '../../../library/place/place.ts';
import type { RunReference } from '../../../library/reference.ts';
import { nameOf } from '../../../producers/by-hand/asking.ts';
import { type Told, toldIn, toldNothing } from '../../../producers/by-hand/told.ts';
import { readHistory } from '../../../producers/history/reading.ts';
import type { RunHistory, StageHistory } from '../../../producers/history/run-history.ts';
import { commandIn, nameIn } from '../../../producers/programs.ts';
import type { Conducted } from '../../../producers/run/orchestrate.ts';
import type { Lab } from '../../../producers/run/session.ts';
import { requestOf } from '../../../producers/run/steps/train.ts';
import {
  anyCheckpoint,
  external,
  isExternal,
  openExternal,
  ownCheckpoint,
} from '../../../producers/trainers/trainers.ts';
import type { Context } from '../../context.ts';
import { misused } from '../../values.ts';
import {
  asked,
  type Begun,
  type Carrying,
  carryOn,
  requireAsked,
  requireOpenable,
  settingsOf,
  showRun,
} from '../run.ts';

function requireElsewhere({ name, trainer }: RunSettings): void {
  if (isExternal(trainer)) return;
  const words = commandIn(trainer)?.join(' ') ?? nameIn(trainer);
  throw new IcecoreError('usage', `${name} is trained by ${words}, not by you`, {
    facts: { name, trainer },
    remedy: `Go on with icecore resume ${shellWord(name)}`,
  });
}

interface HandedOptions {
  readonly checkpoint?: string;
  readonly curve?: string;
  readonly spent?: Budget;
  readonly signal?: readonly Signal[];
}

interface At {
  /** Where the training was to leave what it leaves. */
  readonly folder: string;
  /** Of the environment; null where they do not matter. */
  readonly families: readonly string[] | null;
  /** Who is trained. */
  readonly policy: string | undefined;
}

function handsIn({ checkpoint, curve, spent, signal }: HandedOptions): boolean {
  return [checkpoint, curve, spent, signal].some((option) => option !== undefined);
}

/** What is typed beats what the trainer told. */
async function handedIn(context: Context, options: HandedOptions, { name }: RunSettings, at: At): Promise<Trained> {
  const { cwd } = context.io;
  const { left, ...told } = options.curve === undefined ? toldNothing : await toldIn(options.curve, cwd);
  const { spent = told.spent, signal = told.signal } = options;
  for (const { family } of options.signal ?? []) requireFamily(family, at);
  const step = told.curve.at(-1)?.step;
  const found =
    options.checkpoint === undefined
      ? await saidToBe(left, at, step ?? 0, name)
      : await named(context, options.checkpoint, at);
  const checkpoint = step === undefined || found.step !== undefined ? found : { ...found, step };
  return { ...told, spent, signal, checkpoint };
}

function requireFamily(family: string | null, { families }: At): void {
  if (family === null || families === null || families.includes(family)) return;
  throw misused('--signal', family, `the families ${families.join(', ')}`, { known: families });
}

async function named({ io, say }: Context, word: string, { policy }: At): Promise<Checkpoint> {
  if (policy === neuralComponent) return await ownCheckpoint(word, io.cwd);
  const checkpoint = await anyCheckpoint(word, io.cwd);
  const isName = checkpoint.digest === undefined && checkpoint.reference === word;
  if (isName && /[/\\]/.test(word) && !word.includes('://')) {
    await say(`there is no file or folder ${resolve(io.cwd, word)}: ${word} is taken for a name that a server knows`);
  }
  return checkpoint;
}

async function saidToBe(left: Told['left'], { folder, policy }: At, step: number, run: string): Promise<Checkpoint> {
  if (left === null) {
    throw new IcecoreError('usage', `nothing says what the training of ${run} left`, {
      facts: { field: '--checkpoint' },
      remedy: 'Name it with --checkpoint: a file, a folder, or a name that a server knows.',
    });
  }
  const isNeural = policy === neuralComponent;
  const path = pathIn(left, isNeural);
  if (path !== null) requireInside(path, folder);
  try {
    const { checkpoint } = await savedFrom(left, folder, step);
    if (!isNeural) return checkpoint;
    const own = await ownCheckpoint(checkpoint.reference, folder);
    requireInside(own.reference, folder);
    return own;
  } catch (fault) {
    if (!(fault instanceof Misspoken)) throw fault;
    throw new IcecoreError('bad-input', `--curve: the checkpoint that is told of there: ${fault.message}`, {
      facts: { field: '--curve', left },
      remedy: 'Name the one that is meant with --checkpoint.',
      cause: fault,
    });
  }
}

/** The file that it would be read from; null for a name that a server knows. What has a digest is read where it is a file. */
function pathIn(left: Snapshot, isNeural: boolean): string | null {
  if ('file' in left) return left.file;
  if (left.digest !== undefined && existsSync(left.reference)) return resolve(left.reference);
  return isNeural ? left.reference : null;
}

/**
 * What is left in the folder of the stage is a checkpoint; whoever wrote the lines could name any other file of the user's,
 * which would become a blob. Throws where the real path is elsewhere.
 */
function requireInside(path: string, folder: string): void {
  const [real, inside] = [realPathOf(resolve(folder, path)), realPathOf(folder)];
  if (real.startsWith(`${inside}${sep}`)) return;
  throw new IcecoreError('bad-input', `--curve: the checkpoint that it names, ${real}, is not in ${inside}`, {
    facts: { field: '--curve', found: real, allowed: inside },
    remedy: 'If it is the one that is meant, name it yourself: --checkpoint FILE',
  });
}

interface StageStartOptions extends Omit<SettingsOptions, 'name' | 'trainer'>, ProgramOptions {
  readonly jobs?: number;
  readonly spendingCap?: number;
}

export async function stageStart(
  context: Context,
  named: string | undefined,
  options: StageStartOptions,
): Promise<number> {
  const { jobs: threads = availableParallelism(), spendingCap: cap = null } = options;
  const settings = settingsIn(options);
  const isNew = Object.keys(settings).length > 0;
  const gate = new ProgramGate(context.session, options);
  if (isNew) requireAsked(gate, newFile(context, named, settings), settings, context.io.cwd);
  if (isNew && !(await isLedgerThere(findPlace(context.session).ledger.url))) {
    const environment = await requireOpenable(context, gate, newFile(context, named, settings), threads);
    await environment.close();
  }
  return await withWorkshop(context.session, { create: isNew, cap }, async (workshop) => {
    const begun = await begunAs(context, workshop, gate, named, settings);
    return await started(context, workshop, begun, { threads, gate });
  });
}

/** Up to the next training, which is somebody else's. */
export async function started(
  context: Context,
  workshop: Workshop,
  begun: Begun,
  manner: Pick<Carrying, 'threads' | 'gate'>,
): Promise<number> {
  const again = `icecore stage start ${shellWord(begun.settings.name)}`;
  const until = ({ do: doing }: { readonly do: string }): boolean => doing === 'train';
  return await carryOn(context, workshop, { ...begun, ...manner, again, until }, async (done, lab) => {
    const spec = await specOf(workshop, begun, done, lab);
    await context.printJson(spec);
    const { name, stage, stages } = spec;
    await context.hint(
      `stage ${stage} of ${stages}: train it, then icecore stage finish ${shellWord(name)} --checkpoint FILE`,
    );
    return 0;
  });
}

async function begunAs(
  context: Context,
  workshop: Workshop,
  gate: ProgramGate,
  named: string | undefined,
  options: SettingsOptions,
): Promise<Begun> {
  const { ledger } = workshop;
  const isNew = Object.keys(options).length > 0;
  if (isNew) gate.remember(ledger);
  if (named === undefined && isNew) return await asked(context, workshop, gate, newFile(context, named, options));
  const found = await findRun(ledger, named ?? 'latest').catch((fault: unknown) => {
    if (fault instanceof RunNotFound && named !== undefined && isNew) return null;
    throw fault;
  });
  // A beginning of a name is enough to go on with a run, and no name for another one.
  const isThere = found !== null && (!isNew || found.name === named || found.run === named);
  if (!isThere || found === null) {
    return await asked(context, workshop, gate, newFile(context, named, options));
  }
  const settings = settingsOf(await readHistory(ledger, found.run));
  requireElsewhere(settings);
  const { trainer, ...typed } = fileTrainedElsewhere(context, options);
  requireSame(settings, trainer === undefined || trainer === external ? typed : { ...typed, trainer });
  gate.require(ledger, gate.of(settings, ['environment', 'engineer', 'policy']));
  return { run: found.run, settings, about: {} };
}

function newFile(context: Context, named: string | undefined, options: SettingsOptions): RunFile {
  return fileTrainedElsewhere(context, { ...options, ...(named === undefined ? {} : { name: named }) });
}

/** A run file can say which knobs a trainer offers that is started elsewhere. */
function fileTrainedElsewhere({ io }: Context, options: SettingsOptions): RunFile {
  const file = fileFrom({ ...options, trainer: external }, io.cwd);
  const { file: path } = options;
  const written = path === undefined ? undefined : fileFrom({ file: path }, io.cwd).trainer;
  return written !== undefined && isExternal(written) ? { ...file, trainer: written } : file;
}

/** The same command may stand in a loop: what it asks for is what the run began with. */
function requireSame(settings: RunSettings, typed: Partial<RunSettings>): void {
  for (const [key, value] of Object.entries(typed)) {
    const before = settings[key as keyof RunSettings];
    if (isDeepStrictEqual(before, value)) continue;
    throw new IcecoreError(
      'usage',
      `${settings.name} began with ${key} ${JSON.stringify(before)}, and goes on with it: found ${JSON.stringify(value)}`,
      {
        facts: { field: key, found: value, allowed: before },
        remedy: 'Leave it out, or give another name to another run.',
      },
    );
  }
}

async function specOf(
  { ledger, blobs, folderOf }: Workshop,
  { run, settings, about: _ }: Begun,
  { ended, history }: Conducted,
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
  return new IcecoreError('conflict', `${name} is completed: nothing is left to train`, {
    facts: { name },
    remedy: `icecore show ${shellWord(name)} shows what came of it.`,
  });
}

function undecided(name: string, stage: number): IcecoreError {
  return new IcecoreError('conflict', `${name} waits for a person to decide on stage ${stage + 1}`, {
    facts: { name, stage },
    remedy: `icecore context ${shellWord(`${name}@${stage}`)} shows what an engineer is shown; decide with icecore adopt.`,
  });
}

interface StageFinishOptions extends HandedOptions, ProgramOptions {
  readonly onError?: NonNullable<RunSettings['onError']>;
  readonly jobs?: number;
  readonly spendingCap?: number;
}

export async function stageFinish(
  context: Context,
  named: RunReference | undefined,
  options: StageFinishOptions,
): Promise<number> {
  const { spendingCap: cap = null, jobs: threads = availableParallelism(), onError } = options;
  const reference = named ?? { run: 'latest', stage: null };
  const gate = new ProgramGate(context.session, options);
  return await withWorkshop(context.session, { create: false, cap }, async (workshop) => {
    const { ledger, folderOf } = workshop;
    const { run } = await findRun(ledger, reference.run);
    const history = await readHistory(ledger, run);
    const settings = { ...settingsOf(history), ...(onError === undefined ? {} : { onError }) };
    requireElsewhere(settings);
    const stage = underWay(history, reference.stage);
    gate.require(ledger, gate.of(settings, ['environment', 'engineer', 'policy']));
    const trained = await trainedBy(context, { options, settings, history, stage, folder: folderOf(run) });
    const until = (step: { readonly do: string }): boolean => step.do === 'start-stage';
    const again = `icecore stage finish ${shellWord(settings.name)}`;
    const carrying = {
      run,
      settings,
      about: {},
      threads,
      gate,
      again,
      until,
      trainer: openExternal(settings.name, trained),
    };
    return await carryOn(context, workshop, carrying, async (done) => await tell(context, workshop, done, stage.stage));
  });
}

/** The stage that has begun and is not over. */
function underWay(history: RunHistory, asked: number | null): StageHistory {
  const last = history.stages.at(-1);
  const name = nameOf(history);
  if (last === undefined || (last.completed !== null && last.adopted !== null))
    throw notStarted(name, last?.stage ?? 0);
  if (history.completed !== null) throw over(name);
  if (asked === null || asked === last.stage) return last;
  throw new IcecoreError('usage', `stage ${asked} of ${name} is not under way: stage ${last.stage} is`, {
    facts: { run: history.run, found: asked, allowed: last.stage },
    remedy: `icecore stage finish ${shellWord(`${name}@${last.stage}`)}`,
  });
}

interface Handing {
  readonly options: HandedOptions;
  readonly settings: RunSettings;
  readonly history: RunHistory;
  readonly stage: StageHistory;
  readonly folder: string;
}

/** Null where it was handed in before: what follows was stopped then, and goes on. */
async function trainedBy(context: Context, handing: Handing): Promise<Trained | null> {
  const { options, settings, history, stage } = handing;
  const folder = resolve(handing.folder, `stage-${stage.stage}`);
  if (stage.training === null) {
    const families = history.started?.data.descriptor?.families.map(({ family }) => family) ?? [];
    const at = { folder, families, policy: history.started?.data.policy?.name };
    return await handedIn(context, options, settings, at);
  }
  if (!handsIn(options)) return null;
  const given = await handedIn(context, options, settings, { folder, families: null, policy: undefined });
  const before = stage.training.data.checkpoint ?? null;
  const isSame = (given.checkpoint?.digest ?? given.checkpoint?.reference) === (before?.digest ?? before?.reference);
  if (isSame) return null;
  throw new IcecoreError('conflict', `the training of stage ${stage.stage} of ${settings.name} was handed in before`, {
    facts: { run: history.run, stage: stage.stage, found: given.checkpoint, recorded: before },
    remedy: `Go on with what was: icecore stage finish ${shellWord(settings.name)}`,
  });
}

function notStarted(name: string, stage: number): IcecoreError {
  return new IcecoreError('conflict', `stage ${stage + 1} of ${name} has not begun`, {
    facts: { name, stage: stage + 1 },
    remedy: `icecore stage start ${shellWord(name)} begins it, and prints what is to be trained.`,
  });
}

function over(name: string): IcecoreError {
  return new IcecoreError('conflict', `${name} is completed`, {
    facts: { name },
    remedy: `icecore show ${shellWord(name)} shows what came of it.`,
  });
}

async function tell(context: Context, { ledger }: Workshop, done: Conducted, stage: number): Promise<number> {
  const result = resultOf(done, ledger.url, stage);
  if (context.flags.json) {
    await context.printJson(result);
    return 0;
  }
  if (result.ended === 'completed') return await showRun(context, result.name);
  const { name, next } = result;
  const what = result.ended === 'waiting' ? 'a person is to decide how it goes on' : `stage ${stage + 1} is due`;
  await context.print(`stage ${stage} of ${visible(name)} is over; ${what}\n`);
  if (next !== null) await context.hint(`next: ${next}`);
  return 0;
}

function resultOf({ ended, history }: Conducted, ledger: string, stage: number): StageFinished {
  const name = nameOf(history);
  const of = history.stages.find((one) => one.stage === stage);
  const completed = of?.completed?.data;
  const come = ended === 'completed' ? ended : of?.adopted === null ? 'waiting' : 'stage';
  const next = {
    completed: null,
    waiting: `icecore context ${shellWord(`${name}@${stage}`)}`,
    stage: `icecore stage start ${shellWord(name)}`,
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
