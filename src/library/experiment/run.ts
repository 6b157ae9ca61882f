// Starts or resumes a run. Mistakes in the settings are found before anything is written.
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { RunDefaults } from '../../../schemas/config.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { commandIn, isExternal, nameIn, type RunFile, type RunSettings } from '../../../schemas/run-file.ts';
import type { RunResult } from '../../../schemas/run-result.ts';
import { count } from '../../base/quantity.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import { type Registry, trainableOn } from '../../lab/registry.ts';
import { newRunId } from '../../ledger/identity/ids.ts';
import { readHistory } from '../../producers/history/reading.ts';
import { Models } from '../../producers/models/models.ts';
import { environmentOf, openLab } from '../../producers/run/opening.ts';
import { usualLease } from '../../producers/run/orchestrate.ts';
import type { Lab } from '../../producers/run/session.ts';
import { TrainedElsewhere } from '../../producers/trainers/trainers.ts';
import { ProgramGate } from '../consent/programs.ts';
import { projectModels } from '../opening/models.ts';
import { checkedNumber } from '../option-error.ts';
import { defaultsIn, type FoundDefaults, findConfig } from '../place/config.ts';
import { runNamed } from '../run-named.ts';
import type { Session } from '../session.ts';
import {
  type Advance,
  advance,
  type ProgressOptions,
  type RunProgress,
  type RunToAdvance,
  runResultOf,
  type WorkOptions,
} from './advance.ts';
import { checkedName, nameFor, namesTaken } from './names.ts';
import { type OpenExperiment, withExperiment } from './open.ts';
import {
  labIn,
  requireUnits,
  runFileFrom,
  type SettingsOptions,
  settingsFrom,
  settingsOf,
  withDefaults,
} from './settings.ts';

/** How a run is orchestrated. */
export interface OrchestrationOptions extends WorkOptions, ProgressOptions<RunProgress> {
  /** Leave all rollouts to workers. */
  readonly workersOnly?: boolean;
  /** Lease timeout: seconds after which others take over a silent shard (default 60). */
  readonly leaseSeconds?: number;
}

/** The settings of a new run, and how it is executed. */
export interface RunOptions extends SettingsOptions, OrchestrationOptions {}

/** Runs an experiment to its end, or until a person has to decide. */
export async function run(session: Session, options: RunOptions = {}): Promise<RunResult> {
  const gate = new ProgramGate(session, options);
  const defaults = defaultsIn(findConfig(session));
  const file = withDefaults(await runFileFrom(options, session), defaults);
  if (isExternal(file.trainer)) throw new TrainedElsewhere(null);
  requireShards(options, file);
  leaseIn(options);
  await requirePrograms(gate, file, { options, defaults, cwd: session.cwd });
  const { registry } = await session.plugins.all();
  requireUnits(options.budget, labIn(file, registry), registry);
  const environment = await requireOpenable(session, gate, file, threadsIn(options));
  try {
    return await withExperiment(session, { create: true, spendingCap: options.spendingCap }, async (experiment) => {
      gate.remember(experiment.ledger);
      return await advanceToEnd(experiment, gate, await newRun(experiment, gate, file, environment), options);
    });
  } finally {
    await environment.close();
  }
}

/** How to resume a run. Its settings do not change. */
export interface ResumeOptions extends OrchestrationOptions, Pick<SettingsOptions, 'onError'> {}

/** Resumes a run with its original settings. Does nothing for a completed run. */
export async function resume(session: Session, named = 'latest', options: ResumeOptions = {}): Promise<RunResult> {
  const { onError, spendingCap } = options;
  const gate = new ProgramGate(session, options);
  return await withExperiment(session, { spendingCap }, async (experiment) => {
    const { ledger } = experiment;
    const { run: identity } = await runNamed(session, ledger, named);
    const history = await readHistory(ledger, identity);
    const settings = { ...settingsOf(history), ...(onError === undefined ? {} : { onError }) };
    if (history.completed !== null) return runResultOf({ ended: 'completed', history }, ledger.url);
    if (isExternal(settings.trainer)) throw new TrainedElsewhere(settings.name);
    requireShards(options, settings);
    gate.require(ledger, await gate.of(settings, ['environment', 'trainer', 'engineer', 'policy']));
    return await advanceToEnd(experiment, gate, { run: identity, settings }, options);
  });
}

export async function advanceToEnd(
  experiment: OpenExperiment,
  gate: ProgramGate,
  run: RunToAdvance,
  options: OrchestrationOptions,
): Promise<RunResult> {
  const { workersOnly = false } = options;
  const advancing: Advance = {
    ...run,
    ...progressIn(options),
    ...{ gate, leaseSeconds: leaseIn(options), threads: threadsIn(options), leavesShards: workersOnly },
    command: `icecore resume ${shellWord(run.settings.name)}`,
  };
  return await advance(experiment, advancing, (end) => runResultOf(end, experiment.ledger.url));
}

export function threadsIn({ jobs = availableParallelism() }: Pick<WorkOptions, 'jobs'>): number {
  return checkedNumber('jobs', jobs, { from: 1, to: 1024 });
}

/** Of a claim, in seconds. */
export function leaseIn({ leaseSeconds = usualLease }: Pick<OrchestrationOptions, 'leaseSeconds'>): number {
  return checkedNumber('leaseSeconds', leaseSeconds, { from: 0.5, to: 86_400, isWhole: false });
}

export function progressIn<Progress>({ onProgress }: ProgressOptions<Progress>): ProgressOptions<Progress> {
  return onProgress === undefined ? {} : { onProgress };
}

/** The sources of the settings of a new run. */
interface SettingsSources {
  readonly options: SettingsOptions;
  readonly defaults: FoundDefaults | null;
  /** The folder for the path of a run file. */
  readonly cwd: string;
}

/**
 * Programs in options are the caller's own; those that only a run file or project settings name need consent.
 * Throws UntrustedPrograms.
 */
export async function requirePrograms(
  gate: ProgramGate,
  settings: RunFile,
  { options, defaults, cwd }: SettingsSources,
): Promise<void> {
  const { environment, trainer, engineer, policy } = settings;
  const used = Object.entries(defaults?.settings ?? {}).filter(
    ([name, value]) =>
      options[name as keyof RunDefaults] === undefined && settings[name as keyof RunDefaults] === value,
  );
  const usedDefaults: RunFile = Object.fromEntries(used);
  const isOption = (name: 'environment' | 'trainer' | 'engineer' | 'policy'): boolean =>
    options[name] !== undefined || (options.file === undefined && usedDefaults[name] === undefined);
  gate.takeOwn([
    ...(isOption('environment') ? [environment] : []),
    ...(isOption('trainer') ? [trainer] : []),
    ...(isOption('engineer') ? [engineer] : []),
  ]);
  if (isOption('policy')) gate.takeOwnFile(policy);
  if (defaults !== null) await gate.requireRunFile(defaults.path, usedDefaults);
  if (options.file !== undefined) await gate.requireRunFile(resolve(cwd, options.file), settings);
}

/** Without shards, there is nothing to leave to workers. */
function requireShards(
  { workersOnly = false }: OrchestrationOptions,
  { shards = 1 }: Pick<RunSettings, 'shards'>,
): void {
  if (!workersOnly || shards > 1) return;
  throw new IcecoreError('usage', 'run: --workers-only needs a run that is split into shards', {
    facts: { command: 'run', option: 'workers-only', shards },
    remedy: 'Use icecore run --shards 8 --workers-only. A run is split when it starts.',
  });
}

/** Opens everything that the settings name, so that a run that cannot start creates nothing. The environment stays open. */
export async function requireOpenable(
  session: Session,
  { allow }: ProgramGate,
  file: RunFile,
  threads: number,
): Promise<Environment> {
  const { cwd, env, signal } = session;
  const { registry } = await session.plugins.all();
  if (file.name !== undefined) checkedName(file.name, new Map());
  const { entries, permit } = projectModels(session);
  const models = new Models({ entries, environment: env, permit });
  const environment = await environmentOf(labIn(file, registry), { allow, registry }, signal);
  try {
    const staying = { ...environment, close: async () => {} };
    const surroundings = { cwd, entries, models, allow, registry, threads };
    const settings = settingsFrom(file, environment, '', registry);
    const lab = await openLab(settings, staying, surroundings);
    await lab.close();
    requireItsPolicy(settings, lab, registry);
    return environment;
  } catch (fault) {
    await environment.close();
    throw fault;
  } finally {
    await models.close();
  }
}

/** An environment names its usual policy and the trainer that trains it: for any other policy, that trainer is a mistake. */
function requireItsPolicy(
  { trainer, policy }: RunSettings,
  { environment, learner }: Pick<Lab, 'environment' | 'learner'>,
  { environments }: Registry,
): void {
  const name = nameIn(trainer);
  const usual = environments.get(environment.descriptor.environment)?.usual;
  if (name === null || usual?.policy === undefined || usual.trainer !== name) return;
  const isOther = learner.model !== null || (learner.isRegistered && learner.component.name !== usual.policy);
  if (!isOther) return;
  throw new IcecoreError('usage', `the trainer ${name} trains the policy ${usual.policy}, not ${policy}`, {
    facts: { field: 'trainer', found: name, policy, trains: usual.policy },
    remedy: `Name a program that trains ${policy}: --trainer "python3 train.py". Or leave out --policy to train ${usual.policy}.`,
  });
}

/** A run that is not recorded yet, with its environment, opened here unless given. */
export async function newRun(
  { session, ledger }: OpenExperiment,
  { allow }: ProgramGate,
  file: RunFile,
  opened?: Environment,
): Promise<RunToAdvance> {
  const { signal } = session;
  const { registry } = await session.plugins.all();
  const taken = await namesTaken(ledger);
  const run = newRunId();
  const name = file.name === undefined ? nameFor(run, taken) : checkedName(file.name, taken);
  const environment = opened ?? (await environmentOf(labIn(file, registry), { allow, registry }, signal));
  const settings = settingsFrom(file, environment, name, registry);
  for (const text of [ownFormatOnly(settings, registry), tooLittle(settings, registry)])
    if (text !== null) await session.notify({ kind: 'note', text });
  return { run, settings, environment };
}

/** A smaller part of the usual budget is over after a few updates. */
const leastPart = 1 / 100;

/** A warning before trainings that are far too short for anything to be learned; null if they are not. */
function tooLittle({ environment, trainer, budget }: RunSettings, registry: Registry): string | null {
  const usual = registry.environments.get(nameIn(environment) ?? '')?.usual;
  if (usual?.budget === undefined || usual.trainer !== nameIn(trainer)) return null;
  const small = Object.entries(usual.budget).find(([unit, amount]) => (budget[unit] ?? amount) < leastPart * amount);
  if (small === undefined) return null;
  const [unit, amount] = small;
  return (
    `a budget of ${count(budget[unit] ?? 0)} ${unit} per stage is too small to learn anything; ` +
    `the default is ${count(amount)}`
  );
}

/** A warning before a training whose checkpoint the environment may not be able to play; null if there is none. */
function ownFormatOnly({ environment, policy, trainer }: RunSettings, registry: Registry): string | null {
  if (commandIn(trainer) === null && !isExternal(trainer)) return null;
  const name = nameIn(environment) ?? '';
  const own = trainableOn(registry, name).find((one) => one.name === policy || policy === 'base');
  if (own === undefined) return null;
  return (
    `${name} plays only checkpoints of the policy ${own.name}, so ${isExternal(trainer) ? 'your training' : 'this trainer'} has to write these; for another policy, ` +
    'name an environment that plays it (--environment) or a model (--policy)'
  );
}
