// The settings of a run, as a file: every setting under the name of its option. A run records its resolved settings, so that
// the record of one run can be used as the file of another.
import { z } from 'zod';
import { isObject } from './json-text.ts';
import { amounts, count, details, hyperparameterName, name, wideInteger } from './primitives.ts';

const words = z.array(z.string().min(1)).min(1).describe('a program and its arguments, without a shell');

/** What to do when an engineer cannot answer. */
const onErrors = ['stop', 'retry', 'keep'] as const;

export type OnError = (typeof onErrors)[number];

/** A hyper-parameter that a trainer offers to the engineer, beside the knobs of the environment. */
const trainerKnob = z
  .strictObject({
    name: hyperparameterName,
    meaning: z.string().min(1),
    range: z.strictObject({ min: z.number(), max: z.number() }),
    step: z.number().positive().describe('the smallest meaningful change'),
    integer: z.boolean().describe('whether only whole numbers are allowed').optional(),
    start: z.number().describe('its value in the first stage'),
  })
  .describe('a hyper-parameter that an engineer may change');

export type TrainerKnob = Readonly<z.infer<typeof trainerKnob>>;

const trainerKnobs = z.array(trainerKnob).min(1).describe('the hyper-parameters that an engineer may change');

const programTrainer = z
  .strictObject({ command: words, knobs: trainerKnobs })
  .describe('the program that trains, with the knobs it offers');

/** The trainer of a run that something other than icecore trains. */
export const external = 'external';

/** A registered trainer with hyper-parameters; the registry knows their names and limits. */
export interface RegisteredTrainer {
  readonly name: string;
  /** Hyper-parameters that the engineer may change. */
  readonly knobs?: readonly string[];
  readonly [hyperparameter: string]: number | string | readonly string[] | undefined;
}

const registeredTrainer = z
  .object({
    name: name.refine((named) => named !== external),
    knobs: z.array(name).min(1).describe('hyper-parameters that the engineer may change').optional(),
  })
  .catchall(z.number())
  .describe('a registered trainer with its hyper-parameters') as unknown as z.ZodType<RegisteredTrainer>;

const externalTrainer = z
  .strictObject({ name: z.literal(external), knobs: trainerKnobs })
  .describe('a trainer that icecore does not start, with the knobs it offers');

const registeredEnvironment = z
  .strictObject({
    name,
    knobs: z.array(name).min(1).describe('optional knobs of the environment that this run has'),
  })
  .describe('a registered environment with optional knobs');

/** Which rollouts are recorded as events; from most to fewest. */
export const recordings = ['all', 'evaluation', 'sample'] as const;

export type Recording = (typeof recordings)[number];

/** The recording of runs from before this setting existed. */
export const legacyRecording: Recording = 'sample';

/** Every setting, resolved. */
export const runSettings = z.strictObject({
  environment: z
    .union([name, words, registeredEnvironment])
    .describe('a registered environment, by its name or with optional knobs, or the program that is the environment'),
  configuration: details.describe('the configuration of the first stage'),
  stages: z.int().min(1).max(16383).describe('how many stages there are'),
  budget: amounts.describe('the training budget of a stage, by unit: {"agent-steps": 400000}'),
  seed: wideInteger.describe('random seed'),
  policy: name.describe(
    'the policy to train: neural (from scratch), base, a checkpoint, a model of the configuration file, or a player of the environment',
  ),
  trainer: z
    .union([name, words, registeredTrainer, programTrainer, externalTrainer])
    .describe('a registered trainer, by its name or with its hyper-parameters, or the program that trains'),
  engineer: z.union([name, words]).describe('the engineer: a name, a model, or a program'),
  context: name.describe('the form of the context: a preset or modules with commas between them'),
  suites: z.array(name).describe('the benchmark suites to evaluate after every stage'),
  validation: z.int().min(1).describe('number of validation tasks'),
  perCell: z.int().min(1).describe('number of probe tasks per cell'),
  samples: z.int().min(1).describe('number of attempts at each probe task'),
  trained: count.describe('number of training-like tasks to attempt for evidence'),
  shards: z
    .int()
    .min(1)
    .max(1000)
    .describe('number of shards into which the rollouts of a stage are split for workers; 1: no workers')
    .optional(),
  record: z
    .enum(recordings)
    .describe(
      'which rollouts are recorded as events; all: all of them; evaluation: all except training; sample: a sample of training rollouts and none of evaluations',
    )
    .optional(),
  exemplars: count.describe('number of exemplars in a context'),
  contextTokens: count.describe('maximum length of a context in tokens; 0: no limit'),
  onError: z
    .enum(onErrors)
    .describe(
      'when the engineer cannot answer: stop the run; retry first, like every step that may succeed later; or keep the configuration, record the decision as errored and continue',
    )
    .optional(),
  name: name.describe('the name of the run'),
  tags: z.array(name),
  notes: z.string().describe('the purpose of the run').optional(),
});

/** Every setting of a run, resolved and recorded. */
export type RunSettings = z.infer<typeof runSettings>;

/** A run file as people write it: absent settings have defaults. */
export const runFile = runSettings.partial();

export type RunFile = Partial<RunSettings>;

/**
 * The program with its arguments in a setting: a list of words, alone or as the `command` of an object. Null for a name,
 * alone or with parameters.
 */
export function commandIn(setting: unknown): readonly [string, ...string[]] | null {
  const words = isObject(setting) ? setting['command'] : setting;
  return isCommand(words) ? words : null;
}

function isCommand(words: unknown): words is readonly [string, ...string[]] {
  return Array.isArray(words) && words.length > 0;
}

/** The name in a setting, alone or with parameters; null for a program. */
export function nameIn(setting: RunSettings['environment' | 'trainer']): string | null {
  if (typeof setting === 'string') return setting;
  return 'name' in setting ? setting.name : null;
}

export function isExternal(trainer: RunSettings['trainer'] | undefined): boolean {
  return trainer !== undefined && nameIn(trainer) === external;
}
