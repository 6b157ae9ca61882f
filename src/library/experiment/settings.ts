// The settings of a run: options override the run file, which overrides the defaults of the project, which override icecore's.
import { z } from 'zod';
import type { JsonSchema } from '../../../schemas/describe-schema.ts';
import { found, furtherIssues, IcecoreError, type Issue } from '../../../schemas/errors.ts';
import { isObject } from '../../../schemas/json-text.ts';
import type { ReadonlyDeep } from '../../../schemas/readonly.ts';
import { nameIn, type RunFile, type RunSettings, runFile, runSettings } from '../../../schemas/run-file.ts';
import { translate } from '../../../schemas/translate.ts';
import { joinWithAnd } from '../../base/name-lists.ts';
import { withEveryFamily } from '../../lab/environments/configuration.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import type { EnvironmentEntry, Registry } from '../../lab/registry.ts';
import { checkHyperparameters, usualHyperparameters, withStartingHyperparameters } from '../../lab/trainers/knobs.ts';
import type { Budget } from '../../lab/trainers/trainer.ts';
import type { RunHistory } from '../../producers/history/run-history.ts';
import { ownPools } from '../../producers/run/opening.ts';
import { hyperparametersOf, registeredIn, trainerKnobsOf } from '../../producers/trainers/trainers.ts';
import type { FoundDefaults } from '../place/config.ts';
import type { Session } from '../session.ts';
import { budgetText } from './budget.ts';
import { jsonIn } from './json-file.ts';

type Settings = ReadonlyDeep<RunSettings>;

/** The settings of a run, with the names used in a run file. All are optional. */
export interface SettingsOptions {
  /** A run file: these settings as JSON. Options override it. */
  readonly file?: string;
  /** The environment: `lake`, by its name or with more knobs, or a program with its arguments (default `lake`). */
  readonly environment?: Settings['environment'];
  /** Configuration of the first stage (default: the environment's start configuration). */
  readonly configuration?: Settings['configuration'];
  /** Number of stages (default 5). */
  readonly stages?: number;
  /** Training budget of a stage, by unit: `{ 'agent-steps': 400_000 }` (default 600,000 agent steps on the lake). */
  readonly budget?: Settings['budget'];
  /** Random seed (default 1). */
  readonly seed?: Settings['seed'];
  /** What to train: `neural`, `base`, a checkpoint or a model (default `neural`). */
  readonly policy?: string;
  /** The trainer: `grpo`, by its name or with hyper-parameters, or a program with its arguments (default `grpo`). */
  readonly trainer?: Settings['trainer'];
  /** The engineer, which redesigns the environment: a name, a model, or a program with its arguments (default `checkpoint`). */
  readonly engineer?: Settings['engineer'];
  /** What the engineer is shown: a form, or modules joined by `+` (default `combined`). */
  readonly context?: string;
  /** Maximum length of a context in tokens; 0 is unlimited (default 6000). */
  readonly contextTokens?: number;
  /** Benchmark suites to measure after every stage (default: the first three of the environment). */
  readonly suites?: readonly string[];
  /** Number of validation tasks (default 400). */
  readonly validation?: number;
  /** Number of probe tasks in each cell (default 2). */
  readonly perCell?: number;
  /** Number of rollouts of each probe task (default 2). */
  readonly samples?: number;
  /** Number of tasks, drawn like training tasks, to try for evidence (default 200). */
  readonly trained?: number;
  /** Number of shards that workers can share (default 1). */
  readonly shards?: Settings['shards'];
  /** Rollouts to record: `all`, `evaluation` (not training) or `sample` (default `all`). */
  readonly record?: Settings['record'];
  /** Number of rollouts that a context shows (default 8). */
  readonly exemplars?: number;
  /** When an engineer fails: `stop`, `retry` or `keep` the configuration (default `stop`). */
  readonly onError?: Settings['onError'];
  /** Name of the run (default: two words). */
  readonly name?: string;
  readonly tags?: readonly string[];
  /** Purpose of the run. */
  readonly notes?: Settings['notes'];
}

/** An experiment of a minute or two on two cores. */
const usual = {
  environment: 'lake',
  stages: 5,
  seed: 1,
  trainer: 'grpo',
  engineer: 'checkpoint',
  context: 'combined',
  validation: 400,
  perCell: 2,
  samples: 2,
  trained: 200,
  shards: 1,
  record: 'all',
  exemplars: 8,
  contextTokens: 6000,
  onError: 'stop',
} as const;
const defaultBudget = { 'agent-steps': 100_000 };
/** The number of default benchmarks: the first ones of the environment. */
const defaultSuites = 3;

const settingNames: readonly (keyof SettingsOptions)[] = ['file', ...runSettings.keyof().options];

/** The options of a verb that are settings of the run. */
export function settingsIn(options: SettingsOptions): SettingsOptions {
  return Object.fromEntries(
    settingNames.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
}

/** The settings from options and their run file, before the environment is known. */
export async function runFileFrom(options: SettingsOptions, place: Pick<Session, 'cwd' | 'signal'>): Promise<RunFile> {
  const { file, ...given } = settingsIn(options);
  const written = file === undefined ? {} : checkedFile(await jsonIn(file, place, '--file'), file);
  const { budget, suites, ...same } = checkedOptions(given);
  return {
    ...written,
    ...same,
    ...(budget === undefined ? {} : { budget }),
    ...(suites === undefined ? {} : { suites: [...new Set(suites)] }),
  };
}

/** For a new run: project defaults apply where options and the run file are silent. */
export function withDefaults(file: RunFile, defaults: FoundDefaults | null): RunFile {
  return { ...defaults?.settings, ...file };
}

/** Names and configurations have their own checks. */
const settingsOfOptions = runFile.omit({ name: true, configuration: true });

/** A copy: later changes to the caller's object change no run. */
function checkedOptions(given: Omit<SettingsOptions, 'file'>): RunFile {
  const { name: _, configuration: __, ...checked } = given;
  const [first] = issuesIn(settingsOfOptions, checked);
  if (first === undefined) return structuredClone(given) as RunFile;
  const { field, found, allowed } = first;
  throw new IcecoreError('usage', `${field}: found ${found}, allowed: ${allowed}`, {
    facts: { field, found, allowed },
  });
}

/**
 * The environment and the trainer, which determine the knobs. An environment may name a default trainer. Throws on unknown
 * hyper-parameters and knobs, and on values out of range.
 */
export function labIn(file: RunFile, registry: Registry): Pick<RunSettings, 'environment' | 'trainer'> {
  const { environment = usual.environment } = file;
  const entry = registry.environments.get(nameIn(environment) ?? '');
  const { trainer = usualTraining(entry).trainer } = file;
  const [issue] = [...unknownKnobs(environment, entry), ...badHyperparameters(trainer, registry)];
  if (issue === undefined) return { environment, trainer };
  throw new IcecoreError('bad-input', `${issue.field}: found ${issue.found}, allowed: ${issue.allowed}`, {
    facts: { issues: [issue] },
  });
}

function unknownKnobs(environment: RunSettings['environment'], entry: EnvironmentEntry | undefined): readonly Issue[] {
  if (entry === undefined || !isObject(environment)) return [];
  return unknownNames('environment.knobs', environment.knobs, entry.optionalKnobs ?? []);
}

function badHyperparameters(trainer: RunSettings['trainer'], { trainers }: Registry): readonly Issue[] {
  const registered = registeredIn(trainer);
  const entry = trainers.get(registered?.name ?? '');
  if (registered === null || entry === undefined) return [];
  const { hyperparameters = {} } = entry;
  return [
    ...checkHyperparameters(hyperparametersOf(trainer), hyperparameters),
    ...unknownNames('trainer.knobs', registered.knobs ?? [], Object.keys(hyperparameters)),
  ];
}

function unknownNames(field: string, given: readonly string[], known: readonly string[]): readonly Issue[] {
  const allowed =
    known.length === 0 ? 'none, it has none' : `one of ${known.map((name) => JSON.stringify(name)).join(', ')}`;
  return given.flatMap((name, i) =>
    known.includes(name) ? [] : [{ field: `${field}[${i}]`, found: found(name), allowed }],
  );
}

/** What trains on an environment by default, and for how long. */
export function usualTraining(entry: EnvironmentEntry | undefined): {
  readonly trainer: string;
  readonly budget: Budget;
} {
  return { trainer: entry?.usual?.trainer ?? usual.trainer, budget: entry?.usual?.budget ?? defaultBudget };
}

/** Fills in the defaults. */
export function settingsFrom(
  file: RunFile,
  { start, suites, descriptor }: Environment,
  name: string,
  registry: Registry,
): RunSettings {
  const entry = registry.environments.get(descriptor.environment);
  const policy = entry?.usual?.policy ?? 'policy';
  const trainer = resolvedTrainer(labIn(file, registry).trainer, registry);
  const configuration = withStartingHyperparameters(file.configuration ?? start, trainerKnobsOf(trainer, registry));
  return {
    ...usual,
    policy,
    budget: { ...usualTraining(entry).budget },
    suites: suites
      .map((suite) => suite.name)
      .filter((suite) => !ownPools.includes(suite))
      .slice(0, defaultSuites),
    tags: [],
    ...file,
    configuration: { ...withEveryFamily(descriptor, configuration, start) },
    trainer,
    name,
  };
}

/** With all its hyper-parameters, so that recorded settings do not depend on later defaults. */
function resolvedTrainer(trainer: RunSettings['trainer'], { trainers }: Registry): RunSettings['trainer'] {
  const registered = registeredIn(trainer);
  if (registered === null) return trainer;
  const { hyperparameters = {} } = trainers.get(registered.name) ?? {};
  return { ...usualHyperparameters(hyperparameters), ...registered };
}

function checkedFile(value: unknown, path: string): RunFile {
  const issues = issuesIn(runFile, value);
  const [first, ...more] = issues;
  if (first === undefined) return value as RunFile;
  const place = first.field === '' ? path : `${path}, ${first.field}`;
  throw new IcecoreError(
    'bad-input',
    `${place}: found ${first.found}, allowed: ${first.allowed}${furtherIssues(more)}`,
    {
      facts: { path, issues },
      remedy: 'docs/runs.md lists the settings of a run file, and the option of icecore run that each belongs to.',
    },
  );
}

function issuesIn(schema: z.ZodObject, value: unknown): readonly Issue[] {
  const findings = schema.safeParse(value).error?.issues ?? [];
  return translate(findings, value, z.toJSONSchema(schema) as JsonSchema);
}

/** The settings that icecore recorded with a run; null if another program recorded it. */
export function recordedSettings({ started }: RunHistory): RunSettings | null {
  return runSettings.safeParse(started?.data.options).data ?? null;
}

/** The same. Throws if another program recorded the run. */
export function settingsOf(history: RunHistory): RunSettings {
  const { run: identity, started } = history;
  const recorded = recordedSettings(history);
  if (recorded !== null) return recorded;
  throw new IcecoreError('unsupported', `run ${started?.data.name ?? identity} was not made by icecore run`, {
    facts: { run: identity },
    remedy: 'Only a run that icecore itself started can be resumed, forked, replayed or decided on.',
  });
}

/** A registered trainer may count in some units only; a program counts in its own. Throws a usage error. */
export function requireUnits(
  budget: Budget | null | undefined,
  { environment, trainer }: Pick<RunSettings, 'environment' | 'trainer'>,
  { trainers }: Pick<Registry, 'trainers'>,
): void {
  const name = nameIn(trainer) ?? '';
  const { units, environments } = trainers.get(name) ?? {};
  const [first] = units ?? [];
  if (budget == null || units === undefined || first === undefined) return;
  // A trainer of other environments is the fault to report, when it is opened.
  if (environments?.includes(nameIn(environment) ?? '') === false) return;
  if (Object.keys(budget).every((unit) => units.includes(unit))) return;
  const found = budgetText(budget);
  const only = units.length === 1 ? 'the only unit' : 'the units';
  throw new IcecoreError(
    'usage',
    `--budget: found "${found}", allowed: ${joinWithAnd(units)}, ${only} of the trainer ${name}`,
    {
      facts: { field: '--budget', found, allowed: units },
      remedy: `For example: --budget ${first === 'agent-steps' ? '400k' : `${first}=50`}. A program that counts otherwise must be named: --trainer "python3 train.py".`,
    },
  );
}
