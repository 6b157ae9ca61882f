// One line that a program prints while it trains: a message about how far it is, or something for the log.
import { z } from 'zod';
import type { Issue } from '../../../../schemas/errors.ts';
import { trainingRollout } from '../../../../schemas/evidence.ts';
import { parseJson } from '../../../../schemas/json-text.ts';
import type { JsonSchema } from '../../../../schemas/phrase.ts';
import { count, digest, name } from '../../../../schemas/primitives.ts';
import { trainingFields } from '../../../../schemas/training.ts';
import { translate } from '../../../../schemas/translate.ts';
import { isObject } from '../../environments/knobs.ts';
import { sentence } from '../../programs/errors.ts';
import { unspeakableIn } from '../../programs/speakable.ts';

const { curve, spent, results, learningSignal, sampled } = trainingFields;

/** A file is looked at here; what is elsewhere is taken at its word. */
const snapshot = z.union([
  z.strictObject({ file: name, digest: digest.optional(), step: count.optional() }),
  z.strictObject({ reference: name, digest: digest.optional(), bytes: count.optional(), step: count.optional() }),
]);

const done = z.strictObject({ checkpoint: snapshot.nullable().optional(), spent, results, learningSignal, sampled });

const shapes = {
  step: curve.unwrap().element,
  saved: z.strictObject({ saved: snapshot }),
  done: z.strictObject({ done }),
  rollout: z.strictObject({ rollout: trainingRollout }),
} as const;

export type Snapshot = z.infer<typeof snapshot>;
export type Done = z.infer<typeof done>;
export type TrainerRollout = z.infer<typeof trainingRollout>;

export type Message =
  | { readonly kind: 'step'; readonly point: z.infer<typeof shapes.step> }
  | { readonly kind: 'saved'; readonly snapshot: Snapshot }
  | { readonly kind: 'done'; readonly done: Done }
  | { readonly kind: 'rollout'; readonly rollout: TrainerRollout /** Of its line. */; readonly bytes: number };

/** What is wrong with a line that is meant as a message. */
export class Misspoken extends Error {
  override readonly name = 'Misspoken';
  readonly issues: readonly Issue[];

  constructor(what: string, issues: readonly Issue[] = []) {
    super(what);
    this.issues = issues;
  }
}

/** The message that a line is; null where it is none. Throws Misspoken. */
export function messageIn(line: string): Message | null {
  const said = objectIn(line);
  const kind = said === null ? undefined : kinds.find((one) => Object.hasOwn(said, one));
  if (said === null || kind === undefined) return null;
  const strange = unspeakableIn(said, line);
  if (strange !== null) throw new Misspoken(strange);
  switch (kind) {
    case 'step':
      return { kind, point: shaped(shapes.step, said) };
    case 'saved':
      return { kind, snapshot: shaped(shapes.saved, said).saved };
    case 'done':
      return { kind, done: shaped(shapes.done, said).done };
    case 'rollout':
      return { kind, bytes: recordableBytes(line), rollout: shaped(shapes.rollout, said).rollout };
  }
}

const kinds = ['step', 'saved', 'done', 'rollout'] as const;

/** No store takes a larger event, and each rollout becomes one. */
const mostRolloutBytes = 1_000_000;

function recordableBytes(line: string): number {
  const bytes = Buffer.byteLength(line);
  if (bytes > mostRolloutBytes)
    throw new Misspoken(`a rollout of ${bytes} bytes, where at most ${mostRolloutBytes} are allowed`);
  return bytes;
}

function objectIn(line: string): Readonly<Record<string, unknown>> | null {
  if (!line.trimStart().startsWith('{')) return null;
  const said = parsed(line) ?? parsed(line.replace(noNumbers, withReason));
  return isObject(said) ? said : null;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Texts, which are left as they are, and what Python writes where there is no number. */
const noNumbers = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g;

function withReason(word: string): string {
  return word.startsWith('"') ? word : JSON.stringify({ value: null, reason: word });
}

function shaped<Schema extends z.ZodType>(schema: Schema, said: unknown): z.infer<Schema> {
  const { data, error } = schema.safeParse(said);
  if (error === undefined) return data as z.infer<Schema>;
  const issues = translate(error.issues, said, z.toJSONSchema(schema) as JsonSchema);
  throw new Misspoken(sentence(issues), issues);
}
