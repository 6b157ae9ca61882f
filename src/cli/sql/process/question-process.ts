// The process in which questions of a person run, seen from the command. One is started before the first question, serves one
// after the other, and is killed when a question needs more than it may or is not wanted any more; the next question then
// has a new one. It only reads, so killing it leaves nothing behind but the locks that the system takes back.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { IcecoreError } from '../../../../schemas/errors.ts';
import { ProcessEnded, QuestionCancelled, TookTooLong, TooMuchMemory } from '../../../projections/query/errors.ts';
import { type Limits, scratchShare } from '../../../projections/query/limits.ts';
import { type Frame, framesOf, sendMessage } from './frames.ts';
import { type ErrorRecord, errorFrom, type Reply, type Request, type Results } from './messages.ts';
import { startProcess } from './starting.ts';

type TakeBytes = (bytes: Uint8Array) => Promise<void>;

/** A process may be silent for so long, however little time a question may take: a busy machine starts it slowly. */
const patienceMs = 20_000;

/** What it keeps of an earlier question must not be held against the next one. */
const mostKeptBytes = 256 * 2 ** 20;

export class QuestionProcess {
  readonly #limits: Limits;
  readonly #memoryMegabytes: number;
  #running: Running | null = null;

  constructor(limits: Limits, use: 'any format' | 'parquet' = 'any format') {
    this.#limits = limits;
    const share = use === 'parquet' ? 1 + scratchShare : 1;
    this.#memoryMegabytes = Math.ceil(limits.memoryMegabytes * share);
  }

  /** Starts it in the background, so that it is ready when a question is. */
  prepare(): void {
    this.#running ??= new Running(this.#limits, this.#memoryMegabytes);
  }

  /** One question at a time. Bytes of the answer are handed over one piece after another. */
  async ask<Kind extends Request['request']>(
    request: Extract<Request, { request: Kind }>,
    signal: AbortSignal,
    take: TakeBytes = async () => undefined,
  ): Promise<Results[Kind]> {
    if (signal.aborted) throw new QuestionCancelled(true);
    this.prepare();
    const running = this.#running as Running;
    let isReusable = false;
    try {
      const { result, residentBytes } = await running.ask(request, signal, take);
      isReusable = residentBytes < mostKeptBytes;
      return result as Results[Kind];
    } catch (fault) {
      isReusable = fault instanceof IcecoreError && running.isIdle;
      throw fault;
    } finally {
      if (!isReusable) await this.close();
    }
  }

  /** When it resolves, nothing holds the tables any more. */
  async close(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    await running?.end();
  }
}

interface Done {
  readonly result: unknown;
  readonly residentBytes: number;
}

class Running {
  readonly #child: ChildProcess;
  readonly #socket: Socket;
  readonly #frames: ReturnType<typeof framesOf>;
  readonly #limits: Limits;
  readonly #exited: Promise<Exit>;
  /** The end of what it wrote to standard error. */
  #lastWords = '';
  /** Why it was killed from here. */
  #reason: Error | null = null;
  /** It has answered, and waits for the next question. */
  isIdle = true;

  constructor(limits: Limits, memoryMegabytes: number) {
    this.#limits = limits;
    this.#child = startProcess(memoryMegabytes);
    this.#exited = exitOf(this.#child);
    this.#socket = this.#child.stdio[3] as Socket;
    // The exit of the process says what became of its socket.
    this.#socket.on('error', () => undefined);
    this.#frames = framesOf(this.#socket);
    this.#child.stderr?.on('data', (text) => {
      this.#lastWords = (this.#lastWords + String(text)).slice(-4096);
    });
  }

  async ask(request: Request, signal: AbortSignal, take: TakeBytes): Promise<Done> {
    const cancel = (): void => this.#kill(new QuestionCancelled(true));
    signal.addEventListener('abort', cancel);
    this.isIdle = false;
    try {
      sendMessage(this.#socket, request).catch(() => undefined);
      return await this.#answer(take);
    } catch (fault) {
      throw this.#reason ?? fault;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  async end(): Promise<void> {
    this.#kill(null);
    // A socket in which a part of the answer still waits never closes by itself, and the process is not gone before that.
    this.#socket.destroy();
    await this.#exited;
  }

  async #answer(take: TakeBytes): Promise<Done> {
    for (;;) {
      const frame = await this.#nextFrame();
      if (frame.kind === 'bytes') await take(frame.bytes);
      else {
        const reply = frame.message as Reply;
        if (reply.reply === 'failed') throw this.#errorFrom(reply.error);
        if (reply.reply === 'done') {
          this.isIdle = true;
          return reply;
        }
      }
    }
  }

  async #nextFrame(): Promise<Frame> {
    const { seconds } = this.#limits;
    const stuck = (): void => this.#kill(new TookTooLong(seconds, true));
    const timer = setTimeout(stuck, Math.max(patienceMs, seconds * 1000));
    try {
      const next = await this.#frames.next().catch(() => null);
      if (next === null || next.done === true) throw await this.#whyEnded();
      return next.value;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Of a question that was stopped, the process may still hold the memory, or work on a step that nothing interrupts. */
  #errorFrom(record: ErrorRecord): Error {
    if (record.name === 'TookTooLong') return new TookTooLong(this.#limits.seconds, true);
    this.isIdle = record.name !== 'TooMuchMemory';
    return errorFrom(record);
  }

  async #whyEnded(): Promise<Error> {
    const timer = setTimeout(() => this.#kill(new ProcessEnded('it stopped listening')), patienceMs);
    const { code, signal } = await this.#exited;
    clearTimeout(timer);
    if (signal === 'SIGKILL' || outOfMemory.test(this.#lastWords))
      return new TooMuchMemory(this.#limits.memoryMegabytes);
    return new ProcessEnded(signal ?? `exit code ${code}`, this.#lastWords);
  }

  #kill(reason: Error | null): void {
    this.#reason ??= reason;
    this.#child.kill('SIGKILL');
  }
}

/** What Node, the C++ library and the loader say where an allocation fails. */
const outOfMemory = /out of memory|bad_alloc|cannot allocate|resource temporarily unavailable/i;

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

async function exitOf(child: ChildProcess): Promise<Exit> {
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    return { code, signal };
  } catch {
    return { code: null, signal: null };
  }
}
