// What `icecore lake solve` and `icecore lake judge` do: one output line for each input line, in order, also where a line is no
// instance, so that both stay aligned.

import { isUtf8 } from 'node:buffer';
import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import type { LakeRefused } from '../../../schemas/lake-output.ts';
import { defaultEffort } from '../../../testbed/lake/solver/solver.ts';
import {
  type LineJob,
  LineProcessor,
  type Refusal,
  type Replies,
  type Reply,
} from '../../../testbed/lake/workers/jobs.ts';
import { WorkerPool } from '../../../testbed/lake/workers/pool.ts';
import { escapeSteering, jsonText } from '../../base/printable-json.ts';
import { count, counted } from '../../base/quantity.ts';
import { visible } from '../../base/visible.ts';
import { findJsonFault } from '../../producers/intake/json-faults.ts';
import { type Piece, splitLines } from '../../producers/intake/pieces.ts';
import type { Context } from '../context.ts';
import { Progress } from '../output/progress.ts';
import { openSource, type Source } from '../source.ts';

interface Answer {
  readonly text: string;
  /** Why it is no answer; null where it is one. */
  readonly refused: string | null;
}

function answerOf(asked: Asked, reply: Reply): Answer {
  if (typeof reply === 'string') return { text: escapeSteering(reply), refused: null };
  const refused: LakeRefused = { id: reply.id, error: faultIn(asked, reply.fault) };
  return { text: jsonText(refused), refused: refused.error.message };
}

type LineFault = LakeRefused['error'];

export function faultIn(asked: Asked, fault: Refusal['fault']): LineFault {
  const { line } = asked;
  const { field, found, allowed } = fault === null ? notRead(asked) : (fault.facts as unknown as Place);
  const where = field === '' ? `line ${line}` : `line ${line}: ${field}`;
  return { kind: 'bad-input', message: `${where}: found ${found}, allowed: ${allowed}`, field, found, allowed, line };
}

type Place = Pick<LineFault, 'field' | 'found' | 'allowed'>;

function notRead({ text, fault }: Asked): Place {
  if (fault !== null) return { field: '', ...fault };
  const { line, column, found, allowed, isTruncated } = findJsonFault(text);
  const what = isTruncated ? 'the end of the line' : found;
  return { field: line === 1 ? `column ${column}` : '', found: `${what}, which makes it no JSON`, allowed };
}

/** In bytes: far more than any instance with any plan takes, so that there is room for what else a line carries. */
export const longestLine = 4 * 2 ** 20;

export interface Asked {
  /** From 1, blank lines counted. */
  readonly line: number;
  /** Empty where there is a fault. */
  readonly text: string;
  /** Bytes of the input, its line break included. */
  readonly bytes: number;
  readonly fault: { readonly found: string; readonly allowed: string } | null;
}

/** What a byte order mark leaves blank is left out, like all that is blank. */
export function askedIn(pieces: readonly Piece[]): readonly Asked[] {
  return pieces.map(asked).filter(({ text, fault }) => text !== '' || fault !== null);
}

function asked(piece: Piece): Asked {
  const { line, bytes, size } = piece;
  const fault = faultOf(piece);
  return { line, text: fault === null ? withoutMark(bytes.toString('utf8')) : '', bytes: size + 1, fault };
}

function faultOf({ bytes, size, isTooLong }: Piece): Asked['fault'] {
  if (isTooLong) return { found: `${size} bytes`, allowed: `at most ${longestLine} bytes` };
  if (isUtf8(bytes)) return null;
  return { found: 'bytes that are no text in UTF-8', allowed: 'an instance in JSON' };
}

function withoutMark(text: string): string {
  if (!text.startsWith('\ufeff')) return text;
  const rest = text.slice(1);
  return /^[ \t\r]*$/.test(rest) ? '' : rest;
}

/** In milliseconds. A part of the lines takes about so long: answers are not held back for longer, signals neither. */
const partTakes = 2;
/** Less than this is not worth handing over. */
const handingOver = 0.3;
/** So much work is done alone before a crew is called, which must be worth the time it takes to start one. */
const worthACrew = 200;

const mostInPart = 64;
const mostBytesInPart = 2 ** 18;
const partsPerThread = 4;

interface Written {
  readonly lines: number;
  readonly bytes: number;
  readonly refused: readonly string[];
}

interface DeskOptions {
  readonly duty: LineJob;
  /** Threads, of which one is none besides this. */
  readonly jobs: number;
  readonly signal: AbortSignal;
  write(text: string, written: Written): Promise<void>;
  /** Called when no further answer can be given, though lines may still come. */
  onFault(): void;
}

class Desk {
  readonly #options: DeskOptions;
  readonly #clerk: LineProcessor;
  #crew: WorkerPool<string, Reply> | null = null;
  /** What a line has taken lately, in milliseconds. */
  #pace = 0.02;
  #doneAlone = 0;
  /** Parts with the crew, in order: each is settled when its answers are written. */
  readonly #underWay: Promise<void>[] = [];
  #fault: { readonly error: unknown } | null = null;

  constructor(options: DeskOptions) {
    this.#options = options;
    this.#clerk = new LineProcessor(options.duty);
    options.signal.addEventListener('abort', this.#abort, { once: true });
  }

  /** Comes back when the next lines may be given. */
  async take(lines: readonly Asked[]): Promise<void> {
    for (let from = 0; from < lines.length; ) {
      this.#options.signal.throwIfAborted();
      const part = this.#partOf(lines, from);
      from += this.#isOwnWork(lines.length - from) ? await this.#doAlone(part) : await this.#handOver(part);
    }
  }

  /** Comes back when everything is answered. */
  async finish(): Promise<void> {
    await this.#underWay.at(-1);
  }

  throwFault(): void {
    if (this.#fault !== null) throw this.#fault.error;
  }

  async close(): Promise<void> {
    this.#options.signal.removeEventListener('abort', this.#abort);
    await this.#crew?.close(new Error('closed'));
  }

  readonly #abort = (): void => {
    this.#crew?.close(this.#options.signal.reason);
  };

  #partOf(lines: readonly Asked[], from: number): readonly Asked[] {
    const most = Math.min(mostInPart, Math.ceil(partTakes / this.#pace));
    let bytes = 0;
    let to = from;
    while (to < lines.length && to - from < most && bytes < mostBytesInPart) bytes += (lines[to++] as Asked).bytes;
    return lines.slice(from, to);
  }

  /** With more effort than usual one line may take so long that nothing could be stopped any more. */
  #isOwnWork(waiting: number): boolean {
    const { jobs, duty } = this.#options;
    if (duty.effort > defaultEffort) return false;
    if (jobs === 1) return true;
    if (this.#crew === null) return this.#doneAlone < worthACrew;
    return this.#underWay.length === 0 && (waiting === 1 || waiting * this.#pace < handingOver);
  }

  /** As many lines of the part as can be answered without making others wait; says how many that were. */
  async #doAlone(part: readonly Asked[]): Promise<number> {
    const replies: Reply[] = [];
    const begun = performance.now();
    let ms = 0;
    while (replies.length < part.length && ms < partTakes) {
      replies.push(this.#clerk.reply((part[replies.length] as Asked).text));
      ms = performance.now() - begun;
    }
    if (part.length > 1) this.#doneAlone += ms;
    await this.#write(part, { replies, ms });
    // Signals are heard only when nothing else is done.
    if (ms > partTakes / 2) await setImmediate();
    return replies.length;
  }

  async #handOver(part: readonly Asked[]): Promise<number> {
    const { duty, jobs } = this.#options;
    this.#crew ??= new WorkerPool(duty, jobs);
    const answered = this.#crew.do(part.map(({ text }) => text));
    const written = this.#inTurn(this.#underWay.at(-1), part, answered);
    this.#underWay.push(written);
    written.then(
      () => this.#underWay.shift(),
      (error) => {
        this.#fault ??= { error };
        this.#options.onFault();
      },
    );
    if (this.#underWay.length >= partsPerThread * jobs) await this.#underWay[0];
    return part.length;
  }

  async #inTurn(
    before: Promise<void> | undefined,
    part: readonly Asked[],
    answered: Promise<Replies<Reply>>,
  ): Promise<void> {
    const [done] = await Promise.all([answered, before]);
    await this.#write(part, done);
  }

  async #write(part: readonly Asked[], { replies, ms }: Replies<Reply>): Promise<void> {
    const done = part.slice(0, replies.length);
    this.#pace = (this.#pace + ms / done.length) / 2;
    const answers = done.map((asked, i) => answerOf(asked, replies[i] as Reply));
    await this.#options.write(answers.map(({ text }) => `${text}\n`).join(''), {
      lines: done.length,
      bytes: done.reduce((sum, { bytes }) => sum + bytes, 0),
      refused: answers.flatMap(({ refused }) => refused ?? []),
    });
  }
}

interface FilterOptions {
  readonly effort?: number;
  readonly jobs?: number;
}

interface Tally {
  lines: number;
  refused: number;
  firstRefusal: string;
}

export async function filter(
  context: Context,
  verb: LineJob['verb'],
  file: string,
  { effort = defaultEffort, jobs = availableParallelism() }: FilterOptions,
): Promise<number> {
  const source = await openSource(context, file, [], 'instances, one a line,');
  const tally = await answered(context, source, { verb, effort }, jobs);
  if (tally.refused === 0) return 0;
  await context.say(complaint(tally));
  return 1;
}

async function answered(context: Context, source: Source, duty: LineJob, jobs: number): Promise<Tally> {
  const { stdout } = context.io;
  const tally: Tally = { lines: 0, refused: 0, firstRefusal: '' };
  const progress = new Progress(context, 'lines');
  let done = 0;
  const write = async (text: string, { lines, bytes, refused }: Written): Promise<void> => {
    await stdout.write(text);
    tally.lines += lines;
    tally.refused += refused.length;
    if (tally.firstRefusal === '') tally.firstRefusal = refused[0] ?? '';
    done += bytes;
    // Between other programs, or on the terminal itself, it would stand in the way of what they say.
    if (!stdout.isFile) return;
    await progress.update({ done: tally.lines, bytes: done, totalBytes: source.totalBytes });
  };
  const desk = new Desk({ duty, jobs, signal: context.signal, write, onFault: () => source.close() });
  try {
    for await (const pieces of splitLines(source.bytes, longestLine)) await desk.take(askedIn(pieces));
    await desk.finish();
    return tally;
  } catch (error) {
    // A fault of the desk closes the source, which is no fault of the source's.
    desk.throwFault();
    throw error;
  } finally {
    source.close();
    await desk.close();
    await progress.end();
  }
}

function complaint({ lines, refused, firstRefusal }: Tally): string {
  const first = refused === 1 ? firstRefusal : `the first is ${firstRefusal}`;
  return visible(`${count(refused)} of ${counted(lines, 'line')} could not be answered; ${first}`);
}
