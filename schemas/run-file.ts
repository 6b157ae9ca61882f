// What a run is asked for, as a file: every setting under the name that its option has. A run records all of them as they
// were resolved, so that what was recorded of one run can be handed in as the file of another.
import { z } from 'zod';
import { isObject } from './json-text.ts';
import { amounts, count, details, hyperparameterName, name, wideInteger } from './primitives.ts';

const words = z.array(z.string().min(1)).min(1).describe('a program and its arguments; no shell reads them');

/** What to do when an engineer cannot answer. */
const onErrors = ['stop', 'retry', 'keep'] as const;

export type OnError = (typeof onErrors)[number];

/** What of the built-in trainer can be a knob. */
export const grpoKnobNames = ['learningRate', 'groups', 'samples', 'bonus', 'entropy', 'value'] as const;

/** How the built-in trainer learns. What is left out has its default; the ranges are those in which it can learn at all. */
export const grpoSettings = z
  .strictObject({
    name: z.literal('grpo'),
    learningRate: z.number().gt(0).max(1).describe('the step size of an update').optional(),
    groups: z.int().min(1).max(4096).describe('sample groups in an update: one for each of its tasks').optional(),
    samples: z.int().min(2).max(256).describe('plans per task, which are compared with one another').optional(),
    bonus: z.number().min(0).max(10).describe('the bonus of an optimal plan, added to 1 for a valid one').optional(),
    entropy: z.number().min(0).max(1).describe('the weight of the entropy bonus').optional(),
    value: z.number().min(0).max(10).describe('the weight of the value loss').optional(),
    knobs: z.array(z.enum(grpoKnobNames)).min(1).describe('hyper-parameters that an engineer may change').optional(),
  })
  .describe('the built-in trainer with its hyper-parameters');

/** A hyper-parameter that a trainer offers to the engineer, beside the knobs of the environment. */
const trainerKnob = z
  .strictObject({
    name: hyperparameterName,
    meaning: z.string().min(1),
    range: z.strictObject({ min: z.number(), max: z.number() }),
    step: z.number().positive().describe('the smallest change that matters'),
    integer: z.boolean().describe('whether only whole numbers are allowed').optional(),
    start: z.number().describe('its value in the first stage'),
  })
  .describe('a hyper-parameter that an engineer may change');

export type TrainerKnob = Readonly<z.infer<typeof trainerKnob>>;

const trainerKnobs = z.array(trainerKnob).min(1).describe('the hyper-parameters that an engineer may change');

const programTrainer = z
  .strictObject({ command: words, knobs: trainerKnobs })
  .describe('the program that trains, with the knobs it offers');

/** What a run's trainer is called where somebody else trains. */
export const external = 'external';

const externalTrainer = z
  .strictObject({ name: z.literal(external), knobs: trainerKnobs })
  .describe('a trainer that icecore does not start, with the knobs it offers');

/** What of the lake can be a knob beside the knobs of its sizes. */
export const lakeKnobNames = ['agents'] as const;

const lakeEnvironment = z
  .strictObject({
    name: z.literal('lake'),
    knobs: z.array(z.enum(lakeKnobNames)).min(1).describe('settings that an engineer may change, too'),
  })
  .describe('the lake with more knobs');

/** Which rollouts are events; the most first. */
export const recordings = ['all', 'evaluation', 'sample'] as const;

export type Recording = (typeof recordings)[number];

/** What runs recorded before there was a choice. */
export const unsaid: Recording = 'sample';

/** Every setting, resolved. */
export const runSettings = z.strictObject({
  environment: z
    .union([name, words, lakeEnvironment])
    .describe('lake, by its name or with more knobs, or the program that is the environment'),
  configuration: details.describe('the configuration of the first stage'),
  stages: z.int().min(1).max(16383).describe('how many stages there are'),
  budget: amounts.describe('what training may spend in a stage, by unit: {"agent-steps": 400000}'),
  seed: wideInteger.describe('where chance comes from'),
  policy: name.describe(
    'who is trained: neural (from nothing), base, a checkpoint, a model of the configuration file, or whoever an environment lets play',
  ),
  trainer: z
    .union([name, words, grpoSettings, programTrainer, externalTrainer])
    .describe('grpo, by its name or with its hyper-parameters, or the program that trains'),
  engineer: z.union([name, words]).describe('who redesigns the environment: an identity, a model, or a program'),
  context: name.describe('the form of the context: a preset or modules with commas between them'),
  suites: z.array(name).describe('the benchmarks that are measured after every stage'),
  validation: z.int().min(1).describe('how many tasks validation has'),
  perCell: z.int().min(1).describe('how many tasks of every cell the probe pool has'),
  samples: z.int().min(1).describe('how often each task of the probe pool is tried'),
  trained: count.describe('how many tasks as they were trained on are tried for evidence'),
  shards: z
    .int()
    .min(1)
    .max(1000)
    .describe('into how many parts the rollouts of a stage are split, for workers to do; 1: into none')
    .optional(),
  record: z
    .enum(recordings)
    .describe(
      'which rollouts are events: all; all but those of training; or of training a sample, and of evaluations none',
    )
    .optional(),
  exemplars: count.describe('how many rollouts stand for many in a context'),
  contextTokens: count.describe('how long a context may be; 0: as long as it is'),
  onError: z
    .enum(onErrors)
    .describe(
      'when the engineer cannot answer: stop the run; retry first, as every step that may pass a moment later; or keep the configuration, record the decision as errored and go on',
    )
    .optional(),
  name: name.describe('what people call the run'),
  tags: z.array(name),
  notes: z.string().describe('what the run is for').optional(),
});

/** Every setting of a run, as it was resolved and recorded. */
export type RunSettings = z.infer<typeof runSettings>;

/** What somebody writes: whatever is left out has its default. */
export const runFile = runSettings.partial();

export type RunFile = Partial<RunSettings>;

/**
 * The program with its arguments that a setting names: a list of words, alone or as the `command` of an object. Null for a
 * name, alone or with parameters.
 */
export function commandIn(setting: unknown): readonly [string, ...string[]] | null {
  const words = isObject(setting) ? setting['command'] : setting;
  return isCommand(words) ? words : null;
}

function isCommand(words: unknown): words is readonly [string, ...string[]] {
  return Array.isArray(words) && words.length > 0;
}

/** The name that a setting is, alone or with parameters; null for a program. */
export function nameIn(setting: RunSettings['environment' | 'trainer']): string | null {
  if (typeof setting === 'string') return setting;
  return 'name' in setting ? setting.name : null;
}

export function isExternal(trainer: RunSettings['trainer'] | undefined): boolean {
  return trainer !== undefined && nameIn(trainer) === external;
}
