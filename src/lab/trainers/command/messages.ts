// One line that a program prints while it trains: a message about how far it is, or something for the log.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { appendFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { ErrorKind, Issue } from '../../../../schemas/errors.ts';
import { trainingRollout } from '../../../../schemas/evidence.ts';
import { isObject, jsonOrUndefined, parseJson } from '../../../../schemas/json-text.ts';
import type { JsonSchema } from '../../../../schemas/phrase.ts';
import { count, digest, name } from '../../../../schemas/primitives.ts';
import { trainingFields } from '../../../../schemas/training.ts';
import { translate } from '../../../../schemas/translate.ts';
import { readRegularFile } from '../../../base/regular-file.ts';
import { writeWhole } from '../../../base/write-whole.ts';
import type { Checkpoint } from '../../policies/policy.ts';
import { unspeakableIn } from '../../programs/lines.ts';
import { describeExit, type Exit, excerpt, ProgramFault, sentence, type Witness } from '../../programs/program.ts';
import { FolderTaken, type Point, type Trained } from '../trainer.ts';

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
type TrainerRollout = z.infer<typeof trainingRollout>;

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
  const said = jsonOrUndefined(line) ?? jsonOrUndefined(line.replace(noNumbers, withReason));
  return isObject(said) ? said : null;
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

// What a program told while it trained, kept in the folder of the training, line by line as it came: so that a training
// that was stopped can be gone on with, and one that is over need not be made again.

export type Entry =
  | { readonly kind: 'training'; readonly digest: string }
  | { readonly kind: 'point'; readonly point: Point }
  /** `rollouts`: how many the reader has recorded by then. */
  | ({ readonly kind: 'saved'; readonly rollouts?: number } & Saved)
  | { readonly kind: 'trained'; readonly trained: Trained };

export const journalName = 'icecore-progress.ndjson';
const mostJournalBytes = 256 * 2 ** 20;

export class Journal {
  readonly #path: string;
  readonly #head: Entry;

  constructor(folder: string, digest: string) {
    this.#path = join(folder, journalName);
    this.#head = { kind: 'training', digest };
  }

  /** What was told of this training so far. Throws FolderTaken where it is the journal of another, and NotRegularFile. */
  async read(folder: string): Promise<Entry[]> {
    const [head, ...entries] = entriesIn(textOf(this.#path));
    if (head === undefined) return [];
    if (JSON.stringify(head) !== JSON.stringify(this.#head)) throw new FolderTaken(folder);
    return entries;
  }

  /** Begins anew with what is to be kept. */
  async begin(entries: readonly Entry[]): Promise<void> {
    await writeWhole(this.#path, [this.#head, ...entries].map(lineOf).join(''));
  }

  async add(entry: Entry): Promise<void> {
    await appendFile(this.#path, lineOf(entry), { flush: entry.kind !== 'point' });
  }
}

/** A line that was cut as it was written is none, and neither is what stands after it. */
function entriesIn(text: string): Entry[] {
  const entries: Entry[] = [];
  try {
    for (const line of text.split('\n').slice(0, -1)) entries.push(parseJson(line) as Entry);
  } catch {
    return entries;
  }
  return entries;
}

const lineOf = (entry: Entry): string => `${JSON.stringify(entry)}\n`;

/** Empty where there is none. */
function textOf(path: string): string {
  try {
    return readRegularFile(path, mostJournalBytes).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

// What can go wrong with a program that trains. Each error says how far it came and carries what there is of the training:
// a curve that broke off is worth recording, and what was saved can be gone on from.

/** A training program that failed, with what it had reported until then. */
export class TrainingFault extends ProgramFault {
  override readonly name: string = 'TrainingFault';
  readonly partial: Trained;

  constructor(
    kind: ErrorKind,
    witness: Witness,
    what: string,
    partial: Trained,
    facts: Record<string, unknown>,
    remedy: string,
  ) {
    const step = partial.curve.at(-1)?.step ?? null;
    const saved = partial.checkpoint?.reference ?? null;
    const further =
      saved === null ? 'Nothing was saved: it begins anew.' : `It goes on from ${saved} when it is asked again.`;
    const after = step === null ? 'before its first update' : `after update ${step}`;
    super(
      kind,
      witness,
      `${what} ${after}`,
      { ...facts, exit: partial.exit ?? null, step, saved },
      `${remedy} ${further}`.trim(),
    );
    this.partial = partial;
  }
}

export class TrainingDied extends TrainingFault {
  override readonly name = 'TrainingDied';

  constructor(witness: Witness, exit: Exit, partial: Trained) {
    super('unavailable', witness, describeExit(exit), partial, {}, '');
  }
}

/** It ended as if all were well, and never said so. */
export class TrainingNotDone extends TrainingFault {
  override readonly name = 'TrainingNotDone';

  constructor(witness: Witness, partial: Trained) {
    const remedy = 'The last line of a training is {"done": {...}}: see docs/trainers.md.';
    super('bad-input', witness, 'ended without saying that it was done', partial, {}, remedy);
  }
}

export class TrainingSilent extends TrainingFault {
  override readonly name = 'TrainingSilent';

  constructor(witness: Witness, limitMs: number, partial: Trained) {
    const what = `made no progress for ${limitMs / 1000} s and was stopped`;
    const remedy =
      'If an update takes longer, raise the time limit; if it prints, make it flush its output after every line.';
    super('unavailable', witness, what, partial, { limitMs }, remedy);
  }
}

export class TrainingTalksNonsense extends TrainingFault {
  override readonly name = 'TrainingTalksNonsense';

  constructor(witness: Witness, { message, issues }: Misspoken, said: string, partial: Trained) {
    const facts = { said: excerpt(said), ...(issues.length > 0 ? { issues } : {}) };
    const remedy = 'What may be said is in docs/trainers.md; everything else may be any text that is no such object.';
    super('bad-input', witness, `told of what is not allowed (${message})`, partial, facts, remedy);
  }
}

// What a program says it saved, as a checkpoint: a file is looked at and its digest computed.

/** A checkpoint, and whether it is a file that was looked at. */
export interface Saved {
  readonly checkpoint: Checkpoint;
  readonly isFile: boolean;
}

/** `step` is the update it was made at unless the program says otherwise. Throws Misspoken where the file is not what it says. */
export async function savedFrom(snapshot: Snapshot, folder: string, step: number): Promise<Saved> {
  if (!('file' in snapshot)) return { checkpoint: { step, ...snapshot }, isFile: false };
  const reference = resolve(folder, snapshot.file);
  const seen = await look(reference);
  if (seen === null)
    throw new Misspoken(`file: found ${reference}, where there is no file, allowed: a file that is there`);
  if (snapshot.digest !== undefined && snapshot.digest !== seen.digest) {
    throw new Misspoken(`digest: found ${snapshot.digest}, allowed: ${seen.digest}, which is that of ${reference}`);
  }
  return { checkpoint: { reference, ...seen, step: snapshot.step ?? step }, isFile: true };
}

/** Whether what was saved is still there and the same. What is elsewhere is taken to be. */
export async function isStillThere({ checkpoint, isFile }: Saved): Promise<boolean> {
  return !isFile || (await look(checkpoint.reference))?.digest === checkpoint.digest;
}

async function look(path: string): Promise<{ digest: string; bytes: number } | null> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile() !== true) return null;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return { digest: hash.digest('hex'), bytes: found.size };
}
