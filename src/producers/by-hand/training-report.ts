// Reads a trainer's messages from a file: the lines described in docs/trainers.md, or those of `icecore lake train
// --json`. Other lines are skipped.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { lakeTrain, type TrainLine } from '../../../schemas/training-output.ts';
import { openGivenFile } from '../../base/given-file.ts';
import {
  InvalidMessage,
  type Message,
  messageIn,
  type Snapshot,
  type TrainerRollout,
} from '../../lab/trainers/command/messages.ts';
import { type KnownWords, TrainingProgress } from '../../lab/trainers/command/progress.ts';
import { lineBytes } from '../../lab/trainers/command/running.ts';
import { rolloutBatch, type Trained } from '../../lab/trainers/trainer.ts';
import { splitLines } from '../intake/pieces.ts';

export interface TrainingReport extends Omit<Trained, 'checkpoint' | 'rollouts'> {
  /** Its final checkpoint; null if it reported none. */
  readonly left: Snapshot | null;
}

export const emptyReport: TrainingReport = { left: null, spent: {}, curve: [], signal: [], sampled: [] };

/** The folder of a relative path, and what ends the reading. */
interface ReportPlace {
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Throws BadTrainingReport at the first line that is an invalid message. */
export async function readTrainingReport(
  path: string,
  place: ReportPlace,
  words: KnownWords = {},
): Promise<TrainingReport> {
  const reader = new ReportReader(words);
  for await (const { line, text } of linesOf(path, place)) atLine(path, line, () => reader.take(text));
  if (!reader.hasSpoken) throw new BadTrainingReport(path, null, 'no line reports an update');
  if (reader.hasRollouts && !statSync(resolve(place.cwd, path)).isFile())
    throw new BadTrainingReport(path, null, 'it has rollouts and is not a regular file, so it cannot be read again');
  return reader.whole;
}

/** The rollouts in the file, which was checked before. They are not held in memory: a file may have millions. */
export async function* reportedRollouts(path: string, place: ReportPlace): AsyncGenerator<readonly TrainerRollout[]> {
  let list: TrainerRollout[] = [];
  let listBytes = 0;
  for await (const { line, text } of linesOf(path, place)) {
    const message = text.includes('"rollout"') ? atLine(path, line, () => messageIn(text)) : null;
    if (message?.kind !== 'rollout') continue;
    list.push(message.rollout);
    listBytes += message.bytes;
    if (list.length < rolloutBatch.rollouts && listBytes < rolloutBatch.bytes) continue;
    yield list;
    [list, listBytes] = [[], 0];
  }
  if (list.length > 0) yield list;
}

interface Line {
  readonly line: number;
  readonly text: string;
}

async function* linesOf(path: string, { cwd, signal }: ReportPlace): AsyncGenerator<Line> {
  for await (const pieces of splitLines(openGivenFile(resolve(cwd, path), signal), lineBytes)) {
    for (const { line, bytes, isTooLong } of pieces) if (!isTooLong) yield { line, text: bytes.toString('utf8') };
  }
}

function atLine<Result>(path: string, line: number, read: () => Result): Result {
  try {
    return read();
  } catch (fault) {
    if (!(fault instanceof InvalidMessage)) throw fault;
    throw new BadTrainingReport(path, line, fault.message);
  }
}

class ReportReader {
  readonly #words: KnownWords;
  #course: TrainingProgress;
  #left: Snapshot | null = null;
  #rest: Partial<TrainingReport> = {};
  hasSpoken = false;
  hasRollouts = false;

  constructor(words: KnownWords) {
    this.#words = words;
    this.#course = new TrainingProgress(words);
  }

  get whole(): TrainingReport {
    return { ...emptyReport, ...this.#rest, left: this.#left, spent: this.#course.spent, curve: this.#course.curve };
  }

  take(line: string): void {
    const message = messageIn(line);
    const own = message === null ? trainLineIn(line) : null;
    this.hasSpoken ||= message !== null || own !== null;
    if (message !== null) this.#hear(message);
    else if (own?.kind === 'point') this.#course.add(own.point);
    else if (own?.kind === 'trained') this.#settle(own);
  }

  #hear(message: Message): void {
    if (message.kind === 'step') this.#course.add(message.point);
    else if (message.kind === 'saved') this.#left = message.snapshot;
    else if (message.kind === 'rollout') {
      this.hasRollouts = true;
      this.#course.tried(message.rollout);
    } else if (message.kind === 'done') {
      const { checkpoint, spent = {}, results, learningSignal: signal = [], sampled = [] } = message.done;
      this.#course.spend(spent);
      if (checkpoint !== undefined) this.#left = checkpoint;
      this.#rest = { signal, sampled, ...(results === undefined ? {} : { results }) };
    }
  }

  /** If a training was resumed, only its last line covers all of it. */
  #settle({ curve, spent, signal, results, checkpoint }: Extract<TrainLine, { kind: 'trained' }>): void {
    this.#course = new TrainingProgress(this.#words);
    for (const point of curve) this.#course.add(point);
    this.#course.spend(spent);
    this.#rest = { signal, ...(results === null ? {} : { results }) };
    if (checkpoint !== null) this.#left = snapshotOf(checkpoint);
  }
}

type Left = NonNullable<Extract<TrainLine, { kind: 'trained' }>['checkpoint']>;

function snapshotOf({ reference, digest, step }: Left): Snapshot {
  const at = step === undefined ? {} : { step };
  return digest === undefined ? { reference, ...at } : { file: reference, digest, ...at };
}

function trainLineIn(line: string): TrainLine | null {
  if (!line.startsWith('{"kind":')) return null;
  try {
    return lakeTrain.safeParse(parseJson(line)).data ?? null;
  } catch {
    return null;
  }
}

export class BadTrainingReport extends IcecoreError {
  override readonly name = 'BadTrainingReport';

  constructor(path: string, line: number | null, what: string) {
    super('bad-input', `${path}${line === null ? '' : `, line ${line}`}: ${what}`, {
      facts: { path, line },
      remedy:
        'Give the lines that a trainer prints: {"step": 1, "spent": {...}, "values": {...}}; see docs/trainers.md.',
    });
  }
}
