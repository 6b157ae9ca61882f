// Parses one line of a training program: a progress message or a line for the log.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { appendFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { JsonSchema } from '../../../../schemas/describe-schema.ts';
import type { ErrorKind, Issue } from '../../../../schemas/errors.ts';
import { trainingRollout } from '../../../../schemas/evidence.ts';
import { isObject, jsonOrUndefined, parseJson } from '../../../../schemas/json-text.ts';
import { count, digest, name } from '../../../../schemas/primitives.ts';
import { trainingFields } from '../../../../schemas/training.ts';
import { translate } from '../../../../schemas/translate.ts';
import { joinWithAnd } from '../../../base/name-lists.ts';
import { readRegularFile } from '../../../base/regular-file.ts';
import { writeWhole } from '../../../base/write-whole.ts';
import type { Checkpoint } from '../../policies/policy.ts';
import { unrecordableIn } from '../../programs/lines.ts';
import { describeExit, type Exit, excerpt, ProgramFault, sentence, type Witness } from '../../programs/program.ts';
import { type Budget, FolderTaken, type Point, type Trained } from '../trainer.ts';
import { sampledIssues, signalIssues, valueIssues } from './figures.ts';

const { curve, spent, results, learningSignal, sampled } = trainingFields;

/** Local files are checked; other references are trusted. */
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
  | { readonly kind: 'rollout'; readonly rollout: TrainerRollout /** In bytes. */; readonly bytes: number };

/** An invalid line that is meant as a message. */
export class InvalidMessage extends Error {
  override readonly name = 'InvalidMessage';
  readonly issues: readonly Issue[];

  constructor(what: string, issues: readonly Issue[] = []) {
    super(what);
    this.issues = issues;
  }
}

/** The message in a line; null if it is not a message. Throws InvalidMessage. */
export function messageIn(line: string): Message | null {
  const said = objectIn(line);
  const kind = said === null ? undefined : kinds.find((one) => Object.hasOwn(said, one));
  if (said === null || kind === undefined) return null;
  const strange = unrecordableIn(said, line);
  if (strange !== null) throw new InvalidMessage(strange);
  switch (kind) {
    case 'step': {
      const point = shaped(shapes.step, said);
      refuse(valueIssues(point.values, 'values'));
      return { kind, point };
    }
    case 'saved':
      return { kind, snapshot: shaped(shapes.saved, said).saved };
    case 'done': {
      const { done } = shaped(shapes.done, said);
      refuse([
        ...valueIssues(done.results ?? {}, 'done.results'),
        ...signalIssues(done.learningSignal ?? [], 'done.learningSignal'),
        ...sampledIssues(done.sampled ?? [], 'done.sampled'),
      ]);
      return { kind, done };
    }
    case 'rollout':
      return { kind, bytes: recordableBytes(line), rollout: shaped(shapes.rollout, said).rollout };
  }
}

function refuse(issues: readonly Issue[]): void {
  if (issues.length > 0) throw new InvalidMessage(sentence(issues), issues);
}

const kinds = ['step', 'saved', 'done', 'rollout'] as const;

/** Each rollout becomes an event, and no store accepts larger ones. */
const mostRolloutBytes = 1_000_000;

function recordableBytes(line: string): number {
  const bytes = Buffer.byteLength(line);
  if (bytes > mostRolloutBytes)
    throw new InvalidMessage(`a rollout of ${bytes} bytes, at most ${mostRolloutBytes} are allowed`);
  return bytes;
}

function objectIn(line: string): Readonly<Record<string, unknown>> | null {
  if (!line.trimStart().startsWith('{')) return null;
  const said = jsonOrUndefined(line) ?? jsonOrUndefined(line.replace(noNumbers, withReason));
  return isObject(said) ? said : null;
}

/** Strings, which stay unchanged, and the way Python writes missing numbers. */
const noNumbers = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g;

function withReason(word: string): string {
  return word.startsWith('"') ? word : JSON.stringify({ value: null, reason: word });
}

function shaped<Schema extends z.ZodType>(schema: Schema, said: unknown): z.infer<Schema> {
  const { data, error } = schema.safeParse(said);
  if (error === undefined) return data as z.infer<Schema>;
  const issues = translate(error.issues, asWritten(said), z.toJSONSchema(schema) as JsonSchema);
  throw new InvalidMessage(sentence(issues), issues);
}

/** With NaN and Infinity again where `withReason` replaced them, so that an error quotes what the program printed. */
function asWritten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asWritten);
  if (!isObject(value)) return value;
  const { reason, value: missing } = value;
  if (missing === null && typeof reason === 'string' && /^-?(?:NaN|Infinity)$/.test(reason)) return Number(reason);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, asWritten(one)]));
}

// The journal of a training program's messages, line by line in the folder of the training: an interrupted training can
// resume, and a complete one need not run again.

export type Entry =
  | { readonly kind: 'training'; readonly digest: string }
  | { readonly kind: 'point'; readonly point: Point }
  /** `rollouts` is the number that the reader had recorded by then. */
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

  /**
   * The journal of this training. Throws FolderTaken if the folder has the journal of another one, and NotRegularFile.
   */
  async read(folder: string): Promise<Entry[]> {
    const [head, ...entries] = entriesIn(textOf(this.#path));
    if (head === undefined) return [];
    if (JSON.stringify(head) !== JSON.stringify(this.#head)) throw new FolderTaken(folder);
    return entries;
  }

  /** Starts the journal again with the entries to keep. */
  async begin(entries: readonly Entry[]): Promise<void> {
    await writeWhole(this.#path, [this.#head, ...entries].map(lineOf).join(''));
  }

  async add(entry: Entry): Promise<void> {
    await appendFile(this.#path, lineOf(entry), { flush: entry.kind !== 'point' });
  }
}

/** A partially written line is ignored, with everything after it. */
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

/** Empty if it does not exist. */
function textOf(path: string): string {
  try {
    return readRegularFile(path, mostJournalBytes).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

// Errors of a training program. Each says how far training came and carries the partial results: a partial curve is
// worth recording, and a saved checkpoint can be resumed.

/** A training program that failed, with its results until then. */
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
    isRepeatable = true,
  ) {
    const step = partial.curve.at(-1)?.step ?? null;
    const saved = partial.checkpoint?.reference ?? null;
    const further =
      saved === null
        ? 'No checkpoint was saved: the next attempt trains from the start.'
        : `Training will resume from ${saved}.`;
    const after = step === null ? 'before its first update' : `after update ${step}`;
    super(
      kind,
      witness,
      `${what} ${after}`,
      { ...facts, exit: partial.exit ?? null, step, saved },
      isRepeatable ? `${remedy} ${further}`.trim() : remedy,
    );
    this.partial = partial;
  }
}

export class TrainingDied extends TrainingFault {
  override readonly name = 'TrainingDied';

  constructor(witness: Witness, exit: Exit, partial: Trained, budget: Budget) {
    const units = Object.keys(budget);
    const missing = unitMissing(witness, units);
    const isRepeatable = missing === null;
    const facts = isRepeatable ? {} : { units, missing };
    const remedy = isRepeatable
      ? ''
      : `The budget of the stage is in ${joinWithAnd(units)}, and the program seems to read ${missing}. A run keeps its budget, so resuming it fails in the same way: start a new run with --budget ${missing}=N.`;
    super(
      isRepeatable ? 'unavailable' : 'bad-input',
      witness,
      describeExit(exit),
      partial,
      facts,
      remedy,
      isRepeatable,
    );
  }
}

const usualUnits = ['agent-steps', 'rollouts', 'updates', 'tokens'];

/** A unit that its last words name in quotes, as Python does for a missing key, and that its budget lacks; null if there is none. */
function unitMissing({ lastWords }: Witness, units: readonly string[]): string | null {
  const last = lastWords.at(-1) ?? '';
  return usualUnits.find((unit) => !units.includes(unit) && new RegExp(`(['"])${unit}\\1`).test(last)) ?? null;
}

/** It exited normally but never reported completion. */
export class TrainingNotDone extends TrainingFault {
  override readonly name = 'TrainingNotDone';

  constructor(witness: Witness, partial: Trained) {
    const remedy = 'The last line of a training is {"done": {...}}: see docs/trainers.md.';
    super('bad-input', witness, 'did not print {"done": ...} and ended', partial, {}, remedy);
  }
}

export class TrainingSilent extends TrainingFault {
  override readonly name = 'TrainingSilent';

  constructor(witness: Witness, limitMs: number, partial: Trained) {
    const what = `made no progress for ${limitMs / 1000} s and was stopped`;
    const remedy = 'It must report an update in that time, and flush its output after every line.';
    super('unavailable', witness, what, partial, { limitMs }, remedy);
  }
}

export class InvalidTrainingMessage extends TrainingFault {
  override readonly name = 'InvalidTrainingMessage';

  constructor(witness: Witness, { message, issues }: InvalidMessage, said: string, partial: Trained) {
    const facts = { said: excerpt(said), ...(issues.length > 0 ? { issues } : {}) };
    const remedy = 'docs/trainers.md has the allowed messages; any other text goes to the log.';
    super('bad-input', witness, `sent an invalid message (${message})`, partial, facts, remedy);
  }
}

// Checkpoints that a program reports as saved: files are checked and their digests computed.

/** A checkpoint, and whether it is a local file that was checked. */
export interface Saved {
  readonly checkpoint: Checkpoint;
  readonly isFile: boolean;
}

/**
 * `step` is the update at which it was saved, unless the program says otherwise. Throws InvalidMessage if the file does not
 * match.
 */
export async function savedFrom(snapshot: Snapshot, folder: string, step: number): Promise<Saved> {
  if (!('file' in snapshot)) return { checkpoint: { step, ...snapshot }, isFile: false };
  const reference = resolve(folder, snapshot.file);
  const seen = await look(reference);
  if (typeof seen === 'string')
    throw new InvalidMessage(`file: found ${reference}, which ${seen}, allowed: an existing file`);
  if (snapshot.digest !== undefined && snapshot.digest !== seen.digest) {
    throw new InvalidMessage(`digest: found ${snapshot.digest}, allowed: ${seen.digest}, the digest of ${reference}`);
  }
  return { checkpoint: { reference, ...seen, step: snapshot.step ?? step }, isFile: true };
}

/** Whether a saved checkpoint still exists unchanged. Remote ones are assumed to exist. */
export async function isStillThere({ checkpoint, isFile }: Saved): Promise<boolean> {
  if (!isFile) return true;
  const seen = await look(checkpoint.reference);
  return typeof seen !== 'string' && seen.digest === checkpoint.digest;
}

/** A file, or what is wrong with it. */
async function look(path: string): Promise<{ digest: string; bytes: number } | string> {
  const found = await stat(path).catch(() => null);
  if (found === null) return 'does not exist';
  if (!found.isFile()) return found.isDirectory() ? 'is a folder' : 'is not a file';
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return { digest: hash.digest('hex'), bytes: found.size };
}
