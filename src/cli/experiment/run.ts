// What `icecore run` and `icecore resume` do. Mistakes in the settings are found before anything is written.

import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { type ErrorKind, IcecoreError } from '../../../schemas/errors.ts';
import { type RunFile, type RunSettings, runSettings } from '../../../schemas/run-file.ts';
import type { RunResult } from '../../../schemas/run-result.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import type { Trainer } from '../../lab/trainers/trainer.ts';
import { newRunId } from '../../ledger/identity/ids.ts';
import { findRun } from '../../ledger/runs.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import { ProgramGate, type ProgramOptions } from '../../library/consent/programs.ts';
import { aboutHere } from '../../library/experiment/about.ts';
import {
  checkedName,
  fileFrom,
  labIn,
  nameFor,
  namesTaken,
  type SettingsOptions,
  settingsFrom,
  settingsIn,
} from '../../library/experiment/settings.ts';
import { type Workshop, withWorkshop } from '../../library/experiment/workshop.ts';
import { projectModels } from '../../library/opening/models.ts';
import { requireSameEnvironment } from '../../producers/by-hand/forking.ts';
import { readHistory } from '../../producers/history/reading.ts';
import type { RunHistory } from '../../producers/history/run-history.ts';
import { Models } from '../../producers/models/models.ts';
import { EngineerErrored } from '../../producers/proposals/asking.ts';
import type { Step } from '../../producers/run/next.ts';
import { environmentOf, openLab } from '../../producers/run/opening.ts';
import { type Conducted, conduct, usualLease } from '../../producers/run/orchestrate.ts';
import type { Lab, RunProgress } from '../../producers/run/session.ts';
import type { About } from '../../producers/run/steps/bounds.ts';
import { isExternal, TrainedElsewhere } from '../../producers/trainers/trainers.ts';
import type { Context } from '../context.ts';
import { RunWatch } from './watch.ts';

export async function showRun({ flags, io, invoke }: Context, name: string): Promise<number> {
  const same = [...(flags.ledger === undefined ? [] : ['--ledger', flags.ledger]), ...(flags.quiet ? ['--quiet'] : [])];
  return await invoke(['show', name, ...same], io);
}

/** A run that is to begin, or to go on. */
export interface Begun {
  readonly run: string;
  readonly settings: RunSettings;
  readonly about: About;
  /** Where it is open already: it is closed with the lab. */
  readonly environment?: Environment;
}

export interface Carrying extends Begun {
  /** What the run names has passed it. */
  readonly gate: ProgramGate;
  readonly threads: number;
  readonly leaseSeconds?: number;
  /** The shards of rollouts are left to workers. */
  readonly leavesShards?: boolean;
  /** Who trains, where it is not whom the settings name. */
  readonly trainer?: Trainer;
  /** Ends before such a step is taken. */
  readonly until?: (step: Step) => boolean;
  /** The command that goes on with it once it was stopped. */
  readonly again: string;
}

/** `then` is told where it came to, while its lab is still open. */
export async function carryOn<Result>(
  context: Context,
  workshop: Workshop,
  carrying: Carrying,
  then: (done: Conducted, lab: Lab) => Promise<Result>,
): Promise<Result> {
  const { ledger, blobs, entries, models, folderOf } = workshop;
  const { run, settings, about, threads, trainer, until, again, leaseSeconds, leavesShards } = carrying;
  const { io, signal } = context;
  const { allow } = carrying.gate;
  const environment = carrying.environment ?? (await environmentOf(settings, allow, signal));
  const opened = await openLab(settings, environment, { cwd: io.cwd, entries, models, allow, threads });
  const lab = trainer === undefined ? opened : { ...opened, trainer };
  const there = await readHistory(ledger, run);
  const watch = new RunWatch(context, settings, lab.environment.descriptor, there);
  let hasBegun = there.started !== null;
  const tell = async (progress: RunProgress): Promise<void> => {
    if (progress.kind === 'decided') hasBegun = true;
    await watch.tell(progress);
  };
  try {
    requireSameEnvironment(there, lab.environment);
    const done = await conduct({
      ...{ ledger, blobs, run, settings, lab, folder: folderOf(run), signal },
      about: { ...(await aboutHere()), ...about },
      tell,
      onWait: watch.wait,
      ...(until === undefined ? {} : { until }),
      ...(leaseSeconds === undefined ? {} : { leaseSeconds }),
      ...(leavesShards === undefined ? {} : { leavesShards }),
    });
    await watch.end();
    return await then(done, lab);
  } catch (fault) {
    if (signal.aborted) throw stopped(signal.reason, settings.name, again);
    throw hasBegun ? toGoOn(fault, again) : fault;
  } finally {
    await watch.end();
    await opened.close();
  }
}

function stopped(reason: unknown, name: string, again: string): IcecoreError {
  return new IcecoreError('interrupted', `stopped by ${reason}; what was recorded stays`, {
    facts: { name },
    remedy: `Go on with: ${again}`,
  });
}

const passing: readonly ErrorKind[] = ['storage', 'unavailable', 'interrupted'];
/** The same command again would begin another run. */
const sameAgain = /,? and run the same again\b.*$/;

/** What passes, or can be put right: the run goes on from what was recorded. */
export function toGoOn(fault: unknown, again: string): unknown {
  if (!(fault instanceof IcecoreError) || !passing.includes(fault.kind)) return fault;
  const { kind, message, facts, remedy } = fault;
  const first = remedy.replace(sameAgain, '.');
  const keeping = isOfEngineer(fault, again) ? `, or with the configuration it has: ${again} --on-error keep` : '';
  const both = [...(first === '' ? [] : [first]), `Go on with: ${again}${keeping}`].join(' ');
  return new IcecoreError(kind, message, { facts, remedy: both, cause: fault });
}

/** Only a run can go on without its engineer. */
function isOfEngineer(fault: IcecoreError, again: string): boolean {
  return fault instanceof EngineerErrored && again.startsWith('icecore ');
}

interface GoingOptions extends ProgramOptions {
  readonly jobs?: number;
  readonly spendingCap?: number;
  readonly workersOnly?: true;
  /** In seconds. */
  readonly lease?: number;
}

interface RunOptions extends SettingsOptions, GoingOptions {}

interface ResumeOptions extends GoingOptions, Pick<SettingsOptions, 'onError'> {}

export async function run(context: Context, options: RunOptions): Promise<number> {
  const { spendingCap: cap = null } = options;
  const settings = settingsIn(options);
  const manner = mannerFrom(options);
  const gate = new ProgramGate(context.session, options);
  const file = fileFrom(settings, context.io.cwd);
  if (isExternal(file.trainer)) throw new TrainedElsewhere(null);
  requireSomethingLeft(manner, file);
  requireAsked(gate, file, settings, context.io.cwd);
  const environment = await requireOpenable(context, gate, file, manner.threads);
  try {
    return await withWorkshop(context.session, { create: true, cap }, async (workshop) => {
      gate.remember(workshop.ledger);
      const begun = await asked(context, workshop, gate, file, environment);
      return await conducted(context, workshop, begun, { ...manner, gate });
    });
  } finally {
    await environment.close();
  }
}

export async function resume(context: Context, named: string, options: ResumeOptions): Promise<number> {
  const { spendingCap: cap = null, onError } = options;
  const gate = new ProgramGate(context.session, options);
  return await withWorkshop(context.session, { create: false, cap }, async (workshop) => {
    const given = onError === undefined ? {} : { onError };
    return await resumed(context, workshop, named, { ...mannerFrom(options), gate, ...given });
  });
}

/** What a run is carried on with, and what changes nothing of what comes out. */
type Manner = Pick<Carrying, 'threads' | 'leaseSeconds' | 'leavesShards' | 'gate'>;

/** What the user typed may run; what only the run file names needs consent. Throws UntrustedPrograms. */
export function requireAsked(gate: ProgramGate, asked: RunFile, options: SettingsOptions, cwd: string): void {
  const isTyped = (name: 'environment' | 'trainer' | 'engineer' | 'policy'): boolean =>
    options.file === undefined || options[name] !== undefined;
  const { environment, trainer, engineer, policy } = asked;
  gate.type([
    ...(isTyped('environment') ? [environment] : []),
    ...(isTyped('trainer') ? [trainer] : []),
    ...(isTyped('engineer') ? [engineer] : []),
  ]);
  if (isTyped('policy')) gate.typeFile(policy);
  if (options.file !== undefined) gate.requireRunFile(resolve(cwd, options.file), asked);
}

function mannerFrom({ jobs, lease, workersOnly }: GoingOptions): Omit<Manner, 'gate'> {
  return {
    threads: jobs ?? availableParallelism(),
    leaseSeconds: lease ?? usualLease,
    leavesShards: workersOnly === true,
  };
}

/** There is nothing that could be left to workers in one piece. */
function requireSomethingLeft(
  { leavesShards }: Omit<Manner, 'gate'>,
  { shards = 1 }: Pick<RunSettings, 'shards'>,
): void {
  if (leavesShards !== true || shards > 1) return;
  throw new IcecoreError('usage', 'run: --workers-only, and the rollouts are done in one piece', {
    facts: { command: 'run', option: 'workers-only', shards },
    remedy: 'Split them: icecore run --shards 8 --workers-only. A run is split when it begins.',
  });
}

/** Opens all that is asked for, so that nothing is made for a run that cannot begin. The environment stays open. */
export async function requireOpenable(
  { io, signal }: Context,
  { allow }: ProgramGate,
  file: RunFile,
  threads: number,
): Promise<Environment> {
  const { cwd } = io;
  if (file.name !== undefined) checkedName(file.name, new Map());
  const { entries, permit } = projectModels(io);
  const models = new Models({ entries, environment: io.env, permit });
  const environment = await environmentOf(labIn(file), allow, signal);
  try {
    const staying = { ...environment, close: async () => {} };
    const lab = await openLab(settingsFrom(file, environment, ''), staying, { cwd, entries, models, allow, threads });
    await lab.close();
    return environment;
  } catch (fault) {
    await environment.close();
    throw fault;
  } finally {
    await models.close();
  }
}

/** A run that does not exist yet, with its environment: as it was opened, or opened now. */
export async function asked(
  context: Context,
  { ledger }: Workshop,
  { allow }: ProgramGate,
  file: RunFile,
  opened?: Environment,
): Promise<Begun> {
  const taken = await namesTaken(ledger);
  const identity = newRunId();
  const name = file.name === undefined ? nameFor(identity, taken) : checkedName(file.name, taken);
  const environment = opened ?? (await environmentOf(labIn(file), allow, context.signal));
  return { run: identity, settings: settingsFrom(file, environment, name), about: {}, environment };
}

/** As it was asked for when it began. Of one that is completed, what came of it is told, and nothing is opened. */
async function resumed(
  context: Context,
  workshop: Workshop,
  named: string,
  { onError, ...manner }: Manner & Pick<RunSettings, 'onError'>,
): Promise<number> {
  const { ledger } = workshop;
  const { run: identity } = await findRun(ledger, named);
  const history = await readHistory(ledger, identity);
  const settings = { ...settingsOf(history), ...(onError === undefined ? {} : { onError }) };
  if (history.completed !== null) {
    await context.say(`${settings.name} was completed before: nothing is left to do`);
    return await tell(context, { ended: 'completed', history }, ledger.url);
  }
  if (isExternal(settings.trainer)) throw new TrainedElsewhere(settings.name);
  requireSomethingLeft(manner, settings);
  await manner.gate.require(ledger, manner.gate.of(settings, ['environment', 'trainer', 'engineer', 'policy']));
  return await conducted(context, workshop, { run: identity, settings, about: {} }, manner);
}

export function settingsOf({ run: identity, started }: RunHistory): RunSettings {
  const read = runSettings.safeParse(started?.data.options);
  if (read.success) return read.data;
  throw new IcecoreError('unsupported', `run ${started?.data.name ?? identity} was not made by icecore run`, {
    facts: { run: identity },
    remedy: 'Only runs that icecore itself began go on.',
  });
}

export async function conducted(context: Context, workshop: Workshop, begun: Begun, manner: Manner): Promise<number> {
  const { name } = begun.settings;
  const again = `icecore resume ${shellWord(name)}`;
  if (manner.leavesShards) await context.hint(`its rollouts are left to workers: icecore worker ${shellWord(name)}`);
  return await carryOn(
    context,
    workshop,
    { ...begun, ...manner, again },
    async (done) => await tell(context, done, workshop.ledger.url),
  );
}

async function tell(context: Context, { ended, history }: Conducted, ledger: string): Promise<number> {
  const result = resultOf(history, ended, ledger);
  if (context.flags.json) {
    await context.printJson(result);
    return 0;
  }
  await showRun(context, result.name);
  if (ended === 'waiting') await sayWaiting(context, result);
  return 0;
}

async function sayWaiting({ say, hint }: Context, { name, stages }: RunResult): Promise<void> {
  await say(`${name} waits for a decision after stage ${stages}`);
  await hint(
    `icecore context ${shellWord(`${name}@${stages}`)} shows what an engineer would see; decide with icecore adopt,`,
  );
  await hint(`then continue with icecore resume ${shellWord(name)}`);
}

function resultOf(
  { run: identity, started, stages, completed }: RunHistory,
  ended: Conducted['ended'],
  ledger: string,
): RunResult {
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
