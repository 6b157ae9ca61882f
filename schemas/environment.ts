// What an environment says about itself: the knobs that can be turned, and how to tell from one of its rollouts whether
// it failed, how, and to which family it belongs. All that stands above the lab works from this alone.
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

/** Tests of fields, small enough to be answered by code and by SQL alike. */
export const condition = z
  .union([z.strictObject({ any: z.array(test) }), z.strictObject({ all: z.array(test) })])
  .describe('{any: tests} or {all: tests}');

/** The word a rollout carries in a field. */
export const pick = z
  .strictObject({ field, otherwise: name.describe('where the field is absent or null').optional() })
  .describe('the word found in a field');

export const knob = z
  .strictObject({
    name: name.describe('as people write it: 8.hole'),
    path: z.array(name).min(1).describe('where it stands in the configuration: ["sizes", "8", "hole"]'),
    meaning: z.string(),
    family: name.nullable().describe('the family it belongs to; null when it concerns all of them'),
    range: z.strictObject({ min: z.number(), max: z.number() }),
    step: z.number().positive().describe('the smallest change that matters'),
    integer: z.boolean().describe('whether only whole numbers are allowed').optional(),
    harder: z
      .enum(['more', 'less'])
      .describe('whether tasks get harder with more of it or with less; absent where that is not known')
      .optional(),
    provokes: z
      .array(name)
      .describe('the ways to fail that there are more of as it gets harder, likeliest first where there is an order')
      .optional(),
  })
  .describe('one number of the configuration that can be turned');

export const descriptor = z
  .strictObject({
    environment: name,
    version: name.optional(),
    meaning: z.string().optional(),
    knobs: z.array(knob),
    sharesSum: z
      .array(z.strictObject({ knobs: z.array(name).min(1), total: z.number().positive() }))
      .describe('knobs that are shares of a whole, and what they sum to')
      .optional(),
    families: z
      .array(z.strictObject({ family: name, meaning: z.string().optional() }))
      .describe('sets of knobs that belong together, easiest first where there is an order'),
    outcomes: z
      .array(z.strictObject({ outcome: name, meaning: z.string() }))
      .describe('what may become of a rollout')
      .optional(),
    failureClasses: z
      .array(z.strictObject({ class: name, meaning: z.string() }))
      .describe('the ways to fail')
      .optional(),
    facts: z
      .array(z.strictObject({ fact: name, meaning: z.string() }))
      .describe('what its generator tells of a task')
      .optional(),
    metrics: z
      .array(z.strictObject({ metric: name, meaning: z.string() }))
      .describe('what is measured of a rollout beside its outcome')
      .optional(),
    drawings: z
      .string()
      .describe(
        'how to read what it draws of a task, for who never saw one: a sentence or more, without the last full stop',
      )
      .optional(),
    failed: condition.describe('whether a rollout failed'),
    failureClass: pick.describe('how it failed'),
    family: pick.describe('which family it belongs to'),
  })
  .describe('the knobs of an environment and the way to read its rollouts');

/** One number of the configuration that an engineer can change, with its range and smallest step. */
export type Knob = ReadonlyDeep<z.infer<typeof knob>>;
/** Tests of the fields of a rollout, of which any or all must hold. */
export type Condition = ReadonlyDeep<z.infer<typeof condition>>;
/** Which field of a rollout to read a word from, and the word to use where it has none. */
export type Pick = ReadonlyDeep<z.infer<typeof pick>>;
/** What icecore knows about an environment: its knobs, and how to read its rollouts. */
export type Descriptor = ReadonlyDeep<z.infer<typeof descriptor>>;

/** One task of an environment: by its id, its digest, the thing itself, or whichever of them are known. */
export const instance = z
  .strictObject({
    id: name.optional(),
    digest: digest.describe('of its canonical JSON: equal digests are the same task').optional(),
    symmetryDigest: digest.describe('equal for tasks that are the same, turned or mirrored').optional(),
    seed: wideInteger.describe('the seed it was generated with').optional(),
    facts: z
      .record(name, z.union([z.number(), z.boolean()]))
      .describe('what its generator tells of it: {"holes": 9, "needsWait": true}')
      .optional(),
    conditions: z
      .record(name, z.union([z.string(), z.number(), z.boolean()]))
      .describe('what beside its family tells its cell from the others of its suite: {"agents": 3}')
      .optional(),
    inline: details.describe('the task itself').optional(),
    blob: blob.describe('the task itself, where it is large').optional(),
  })
  .describe('one task of an environment');
