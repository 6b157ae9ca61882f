// `icecore lake solve` and `icecore lake judge`: one output line for each input line, in order, even for invalid lines, so that both
// stay aligned.
import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import type { LakeRefused } from '../../schemas/lake-output.ts';
import type { CommandContext } from '../../src/library/plugins/index.ts';
import {
  count,
  counted,
  escapeControlsInJson,
  type InputLine,
  inputLines,
  jsonFaultIn,
  jsonText,
  mapInOrder,
  openSource,
  type Source,
} from '../../src/library/plugins/tools.ts';
import { defaultEffort } from '../lake/solver/solver.ts';
import { type LineJob, LineProcessor, type Refusal, type Replies, type Reply } from '../lake/workers/jobs.ts';
import { WorkerPool } from '../lake/workers/pool.ts';

/** In bytes: far more than any instance with a plan needs, which leaves room for other keys. */
export const longestLine = 4 * 2 ** 20;

export function lakeLines(source: Source): AsyncGenerator<readonly InputLine[], void, undefined> {
  return inputLines(source, longestLine, 'an instance in JSON');
}

type LineFault = LakeRefused['error'];

/** `fault`: of the instance; null if the line is not JSON. */
export function faultIn(input: InputLine, fault: Refusal['fault']): LineFault {
  const { line } = input;
  const { field, found, allowed } =
    fault === null ? jsonFaultIn(input) : (fault.facts as unknown as Pick<LineFault, 'field' | 'found' | 'allowed'>);
  const where = field === '' ? `line ${line}` : `line ${line}: ${field}`;
  return { kind: 'bad-input', message: `${where}: found ${found}, allowed: ${allowed}`, field, found, allowed, line };
}

/** In milliseconds: the approximate time for a part of the lines, which limits the delay of answers and signals. */
const partTakes = 2;
const maxInPart = 64;
const maxBytesInPart = 2 ** 18;
const partsPerThread = 4;
/** In milliseconds: less work than this is not worth handing over to a thread. */
const handingOver = 0.3;
/** In milliseconds: work done before threads are started. */
const worthThreads = 200;

interface Answered {
  readonly lines: readonly InputLine[];
  readonly replies: readonly Reply[];
}

/** Answers lines itself while they are few and easy, and hands them to threads when that is faster. */
class Answering {
  readonly #job: LineJob;
  readonly #jobs: number;
  readonly #processor: LineProcessor;
  #pool: WorkerPool<string, Reply> | null = null;
  /** The recent time per line, in milliseconds. */
  #pace = 0.02;
  #doneAlone = 0;
  #underWay = 0;

  constructor(job: LineJob, jobs: number) {
    this.#job = job;
    this.#jobs = jobs;
    this.#processor = new LineProcessor(job);
  }

  async *answers(source: Source, signal: AbortSignal): AsyncGenerator<Answered, void, undefined> {
    const answered = async (lines: readonly InputLine[]): Promise<Answered> => {
      const { replies, ms } = await this.#repliesTo(lines.map(({ text }) => text));
      this.#pace = (this.#pace + ms / lines.length) / 2;
      return { lines, replies };
    };
    try {
      yield* mapInOrder(this.#parts(source), partsPerThread * this.#jobs, answered, signal);
    } finally {
      await this.#pool?.close(signal.reason ?? new Error('all lines are answered'));
    }
  }

  async *#parts(source: Source): AsyncGenerator<readonly InputLine[], void, undefined> {
    for await (const lines of lakeLines(source)) {
      for (let from = 0, to = 0; from < lines.length; from = to) {
        const most = Math.min(maxInPart, Math.ceil(partTakes / this.#pace));
        let bytes = 0;
        while (to < lines.length && to - from < most && bytes < maxBytesInPart) bytes += lines[to++]?.bytes ?? 0;
        yield lines.slice(from, to);
      }
    }
  }

  async #repliesTo(texts: readonly string[]): Promise<Replies<Reply>> {
    if (this.#isOwnWork(texts.length)) return await this.#alone(texts);
    this.#pool ??= new WorkerPool(this.#job, this.#jobs);
    this.#underWay += 1;
    try {
      return await this.#pool.do(texts);
    } finally {
      this.#underWay -= 1;
    }
  }

  /** With more than the default effort, one line may take so long that signals would not be handled. */
  #isOwnWork(lines: number): boolean {
    if (this.#job.effort > defaultEffort) return false;
    if (this.#jobs === 1) return true;
    if (this.#pool === null) return this.#doneAlone < worthThreads;
    return this.#underWay === 0 && (lines === 1 || lines * this.#pace < handingOver);
  }

  /** Signals are delivered only when the event loop runs. */
  async #alone(texts: readonly string[]): Promise<Replies<Reply>> {
    const replies: Reply[] = [];
    let ms = 0;
    let begun = performance.now();
    for (const text of texts) {
      replies.push(this.#processor.reply(text));
      const took = performance.now() - begun;
      if (took < partTakes && replies.length < texts.length) continue;
      ms += took;
      if (took > partTakes / 2) await setImmediate();
      begun = performance.now();
    }
    if (texts.length > 1) this.#doneAlone += ms;
    return { replies, ms };
  }
}

interface LinesOptions {
  readonly effort?: number;
  readonly jobs?: number;
}

export async function answerLines(
  context: CommandContext,
  verb: LineJob['verb'],
  file: string,
  { effort = defaultEffort, jobs = availableParallelism() }: LinesOptions,
): Promise<number> {
  const { io, signal } = context;
  const source = await openSource(context, file, 'instances, one per line,');
  const progress = context.progress('lines');
  let first = '';
  let [done, bytes, refusals] = [0, 0, 0];
  try {
    for await (const { lines, replies } of new Answering({ verb, effort }, jobs).answers(source, signal)) {
      let text = '';
      for (const [i, line] of lines.entries()) {
        const reply = replies[i] as Reply;
        if (typeof reply === 'string') text += `${escapeControlsInJson(reply)}\n`;
        else {
          const error = faultIn(line, reply.fault);
          text += `${jsonText({ id: reply.id, error } satisfies LakeRefused)}\n`;
          refusals += 1;
          first ||= error.message;
        }
        bytes += line.bytes;
      }
      await io.stdout.write(text);
      done += lines.length;
      // In a pipe or on the terminal itself, progress would interfere with the output of other commands.
      if (io.stdout.isFile) await progress.update({ done, bytes, totalBytes: source.totalBytes });
    }
  } finally {
    source.close();
    await progress.end();
  }
  if (refusals === 0) return 0;
  const words = refusals === 1 ? first : `the first is ${first}`;
  await context.say(`${count(refusals)} of ${counted(done, 'line')} could not be answered; ${words}`);
  return 1;
}
