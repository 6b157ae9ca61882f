// Has lines answered, in order and as soon as can be: a few at once by itself, because handing them over would take
// longer; many by a crew of threads, once it shows that there is work for one. What is answered never depends on it.
import { setImmediate } from 'node:timers/promises';
import { defaultEffort } from '../../lab/lake/solver/solver.ts';
import { type LineJob, LineProcessor, type Replies, type Reply } from '../../lab/lake/workers/jobs.ts';
import { WorkerPool } from '../../lab/lake/workers/pool.ts';
import { answerOf } from './answer.ts';
import type { Asked } from './asked.ts';

/** In milliseconds. A part of the lines takes about so long: answers are not held back for longer, signals neither. */
const partTakes = 2;
/** Less than this is not worth handing over. */
const handingOver = 0.3;
/** So much work is done alone before a crew is called, which must be worth the time it takes to start one. */
const worthACrew = 200;

const mostInPart = 64;
const mostBytesInPart = 2 ** 18;
const partsPerThread = 4;

export interface Written {
  readonly lines: number;
  readonly bytes: number;
  readonly refused: readonly string[];
}

export interface DeskOptions {
  readonly duty: LineJob;
  /** Threads, of which one is none besides this. */
  readonly jobs: number;
  readonly signal: AbortSignal;
  write(text: string, written: Written): Promise<void>;
  /** Called when no further answer can be given, though lines may still come. */
  onFault(): void;
}

export class Desk {
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
