// The small words that event types are made of. Nothing here uses what JSON Schema cannot say, so that the generated
// schemas accept and refuse exactly what these do.
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

/** Who did it: a kind and an identity, `engineer/gpt`, `human/ada`, `producer/rollouts`. */
export const actor = z
  .string()
  .regex(/^[a-z][a-z0-9-]*\/[^\s/][^\s]*$/)
  .meta({ description: 'who did it, as kind/identity: engineer/gpt, human/ada' });

export const stream = z.string().regex(streamPattern).meta({ description: 'the name of a stream: run-…, evidence-…' });

export const evidenceStream = z
  .string()
  .regex(/^evidence-[a-z0-9._-]+-[0-9]+-(?:[0-9]+|[a-z][a-z0-9._]*)-[0-9]+$/)
  .meta({ description: 'an evidence stream: evidence-<run>-<stage>-<part>-<attempt>' });

export const runId = z.string().regex(runIdPattern).meta({ description: 'the identity of a run or an ablation' });

/** A moment, RFC 3339 with an offset. */
export const moment = z.iso.datetime({ offset: true }).meta({ description: 'a moment in RFC 3339' });

/** A word that names something: a knob, a family, a module, an environment. Never empty, no control characters. */
export const name = z
  .string()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
  .regex(/^[^\u0000-\u001f\u007f]+$/)
  .meta({ description: 'a name: at least one character, no control characters' });

export const count = z.int().nonnegative().meta({ description: 'a whole number from 0' });

/** A part of a whole, a rate, a probability. */
export const share = z.number().min(0).max(1).meta({ description: 'a number from 0 to 1' });

export const stageNumber = z.int().min(1).max(16383).meta({ description: 'a stage: a whole number from 1' });

export const wideDigits = z
  .string()
  .regex(/^-?(?:0|[1-9][0-9]{0,38})$/)
  .meta({ description: 'a string of digits' });

/** An integer that may be wider than a double holds exactly: then it is written as a string of digits. */
export const wideInteger = z
  .union([z.int(), wideDigits])
  .meta({ description: 'a whole number, as a string of digits where it is wider than 53 bits' });

/** A number, or null with the reason beside it: JSON has no NaN. */
export const score = z
  .union([z.number(), z.strictObject({ value: z.null(), reason: name })])
  .meta({ description: 'a number, or {value: null, reason} where there is none' });

/** A text, inline or as the blob that holds it. */
export const text = z
  .union([
    z.strictObject({ text: z.string() }),
    z.strictObject({ blob: digest, bytes: count, preview: z.string().optional() }),
  ])
  .meta({ description: 'a text: {text}, or {blob, bytes} where it is kept in the blob store' });

/** Bytes kept in the blob store. */
export const blob = z
  .strictObject({ blob: digest, bytes: count, mediaType: name.optional() })
  .meta({ description: 'bytes in the blob store: {blob, bytes}' });

/** What differs from machine to machine and from time to time: durations, latencies, host facts. Not part of sameness. */
export const measured = z.record(name, z.unknown()).meta({ description: 'durations, latencies, host facts' });

/** A free object: what only one environment, trainer or model understands. */
export const details = z.record(z.string(), z.unknown()).meta({ description: 'details of one environment or model' });

/** What a context gives a citable item to be cited by: `F3`, `S8.holes`. */
export const evidenceId = z
  .string()
  .regex(/^[^\s]+$/)
  .meta({ description: 'an evidence id without spaces, like F3 or S8.holes' });

/** Numbers by name, each of which may be missing for a reason: rewards, metrics, points of a curve. */
export const scores = z.record(name, score).meta({ description: 'numbers by name' });

/** Amounts by unit: a budget, what was spent, tokens of a model call. */
export const amounts = z.record(name, z.number().nonnegative()).meta({ description: 'amounts from 0 by unit' });

/** A value that stands in one cell of a table. */
export const scalar = z
  .union([z.string(), z.number(), z.boolean(), z.null()])
  .meta({ description: 'a text, a number, true, false or null' });

/** Any JSON value. */
export const json = z.unknown().meta({ description: 'any JSON value' });

/** Recorded beside the command of a program, among the parameters of a trainer. */
export const hyperparameterName = z
  .string()
  .regex(/^(?!command$)[A-Za-z][A-Za-z0-9_]{0,63}$/)
  .describe('a word of letters, digits and underscores, other than command');
