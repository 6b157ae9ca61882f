// The shapes of what a program may reply, and how a reply is held against its shape.
import { z } from 'zod';
import { descriptor } from '../../../../schemas/environment.ts';
import type { Issue } from '../../../../schemas/errors.ts';
import type { JsonSchema } from '../../../../schemas/phrase.ts';
import { count, details, digest, json, name, score, scores, wideInteger } from '../../../../schemas/primitives.ts';
import { translate } from '../../../../schemas/translate.ts';

const request = z.int();
const conditions = z.record(name, z.union([z.string(), z.number(), z.boolean()]));

const suite = z.strictObject({
  name,
  meaning: z.string().optional(),
  seed: wideInteger.optional(),
  tasks: count,
  parameters: details.optional(),
});

/** The requests that a program need not understand. */
export const optionalRequests = ['probe', 'suite', 'draw', 'prompt', 'rollout'] as const;

const judged = z.strictObject({
  outcome: name,
  success: z.boolean(),
  failures: z
    .array(
      z.strictObject({
        class: name,
        step: count.optional(),
        message: z.string().optional(),
        details: details.optional(),
      }),
    )
    .optional(),
  metrics: scores.optional(),
  reward: score.optional(),
  understood: json.optional(),
});

const spoilt = z.strictObject({ spoilt: z.strictObject({ kind: name, message: z.string() }) });
const verdict = z.union([judged, spoilt]);

export const shapes = {
  describe: shape({
    descriptor,
    start: details,
    suites: z.array(suite).optional(),
    understands: z.array(z.enum(optionalRequests)).optional(),
  }),
  task: shape({
    task: z.strictObject({
      id: name,
      family: name,
      instance: details,
      symmetryDigest: digest.optional(),
      facts: z.record(name, z.union([z.number(), z.boolean()])).optional(),
      conditions: conditions.optional(),
    }),
  }),
  endOfTasks: shape({
    done: z.literal(true),
    shortages: z
      .array(
        z.strictObject({
          cell: z.strictObject({ family: name.nullable(), conditions: conditions.optional() }),
          asked: count,
          achieved: count,
          says: z.string(),
        }),
      )
      .optional(),
  }),
  judge: shape({ verdict }),
  draw: shape({
    drawing: z.strictObject({
      text: z.string(),
      svg: z
        .string()
        .regex(/^\s*<svg[\s>]/)
        .optional(),
    }),
  }),
  prompt: shape({ prompt: z.string() }),
  rollout: shape({
    rollout: z.strictObject({
      task: name,
      sample: count,
      answer: json,
      verdict,
      truncated: z.boolean().optional(),
      prompt: z.string().optional(),
      completion: z.string().optional(),
      stopReason: name.optional(),
      tokens: z.strictObject({ input: count.optional(), output: count.optional() }).optional(),
      agentSteps: count.optional(),
    }),
  }),
  end: shape({ done: z.literal(true) }),
} as const;

/** A shape, made into code when it is first needed. */
export interface Shape<Schema extends z.ZodObject = z.ZodObject> {
  /** What is wrong with a reply; empty when it has this shape. */
  issues(reply: unknown): Issue[];
  readonly schema: Schema;
}

export type Shaped<Of> = Of extends Shape<infer Schema> ? z.infer<Schema> : never;

function shape<Fields extends z.ZodRawShape>(fields: Fields) {
  const schema = z.strictObject({ request, ...fields });
  let compiled: z.ZodObject | undefined;
  return {
    schema,
    issues(reply: unknown): Issue[] {
      compiled ??= z.compile(schema) as unknown as z.ZodObject;
      if (z.validate(compiled, reply)) return [];
      const findings = schema.safeParse(reply).error?.issues ?? [];
      return translate(findings, reply, z.toJSONSchema(schema) as JsonSchema);
    },
  };
}
