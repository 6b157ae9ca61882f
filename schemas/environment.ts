// What an environment declares: its knobs, and how to read from one of its rollouts whether it failed, how it failed, and to
// which family it belongs. All analysis depends on this descriptor alone.
import { z } from 'zod';
import { blob, details, digest, name, scalar, wideInteger } from './primitives.ts';
import type { ReadonlyDeep } from './readonly.ts';

const field = z
  .array(name)
  .min(1)
  .describe('a field of RolloutRecorded.data as a path: ["outcome"], ["details", "content", "size"]');

const test = z
  .union([
    z.strictObject({ field, equals: scalar }),
    z.strictObject({ field, differs: scalar }),
    z.strictObject({ field, below: z.number() }),
    z.strictObject({ field, atLeast: z.number() }),
    z.strictObject({ field, present: z.boolean() }),
  ])
  .describe('a test of one field: equals, differs, below, atLeast or present');

/** Tests of fields, simple enough to be evaluated by code and by SQL. */
export const condition = z
  .union([z.strictObject({ any: z.array(test) }), z.strictObject({ all: z.array(test) })])
  .describe('{any: tests} or {all: tests}');

/** The field of a rollout that holds a certain word, such as its failure class. */
export const pick = z
  .strictObject({ field, otherwise: name.describe('the word if the field is absent or null').optional() })
  .describe('the word found in a field');

export const knob = z
  .strictObject({
    name: name.describe('as people write it: 8.hole'),
    path: z.array(name).min(1).describe('its path in the configuration: ["sizes", "8", "hole"]'),
    meaning: z.string(),
    family: name.nullable().describe('the family it belongs to; null: all families'),
    range: z.strictObject({ min: z.number(), max: z.number() }),
    step: z.number().positive().describe('the smallest meaningful change'),
    integer: z.boolean().describe('whether only whole numbers are allowed').optional(),
    harder: z
      .enum(['more', 'less'])
      .describe('whether tasks get harder with more of it or with less; absent: unknown')
      .optional(),
    provokes: z
      .array(name)
      .describe(
        'the failure classes that become more frequent as it gets harder, most likely first if there is an order',
      )
      .optional(),
    teaches: z
      .array(name)
      .describe('the failure classes that the policy learns to avoid by training on more of it')
      .optional(),
  })
  .describe('a number of the configuration that can be changed');

export const descriptor = z
  .strictObject({
    environment: name,
    version: name.optional(),
    meaning: z.string().optional(),
    knobs: z.array(knob),
    sharesSum: z
      .array(z.strictObject({ knobs: z.array(name).min(1), total: z.number().positive() }))
      .describe('knobs that are shares of a whole, with their sum')
      .optional(),
    families: z
      .array(z.strictObject({ family: name, meaning: z.string().optional() }))
      .describe('task families, easiest first if there is an order'),
    outcomes: z
      .array(z.strictObject({ outcome: name, meaning: z.string() }))
      .describe('the possible outcomes of a rollout')
      .optional(),
    failureClasses: z
      .array(z.strictObject({ class: name, meaning: z.string() }))
      .describe('the failure classes')
      .optional(),
    facts: z
      .array(z.strictObject({ fact: name, meaning: z.string() }))
      .describe('the facts that the generator reports about a task')
      .optional(),
    metrics: z
      .array(z.strictObject({ metric: name, meaning: z.string() }))
      .describe('the metrics of a rollout, other than its outcome')
      .optional(),
    drawings: z
      .string()
      .describe(
        'the legend of its task drawings for a reader who has never seen one: one or more sentences without the last full stop',
      )
      .optional(),
    failed: condition.describe('whether a rollout failed'),
    failureClass: pick.describe('how it failed'),
    family: pick.describe('the family of a rollout'),
  })
  .describe('the knobs of an environment and how to read its rollouts');

/** One number of the configuration that an engineer can change, with its range and smallest step. */
export type Knob = ReadonlyDeep<z.infer<typeof knob>>;
/** Tests of the fields of a rollout, any or all of which must hold. */
export type Condition = ReadonlyDeep<z.infer<typeof condition>>;
/** Which field of a rollout to read a word from, and the word to use if there is none. */
export type Pick = ReadonlyDeep<z.infer<typeof pick>>;
/** What icecore knows about an environment: its knobs, and how to read its rollouts. */
export type Descriptor = ReadonlyDeep<z.infer<typeof descriptor>>;

/** One task of an environment: its id, its digest, the task itself, or any of them that are known. */
export const instance = z
  .strictObject({
    id: name.optional(),
    digest: digest.describe('of its canonical JSON: equal digests mean the same task').optional(),
    symmetryDigest: digest.describe('equal for tasks that are equal up to rotation and reflection').optional(),
    seed: wideInteger.describe('the seed it was generated with').optional(),
    facts: z
      .record(name, z.union([z.number(), z.boolean()]))
      .describe('the facts its generator reports: {"holes": 9, "needsWait": true}')
      .optional(),
    conditions: z
      .record(name, z.union([z.string(), z.number(), z.boolean()]))
      .describe('the conditions, other than its family, that define its cell in the suite: {"agents": 3}')
      .optional(),
    inline: details.describe('the task itself').optional(),
    blob: blob.describe('the task itself, if it is large').optional(),
  })
  .describe('one task of an environment');
