// The primitives of event types. They use only what JSON Schema can express, so that the generated schemas accept and refuse
// exactly the same values.
import { z } from 'zod';
import { runIdPattern, streamPattern } from './streams.ts';

/** A UUID of any version, in lower case. */
export const uuid = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
  .meta({ description: 'a UUID in lower case' });

/** A SHA-256 digest: 64 hexadecimal digits in lower case. */
export const digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({ description: 'a SHA-256 digest: 64 hexadecimal digits in lower case' });

/** The actor: a kind and an identity, `engineer/gpt`, `human/ada`, `producer/rollouts`. */
export const actor = z
  .string()
  .regex(/^[a-z][a-z0-9-]*\/[^\s/][^\s]*$/)
  .meta({ description: 'the actor, as kind/identity: engineer/gpt, human/ada' });

export const stream = z.string().regex(streamPattern).meta({ description: 'the name of a stream: run-…, evidence-…' });

export const evidenceStream = z
  .string()
  .regex(/^evidence-[a-z0-9._-]+-[0-9]+-(?:[0-9]+|[a-z][a-z0-9._]*)-[0-9]+$/)
  .meta({ description: 'an evidence stream: evidence-<run>-<stage>-<part>-<attempt>' });

export const runId = z.string().regex(runIdPattern).meta({ description: 'the identity of a run or an ablation' });

/** A moment in RFC 3339 with an offset. */
export const moment = z.iso.datetime({ offset: true }).meta({ description: 'a moment in RFC 3339' });

/** The name of a knob, a family, a module or an environment. Never empty, no control characters. */
export const name = z
  .string()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses control characters
  .regex(/^[^\u0000-\u001f\u007f]+$/)
  .meta({ description: 'a name: at least one character, no control characters' });

export const count = z.int().nonnegative().meta({ description: 'a whole number from 0' });

/** A proportion, a rate or a probability. */
export const share = z.number().min(0).max(1).meta({ description: 'a number from 0 to 1' });

export const stageNumber = z.int().min(1).max(16383).meta({ description: 'a stage: a whole number from 1' });

export const wideDigits = z
  .string()
  .regex(/^-?(?:0|[1-9][0-9]{0,38})$/)
  .meta({ description: 'a string of digits' });

/** An integer that is written as a string of digits if it is wider than a double can hold exactly. */
export const wideInteger = z
  .union([z.int(), wideDigits])
  .meta({ description: 'a whole number, as a string of digits if it is wider than 53 bits' });

/** A number, or null with a reason, since JSON has no NaN. */
export const score = z
  .union([z.number(), z.strictObject({ value: z.null(), reason: name })])
  .meta({ description: 'a number, or {value: null, reason} if there is none' });

/** A text, inline or in a blob. */
export const text = z
  .union([
    z.strictObject({ text: z.string() }),
    z.strictObject({ blob: digest, bytes: count, preview: z.string().optional() }),
  ])
  .meta({ description: 'a text: {text}, or {blob, bytes} if it is in the blob store' });

/** Bytes in the blob store. */
export const blob = z
  .strictObject({ blob: digest, bytes: count, mediaType: name.optional() })
  .meta({ description: 'bytes in the blob store: {blob, bytes}' });

/** Values that vary by machine and time: durations, latencies, host facts. Ignored when events are compared for equality. */
export const measured = z.record(name, z.unknown()).meta({ description: 'durations, latencies, host facts' });

/** A free object, for data that only one environment, trainer or model understands. */
export const details = z.record(z.string(), z.unknown()).meta({ description: 'details of one environment or model' });

/** The id by which a citable item of a context is cited: `F3`, `S8.holes`. */
export const evidenceId = z
  .string()
  .regex(/^[^\s]+$/)
  .meta({ description: 'an evidence id without spaces, like F3 or S8.holes' });

/** Numbers by name, any of which may be missing with a reason: rewards, metrics, points of a curve. */
export const scores = z.record(name, score).meta({ description: 'numbers by name' });

/** Amounts by unit: a budget, spending, tokens of a model call. */
export const amounts = z.record(name, z.number().nonnegative()).meta({ description: 'amounts from 0 by unit' });

/** A value of one table cell. */
export const scalar = z
  .union([z.string(), z.number(), z.boolean(), z.null()])
  .meta({ description: 'a text, a number, true, false or null' });

/** Any JSON value. */
export const json = z.unknown().meta({ description: 'any JSON value' });

/** The command of a program is recorded under its own key among the parameters of a trainer, so that name is reserved. */
export const hyperparameterName = z
  .string()
  .regex(/^(?!command$)[A-Za-z][A-Za-z0-9_]{0,63}$/)
  .describe('a word of letters, digits and underscores, other than command');
