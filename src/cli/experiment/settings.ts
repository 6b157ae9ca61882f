// What a run is asked for, from options and a run file to settings that are whole. Options beat the file, which beats the
// defaults.
import { z } from 'zod';
import { IcecoreError, type Issue } from '../../../schemas/errors.ts';
import type { JsonSchema } from '../../../schemas/phrase.ts';
import { type RunFile, type RunSettings, runFile } from '../../../schemas/run-file.ts';
import { translate } from '../../../schemas/translate.ts';
import { withEveryFamily } from '../../lab/environments/configuration.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import { settingsWith } from '../../lab/trainers/grpo/settings.ts';
import { withStartingHyperparameters } from '../../lab/trainers/knobs.ts';
import type { Budget } from '../../lab/trainers/trainer.ts';
import { commandIn } from '../../producers/programs.ts';
import { ownPools } from '../../producers/run/opening.ts';
import { external, isExternal } from '../../producers/trainers/external.ts';
import { trainerKnobsOf } from '../../producers/trainers/knobs.ts';
import { requireAgentSteps } from '../lake/training/budget.ts';
import { jsonIn } from './json-file.ts';

export interface SettingsOptions {
  readonly file?: string;
  readonly stages?: number;
  readonly engineer?: string | string[];
  readonly context?: string;
  readonly environment?: string | string[];
  readonly config?: string;
  readonly seed?: RunSettings['seed'];
  readonly policy?: string;
  readonly trainer?: string | string[];
  readonly budget?: Budget;
  readonly suite?: readonly string[];
  readonly shards?: number;
  readonly onError?: NonNullable<RunSettings['onError']>;
  readonly record?: NonNullable<RunSettings['record']>;
  readonly name?: string;
  readonly tag?: readonly string[];
  readonly notes?: string;
}

/** A sensible experiment of a minute or two on two cores. */
const usual = {
  environment: 'lake',
  stages: 5,
  seed: 1,
  trainer: 'grpo',
  engineer: 'checkpoint',
  context: 'abstract',
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
const usualBudget = { ofLake: { 'agent-steps': 600_000 }, ofOthers: { 'agent-steps': 100_000 } } as const;
/** So many of the benchmarks that an environment lists first. */
const usualSuites = 3;

const settingNames = [
  ...([
    'file',
    'stages',
    'engineer',
    'context',
    'environment',
    'config',
    'seed',
    'policy',
    'trainer',
    'budget',
  ] as const),
  ...(['suite', 'shards', 'onError', 'record', 'name', 'tag', 'notes'] as const),
] satisfies readonly (keyof SettingsOptions)[];

/** Of the options of a command, those that set the run, and not how the command works. */
export function settingsIn(options: SettingsOptions): SettingsOptions {
  return Object.fromEntries(
    settingNames.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
}

/** What was asked for, before anything is looked at that depends on the environment. */
export function fileFrom(options: SettingsOptions, cwd: string): RunFile {
  const { file, config, budget, suite, tag, ...same } = options;
  const written = file === undefined ? {} : checkedFile(jsonIn(file, cwd, '--file'), file);
  if (budget !== undefined && !isOfProgram(options.trainer) && !isOfProgram(written.trainer)) requireAgentSteps(budget);
  return {
    ...written,
    ...same,
    ...(config === undefined ? {} : { configuration: jsonIn(config, cwd, '--config') as RunSettings['configuration'] }),
    ...(budget === undefined ? {} : { budget: { ...budget } }),
    ...(suite === undefined ? {} : { suites: [...new Set(suite)].filter((one) => one !== 'none') }),
    ...(tag === undefined ? {} : { tags: [...tag] }),
  };
}

/** What decides which knobs there are. */
export function labIn({
  environment = usual.environment,
  trainer = usual.trainer,
}: RunFile): Pick<RunSettings, 'environment' | 'trainer'> {
  return { environment, trainer };
}

/** Everything that was left out filled in. */
export function settingsFrom(file: RunFile, { start, suites, descriptor }: Environment, name: string): RunSettings {
  const isLake = descriptor.environment === usual.environment;
  const trainer = resolvedTrainer(file.trainer ?? usual.trainer);
  const configuration = withStartingHyperparameters(file.configuration ?? start, trainerKnobsOf(trainer));
  return {
    ...usual,
    policy: isLake ? 'neural' : 'policy',
    budget: { ...(isLake ? usualBudget.ofLake : usualBudget.ofOthers) },
    suites: suites
      .map((suite) => suite.name)
      .filter((suite) => !ownPools.includes(suite))
      .slice(0, usualSuites),
    tags: [],
    ...file,
    configuration: { ...withEveryFamily(descriptor, configuration, start) },
    trainer,
    name,
  };
}

/** Named with one of its hyper-parameters, it has all of them: what is recorded depends on no later default. */
function resolvedTrainer(trainer: RunSettings['trainer']): RunSettings['trainer'] {
  if (typeof trainer === 'string' || !('name' in trainer) || trainer.name === external) return trainer;
  const { name, knobs, ...given } = trainer;
  const { saveEvery: _, ...hyperparameters } = settingsWith(given);
  return { ...hyperparameters, ...(knobs === undefined ? {} : { knobs }), name };
}

function isOfProgram(trainer: RunFile['trainer']): boolean {
  return commandIn(trainer) !== null || isExternal(trainer);
}

function checkedFile(value: unknown, path: string): RunFile {
  const issues = issuesIn(value);
  const [first] = issues;
  if (first === undefined) return value as RunFile;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  const place = first.field === '' ? path : `${path}, ${first.field}`;
  throw new IcecoreError('bad-input', `${place}: found ${first.found}, allowed: ${first.allowed}${more}`, {
    facts: { path, issues },
    remedy: 'Its settings are called as the options of icecore run; docs/runs.md lists them all.',
  });
}

function issuesIn(value: unknown): readonly Issue[] {
  const findings = runFile.safeParse(value).error?.issues ?? [];
  return translate(findings, value, z.toJSONSchema(runFile) as JsonSchema);
}
