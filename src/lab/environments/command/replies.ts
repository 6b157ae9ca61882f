// The schemas of a program's replies.
import { z } from 'zod';
import { canonicalJson, NotCanonical } from '../../../../schemas/canonical.ts';
import { contradictions } from '../../../../schemas/contradictions.ts';
import type { JsonSchema } from '../../../../schemas/describe-schema.ts';
import { duplicateNames } from '../../../../schemas/duplicate-names.ts';
import { type Descriptor, descriptor } from '../../../../schemas/environment.ts';
import type { Issue } from '../../../../schemas/errors.ts';
import { nearestNames, suggestion } from '../../../../schemas/nearest.ts';
import { count, details, digest, json, name, score, scores, wideInteger } from '../../../../schemas/primitives.ts';
import { translate } from '../../../../schemas/translate.ts';
import { sentence } from '../../programs/program.ts';
import { checkConfiguration } from '../configuration.ts';
import type { Configuration, Judged, Suite, Verdict } from '../environment.ts';
import { BadDescription } from './faults.ts';
import type { Fields, Program } from './program.ts';

const request = z.int();

const conditions = z.record(name, z.union([z.string(), z.number(), z.boolean()]));

const suite = z.strictObject({
  name,
  meaning: z.string().optional(),
  seed: wideInteger.optional(),
  tasks: count,
  parameters: details.optional(),
});

/** Requests that a program may support. */
const optionalRequests = ['probe', 'suite', 'draw', 'prompt', 'rollout'] as const;

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

const svg = z.string().regex(/^\s*<svg[\s>]/);

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
      svg: svg.optional(),
      animation: svg.optional(),
      frames: z.array(z.strictObject({ svg, says: z.string() })).optional(),
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

/** A schema, compiled on first use. */
interface Shape<Schema extends z.ZodObject = z.ZodObject> {
  /** The issues of a reply; empty if it matches. */
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

// Checks a program's description of itself.

export type OptionalRequest = (typeof optionalRequests)[number];

export interface Description {
  readonly descriptor: Descriptor;
  readonly start: Configuration;
  readonly suites: readonly Suite[];
  readonly understands: ReadonlySet<OptionalRequest>;
}

export function descriptionOf(fields: Fields, program: Program): Description {
  const issues = shapes.describe.issues(fields);
  if (issues.length > 0) throw new BadDescription(program.name, issues);
  const { descriptor, start, suites = [], understands = [] } = fields as Shaped<typeof shapes.describe>;
  const senseless = [
    ...contradictions(descriptor, 'descriptor'),
    ...startIssues(descriptor, start),
    ...duplicateNames(
      suites.map(({ name }, i) => ({ name, field: `suites[${i}].name` })),
      'each suite once',
    ),
    ...unreachableSuites(suites, understands),
  ];
  if (senseless.length > 0) throw new BadDescription(program.name, senseless);
  return { descriptor, start, suites: suites as readonly Suite[], understands: new Set(understands) };
}

function startIssues(descriptor: Descriptor, start: Configuration): Issue[] {
  return checkConfiguration(descriptor, start, start).map(({ field, ...issue }) => ({
    ...issue,
    field: field === '' ? 'start' : `start.${field}`,
  }));
}

function unreachableSuites(suites: readonly unknown[], understands: readonly OptionalRequest[]): Issue[] {
  if (suites.length === 0 || understands.includes('suite')) return [];
  return [{ field: 'understands', found: 'no "suite"', allowed: '"suite", because it has suites' }];
}

// Checks a program's verdicts against the descriptor and for consistency.

type SaidVerdict = Shaped<typeof shapes.judge>['verdict'];

export class Verdicts {
  readonly #outcomes: readonly string[] | undefined;
  readonly #classes: readonly string[] | undefined;

  constructor({ outcomes, failureClasses }: Descriptor) {
    this.#outcomes = outcomes?.map(({ outcome }) => outcome);
    this.#classes = failureClasses?.map((known) => known.class);
  }

  /** The verdict in a reply to `judge`. Throws InvalidReply. */
  read(fields: Fields, program: Program): Verdict {
    const issues = shapes.judge.issues(fields);
    if (issues.length > 0) throw strange(program, fields, issues);
    return this.checkedVerdict((fields as Shaped<typeof shapes.judge>).verdict, 'verdict', fields, program);
  }

  /** A verdict of the right shape; `at` is its field. Throws InvalidReply. */
  checkedVerdict(said: SaidVerdict, at: string, fields: Fields, program: Program): Verdict {
    if ('spoilt' in said) return said;
    const verdict = { ...said, failures: said.failures ?? [], metrics: said.metrics ?? {} } as Judged;
    const issues = this.#senseless(verdict, at);
    if (issues.length > 0) throw strange(program, fields, issues);
    return verdict;
  }

  /** The issues of a verdict by code in this process; `at` is its field. */
  issues(given: unknown, at: string): readonly Issue[] {
    const misshapen = shapes.judge.issues({ request: 0, verdict: given });
    if (misshapen.length > 0)
      return misshapen.map((issue) => ({ ...issue, field: issue.field.replace('verdict', at) }));
    return this.#senseless(given as Judged, at);
  }

  #senseless(verdict: Judged, at: string): Issue[] {
    return [...this.#unknownWords(verdict, at), ...contradictory(verdict, at), ...unrecordable(verdict, at)];
  }

  *#unknownWords({ outcome, failures }: Judged, at: string): Generator<Issue> {
    yield* unknown(outcome, `${at}.outcome`, this.#outcomes, 'an outcome');
    for (const [i, failure] of failures.entries())
      yield* unknown(failure.class, `${at}.failures[${i}].class`, this.#classes, 'a failure class');
  }
}

function* unknown(word: string, field: string, known: readonly string[] | undefined, what: string): Generator<Issue> {
  if (known === undefined || known.includes(word)) return;
  const near = nearestNames(word, known);
  const which = near.length > 0 ? suggestion(near) : known.join(', ');
  yield { field, found: JSON.stringify(word), allowed: `${what} of the descriptor: ${which}` };
}

function contradictory({ success, failures }: Judged, at: string): Issue[] {
  if (success === (failures.length === 0)) return [];
  const found = success ? `failures of a success` : 'no failure, and no success either';
  return [{ field: `${at}.failures`, found, allowed: 'at least one where `success` is false, otherwise none' }];
}

/** A policy's answer may have been copied unchanged, so it may contain what events cannot hold. */
function unrecordable(verdict: Judged, at: string): Issue[] {
  try {
    if (typeof verdict.understood === 'object' || verdict.failures.length > 0) canonicalJson(verdict);
    return [];
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error;
    return [{ field: `${at}.${error.field}`, found: error.found, allowed: 'what an event can hold' }];
  }
}

function strange(program: Program, fields: Fields, issues: readonly Issue[]): Error {
  return program.invalidReply(sentence(issues), fields, issues);
}
