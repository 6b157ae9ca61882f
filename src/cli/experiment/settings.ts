// What a run is asked for, from options and a run file to settings that are whole. Options beat the file, which beats the
// defaults.
import { z } from 'zod';
import { IcecoreError, type Issue } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import type { JsonSchema } from '../../../schemas/phrase.ts';
import { type OnError, onErrors, type RunFile, type RunSettings, runFile } from '../../../schemas/run-file.ts';
import { translate } from '../../../schemas/translate.ts';
import { withEveryFamily } from '../../lab/environments/configuration.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import { settingsWith } from '../../lab/trainers/grpo/settings.ts';
import { withStartingHyperparameters } from '../../lab/trainers/knobs.ts';
import { commandIn } from '../../producers/programs.ts';
import { ownPools } from '../../producers/run/opening.ts';
import { recordings } from '../../producers/run/recording.ts';
import { external, isExternal } from '../../producers/trainers/external.ts';
import { trainerKnobsOf } from '../../producers/trainers/knobs.ts';
import { wholeNumber } from '../lake/numbers.ts';
import { budgetFrom } from '../lake/training/budget.ts';
import { checkedTag } from '../tags.ts';
import { jsonIn } from './json-file.ts';
import { namesProgram, wordsIn } from './words.ts';

export interface SettingsOptions {
  readonly file?: string;
  readonly stages?: string;
  readonly engineer?: string;
  readonly context?: string;
  readonly environment?: string;
  readonly config?: string;
  readonly seed?: string;
  readonly policy?: string;
  readonly trainer?: string;
  readonly budget?: string;
  readonly suite?: readonly string[];
  readonly shards?: string;
  readonly onError?: string;
  readonly record?: string;
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

/** What was asked for, before anything is looked at that depends on the environment. */
export function fileFrom(options: SettingsOptions, cwd: string): RunFile {
  const written = options.file === undefined ? {} : checkedFile(jsonIn(options.file, cwd, '--file'), options.file);
  const { stages, engineer, context, environment, config, seed, policy, trainer, budget, suite } = options;
  const { shards, record, onError, name, tag, notes } = options;
  const isForProgram = trainer !== undefined && (namesProgram(trainer) || trainer === external);
  const typed = {
    ...(stages === undefined ? {} : { stages: wholeNumber('--stages', stages, { from: 1, to: 16383 }) }),
    ...(engineer === undefined ? {} : { engineer: nameOrProgram(engineer, '--engineer') }),
    ...(context === undefined ? {} : { context }),
    ...(environment === undefined ? {} : { environment: nameOrProgram(environment, '--environment') }),
    ...(config === undefined ? {} : { configuration: jsonIn(config, cwd, '--config') as RunSettings['configuration'] }),
    ...(seed === undefined ? {} : { seed: seedFrom(seed) }),
    ...(policy === undefined ? {} : { policy }),
    ...(trainer === undefined ? {} : { trainer: nameOrProgram(trainer, '--trainer') }),
    ...(budget === undefined
      ? {}
      : { budget: { ...budgetFrom(budget, isForProgram || isOfProgram(written.trainer)) } }),
    ...(suite === undefined ? {} : { suites: [...new Set(suite)].filter((one) => one !== 'none') }),
    ...(shards === undefined ? {} : { shards: wholeNumber('--shards', shards, { from: 1, to: 1000 }) }),
    ...(onError === undefined ? {} : { onError: onErrorFrom(onError) }),
    ...(record === undefined ? {} : { record: recordingFrom(record) }),
    ...(name === undefined ? {} : { name }),
    ...(tag === undefined ? {} : { tags: tag.map(checkedTag) }),
    ...(notes === undefined ? {} : { notes }),
  };
  return { ...written, ...typed };
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

/** Of one word, a name; else a program with its arguments. */
export function nameOrProgram(text: string, field: string): string | string[] {
  return namesProgram(text) ? [...wordsIn(text, field)] : text.trim();
}

export function onErrorFrom(text: string): OnError {
  const onError = onErrors.find((one) => one === text);
  if (onError !== undefined) return onError;
  const near = nearestNames(text, onErrors);
  throw new IcecoreError('usage', `--on-error: found "${text}", allowed: ${onErrors.join(', ')}`, {
    facts: { field: '--on-error', found: text, allowed: onErrors, nearest: near },
    remedy: near.length === 0 ? '' : `Did you mean ${near.join(' or ')}?`,
  });
}

function recordingFrom(text: string): NonNullable<RunSettings['record']> {
  const found = recordings.find((one) => one === text);
  if (found !== undefined) return found;
  throw new IcecoreError('usage', `--record: found "${text}", allowed: ${recordings.join(', ')}`, {
    facts: { field: '--record', found: text },
  });
}

function seedFrom(text: string): RunSettings['seed'] {
  const digits = text.replaceAll('_', '');
  if (!/^-?(0|[1-9][0-9]{0,38})$/.test(digits)) {
    throw new IcecoreError('usage', `--seed: found "${text}", allowed: a whole number`, {
      facts: { field: '--seed', found: text },
    });
  }
  return Number.isSafeInteger(Number(digits)) ? Number(digits) : digits;
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
