// Larger parts that several event families share: configurations, checkpoints, actors, measurements and costs.
// An absent key means that the producer does not know; null means that there is none.
import { z } from 'zod';
import {
  amounts,
  count,
  details,
  digest,
  evidenceId,
  name,
  runId,
  score,
  stageNumber,
  uuid,
  wideInteger,
} from './primitives.ts';

/** A policy, trainer or environment: its name and its parameters. */
export const component = z
  .strictObject({
    name,
    version: name.optional(),
    parameters: details.describe('its settings; never a secret').optional(),
  })
  .describe('a policy, trainer or environment: its name and parameters');

/** The weights of a model at some point of training. */
export const checkpoint = z
  .strictObject({
    reference: name.describe('where it is: a digest in the blob store, a URL, a path, or a name on the server'),
    digest: digest.describe('of its bytes, if known').optional(),
    bytes: count.optional(),
    stage: stageNumber.describe('the stage it was made in').optional(),
    step: count.describe('the trainer update it was made at').optional(),
  })
  .describe('a model checkpoint');

export const engineer = z
  .strictObject({
    name: name.describe('its identity: fixed, rules, base, checkpoint@2, gpt, human'),
    version: name.optional(),
    model: name.describe('the model it asks').optional(),
    checkpoint: checkpoint.describe('the checkpoint it asks').optional(),
    reads: z.array(name).describe('the context modules it can use; empty: it ignores context').optional(),
    parameters: details.describe('its settings; never a secret').optional(),
  })
  .describe('the engineer, which reconfigures the environment');

export const form = z
  .strictObject({
    name: name.describe('the name of the preset: v4, combined').optional(),
    modules: z.array(name).describe('the context modules, in order'),
    parameters: details.describe('the settings of the modules').optional(),
  })
  .describe('the list of context modules an engineer is shown');

export const suite = z
  .strictObject({
    name,
    digest: digest.describe('of its tasks; results with equal digests are comparable').optional(),
    seed: wideInteger.optional(),
    tasks: count.optional(),
    parameters: details.describe('the parameters it was generated with').optional(),
  })
  .describe('a set of tasks a policy is evaluated on');

/** The whole configuration with its knobs, so that a reader needs no descriptor. */
export const configuration = z
  .strictObject({
    digest: digest.describe('of the canonical JSON of `whole`'),
    whole: details.describe('the configuration as the environment takes it'),
    knobs: z.array(
      z.strictObject({
        knob: name,
        family: name.nullable().describe('the family the knob belongs to; null: all families'),
        value: z.number(),
      }),
    ),
  })
  .describe('a configuration of the environment');

/** One measured quantity, with its count and an interval if there is one. */
const measurementFields = {
  measure: name.describe('valid, optimal, cost, waits'),
  value: score,
  count: count.describe('the numerator of a rate').optional(),
  of: count.describe('the denominator of a rate').optional(),
  low: z.number().describe('the lower end of its interval').optional(),
  high: z.number().describe('the upper end of its interval').optional(),
} as const;

export const measurement = z.strictObject(measurementFields).describe('one measured quantity');

export const familyMeasurement = z
  .strictObject({ family: name.nullable().describe('null: all families'), ...measurementFields })
  .describe('one measured quantity of a family');

/** Where a model's raw answer was recorded. */
export const answerReference = z
  .strictObject({
    key: digest.describe('the answer is in the stream answer-<key>'),
    event: uuid.describe('the id of the ModelAnswered').optional(),
  })
  .describe('where the raw answer of a model was recorded');

export const cost = z
  .strictObject({
    currency: name.describe('USD'),
    total: z.number().nonnegative(),
    parts: amounts.describe('the total by unit: input, output, cached').optional(),
    tier: name.describe('the price tier that was applied').optional(),
    prices: amounts.describe('the prices of that tier, for a million of each unit').optional(),
  })
  .describe('the cost and the applied prices');

/** A condition that a person should look at. */
export const alert = z
  .strictObject({
    kind: z.enum(['signal-collapse', 'forgetting']),
    family: name.nullable(),
    measure: name,
    before: score,
    now: score,
    message: z.string().optional(),
  })
  .describe('the learning signal collapsed, or a mastered family is being forgotten');

export const codeVersion = z
  .strictObject({
    version: name.describe("icecore's"),
    commit: name.optional(),
    modified: z.boolean().describe('whether there were uncommitted changes').optional(),
  })
  .describe('the version of the code');

/** The source of an imported event. */
export const source = z
  .strictObject({
    tool: name.describe('verl, trl, verifiers, inspect, mlflow'),
    version: name.optional(),
    location: name.describe('the file, URL or table it was read from').optional(),
    line: count.describe('the line or row in it, from 1').optional(),
    id: name.describe('its id in the source').optional(),
  })
  .describe('the source of an import');

/** Evidence ids; null: the engineer gave none. */
export const cites = z
  .array(evidenceId)
  .nullable()
  .describe('the cited evidence ids; null: the engineer left them out');

export const reason = z.string().nullable().describe('the reason in words; null: the engineer left it out');

/** The arm of an ablation that a run belongs to. */
export const armReference = z.strictObject({ ablation: runId, arm: name });
