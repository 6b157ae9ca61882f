// What `icecore stage start` does: records what is due before a training, and prints what is to be trained. Asked again, it
// prints the same.

import { availableParallelism } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import type { StageSpec } from '../../../../schemas/by-hand-output.ts';
import { IcecoreError } from '../../../../schemas/errors.ts';
import type { RunFile, RunSettings } from '../../../../schemas/run-file.ts';
import { stageOf } from '../../../lab/trainers/command/open.ts';
import { isLedgerThere } from '../../../ledger/open.ts';
import { findRun, RunNotFound } from '../../../ledger/runs.ts';
import { shellWord } from '../../../ledger/shell-word.ts';
import type { Conducted } from '../../../producers/run/conduct.ts';
import type { Lab } from '../../../producers/run/lab.ts';
import { readHistory } from '../../../producers/run/reading.ts';
import { requestOf } from '../../../producers/run/steps/train.ts';
import { external, isExternal } from '../../../producers/trainers/external.ts';
import { ProgramGate, type ProgramOptions } from '../../consent/programs.ts';
import type { Context } from '../../context.ts';
import { findPlace } from '../../home.ts';
import { type Begun, type Carrying, carryOn } from '../carry-on.ts';
import { asked, requireAsked, requireOpenable, settingsOf } from '../run.ts';
import { fileFrom, type SettingsOptions, settingsIn } from '../settings.ts';
import { type Workshop, withWorkshop } from '../workshop.ts';
import { requireElsewhere } from './elsewhere.ts';

export interface StageStartOptions extends Omit<SettingsOptions, 'name' | 'trainer'>, ProgramOptions {
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
  const gate = new ProgramGate(context, options);
  if (isNew) requireAsked(gate, newFile(context, named, settings), settings, context.io.cwd);
  if (isNew && !(await isLedgerThere(findPlace(context.io, context.flags).ledger.url))) {
    const environment = await requireOpenable(context, gate, newFile(context, named, settings), threads);
    await environment.close();
  }
  return await withWorkshop(context, { create: isNew, cap }, async (workshop) => {
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
