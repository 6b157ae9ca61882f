// The larger words that several families share: configurations, checkpoints, who acts, what was measured and spent.
// A key that is absent says the producer does not know; null says that there is none.
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

/** A policy, trainer or environment: what it is called and how it was set. */
export const component = z
  .strictObject({
    name,
    version: name.optional(),
    parameters: details.describe('how it was set; never a secret').optional(),
  })
  .describe('a policy, trainer or environment: its name and how it was set');

/** A model snapshot. */
export const checkpoint = z
  .strictObject({
    reference: name.describe('where it is: a digest in the blob store, a URL, a path, a name the server knows'),
    digest: digest.describe('of its bytes, where they are known').optional(),
    bytes: count.optional(),
    stage: stageNumber.describe('the stage it was made in').optional(),
    step: count.describe('the update of the trainer it was made at').optional(),
  })
  .describe('a model snapshot');

export const engineer = z
  .strictObject({
    name: name.describe('its identity: fixed, rules, base, checkpoint@2, gpt, human'),
    version: name.optional(),
    model: name.describe('the model it asks').optional(),
    checkpoint: checkpoint.describe('the snapshot it asks').optional(),
    reads: z.array(name).describe('the context modules it can use; empty: it is blind to context').optional(),
    parameters: details.describe('how it was set; never a secret').optional(),
  })
  .describe('who redesigns the environment');

export const form = z
  .strictObject({
    name: name.describe('the preset it is known by: v4, combined').optional(),
    modules: z.array(name).describe('the context modules, in order'),
    parameters: details.describe('how modules were set').optional(),
  })
  .describe('the list of context modules an engineer is shown');

export const suite = z
  .strictObject({
    name,
    digest: digest.describe('of its tasks: equal digests are comparable for ever').optional(),
    seed: wideInteger.optional(),
    tasks: count.optional(),
    parameters: details.describe('what it was generated with').optional(),
  })
  .describe('a set of tasks a policy is evaluated on');

/** The whole configuration with its knobs beside, so that a reader needs no descriptor. */
export const configuration = z
  .strictObject({
    digest: digest.describe('of the canonical JSON of `whole`'),
    whole: details.describe('the configuration as the environment takes it'),
    knobs: z.array(
      z.strictObject({
        knob: name,
        family: name.nullable().describe('the family the knob belongs to; null when it concerns all of them'),
        value: z.number(),
      }),
    ),
  })
  .describe('a configuration of the environment');

/** One measured quantity, with the count it came from and an interval where there is one. */
const measurementFields = {
  measure: name.describe('valid, optimal, cost, waits'),
  value: score,
  count: count.describe('how many had it').optional(),
  of: count.describe('out of how many').optional(),
  low: z.number().describe('the lower end of its interval').optional(),
  high: z.number().describe('the upper end of its interval').optional(),
} as const;

export const measurement = z.strictObject(measurementFields).describe('one measured quantity');

export const familyMeasurement = z
  .strictObject({ family: name.nullable().describe('null: of all families'), ...measurementFields })
  .describe('one measured quantity of a family');

/** Where a model's raw answer was recorded. */
export const answerReference = z
  .strictObject({
    key: digest.describe('the answer stands in the stream answer-<key>'),
    event: uuid.describe('the id of the ModelAnswered').optional(),
  })
  .describe('where the raw answer of a model was recorded');

export const cost = z
  .strictObject({
    currency: name.describe('USD'),
    total: z.number().nonnegative(),
    parts: amounts.describe('the total by unit: input, output, cached').optional(),
    tier: name.describe('the price tier it was reckoned with').optional(),
    prices: amounts.describe('that tier: the price of a million of each unit').optional(),
  })
  .describe('what it cost, and by which prices');

/** Something a person should look at. */
export const alert = z
  .strictObject({
    kind: z.enum(['signal-collapse', 'forgetting']),
    family: name.nullable(),
    measure: name,
    before: score,
    now: score,
    message: z.string().optional(),
  })
  .describe('the learning signal collapsed, or what was mastered is being forgotten');

export const codeVersion = z
  .strictObject({
    version: name.describe("icecore's"),
    commit: name.optional(),
    modified: z.boolean().describe('whether there were changes beyond that commit').optional(),
  })
  .describe('the code that ran');

/** Where an imported event came from. */
export const source = z
  .strictObject({
    tool: name.describe('verl, trl, verifiers, inspect, mlflow'),
    version: name.optional(),
    location: name.describe('the file, URL or table it was read from').optional(),
    line: count.describe('the line or row there, from 1').optional(),
    id: name.describe('its id over there').optional(),
  })
  .describe('where it was imported from');

/** Evidence ids; null where the engineer gave none. */
export const cites = z
  .array(evidenceId)
  .nullable()
  .describe('the evidence ids it cites; null where the engineer left that out');

export const reason = z.string().nullable().describe('the reason in words; null where the engineer left that out');

/** The arm of an ablation that a run belongs to. */
export const armReference = z.strictObject({ ablation: runId, arm: name });
