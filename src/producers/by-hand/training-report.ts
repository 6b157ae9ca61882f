// Reads a trainer's messages from a file: the lines described in docs/trainers.md, or those of `icecore lake train
// --json`. Other lines are skipped.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { lakeTrain, type TrainLine } from '../../../schemas/training-output.ts';
import { InvalidMessage, type Message, messageIn, type Snapshot } from '../../lab/trainers/command/messages.ts';
import { TrainingProgress } from '../../lab/trainers/command/running.ts';
import type { Trained } from '../../lab/trainers/trainer.ts';

export interface TrainingReport extends Omit<Trained, 'checkpoint'> {
  /** Its final checkpoint; null if it reported none. */
  readonly left: Snapshot | null;
}

export const emptyReport: TrainingReport = { left: null, spent: {}, curve: [], signal: [], sampled: [] };

/** Throws BadTrainingReport at the first line that is an invalid message. */
export async function readTrainingReport(path: string, cwd: string): Promise<TrainingReport> {
  const reader = new ReportReader();
  const lines = (await readFile(resolve(cwd, path), 'utf8')).split('\n');
  for (const [i, line] of lines.entries()) {
    try {
      reader.take(line);
    } catch (fault) {
      if (!(fault instanceof InvalidMessage)) throw fault;
      throw new BadTrainingReport(path, i + 1, fault.message);
    }
  }
  if (!reader.hasSpoken) throw new BadTrainingReport(path, null, 'no line reports an update');
  return reader.whole;
}

class ReportReader {
  #course = new TrainingProgress();
  #left: Snapshot | null = null;
  #rest: Partial<TrainingReport> = {};
  hasSpoken = false;

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
    else if (message.kind === 'done') {
      const { checkpoint, spent = {}, results, learningSignal: signal = [], sampled = [] } = message.done;
      this.#course.spend(spent);
      if (checkpoint !== undefined) this.#left = checkpoint;
      this.#rest = { signal, sampled, ...(results === undefined ? {} : { results }) };
    }
  }

  /** If a training was resumed, only its last line covers all of it. */
  #settle({ curve, spent, signal, results, checkpoint }: Extract<TrainLine, { kind: 'trained' }>): void {
    this.#course = new TrainingProgress();
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
