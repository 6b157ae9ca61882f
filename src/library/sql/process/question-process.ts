// The process in which questions of a person run, seen from the command: DuckDB's limit of memory does not count all that a
// question may build up, and a single step on one enormous value cannot be interrupted, so that only killing stops it. One is
// started before the first question, serves one after the other, and is killed when a question needs more than it may or is
// not wanted any more; the next question then has a new one. It only reads, so killing it leaves nothing behind but the locks
// that the system takes back.
import { type ChildProcess, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { IcecoreError } from '../../../../schemas/errors.ts';
import { moduleBeside } from '../../../base/threads.ts';
import { ProcessEnded, QuestionCancelled, TookTooLong, TooMuchMemory } from '../../../projections/query/errors.ts';
import {
  type ErrorRecord,
  errorFrom,
  type ProcessLimits,
  type Reply,
  type Request,
  type Results,
  taken,
} from './messages.ts';

type TakeBytes = (bytes: Uint8Array) => Promise<void>;

/** A process may be silent for so long, however little time a question may take: a busy machine starts it slowly. */
const patienceMs = 20_000;

/** What it keeps of an earlier question must not be held against the next one. */
const mostKeptBytes = 256 * 2 ** 20;

/** Of the memory of a question, which may have all of it besides: where rows become a Parquet file. */
const parquetShare = 0.5;

export class QuestionProcess {
  readonly #limits: ProcessLimits;
  readonly #memoryMegabytes: number;
  #running: Running | null = null;

  constructor(limits: ProcessLimits, use: 'any format' | 'parquet' = 'any format') {
    this.#limits = limits;
    this.#memoryMegabytes = Math.ceil(limits.memoryMegabytes * (use === 'parquet' ? 1 + parquetShare : 1));
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
    if (signal.aborted) throw new QuestionCancelled();
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

class Running {
  readonly #child: ChildProcess;
  readonly #replies: AsyncIterator<readonly unknown[]>;
  readonly #limits: ProcessLimits;
  readonly #exited: Promise<Exit>;
  /** The end of what it wrote to standard error. */
  #lastWords = '';
  /** Why it was killed from here. */
  #reason: Error | null = null;
  /** It has answered, and waits for the next question. */
  isIdle = true;

  constructor(limits: ProcessLimits, memoryMegabytes: number) {
    this.#limits = limits;
    this.#child = startProcess(memoryMegabytes);
    this.#exited = exitOf(this.#child);
    this.#replies = on(this.#child, 'message', { close: ['disconnect', 'close'] });
    this.#child.stderr?.on('data', (text) => {
      this.#lastWords = (this.#lastWords + String(text)).slice(-4096);
    });
  }

  async ask(request: Request, signal: AbortSignal, take: TakeBytes): Promise<Extract<Reply, { reply: 'done' }>> {
    const cancel = (): void => this.#kill(new QuestionCancelled());
    signal.addEventListener('abort', cancel);
    this.isIdle = false;
    try {
      this.#send(request);
      for (;;) {
        const reply = await this.#next();
        if (reply.reply === 'failed') throw this.#errorFrom(reply.error);
        if (reply.reply === 'bytes') {
          await take(reply.bytes);
          this.#send(taken);
        }
        if (reply.reply !== 'done') continue;
        this.isIdle = true;
        return reply;
      }
    } catch (fault) {
      throw this.#reason ?? fault;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  async end(): Promise<void> {
    this.#kill(null);
    await this.#exited;
  }

  /** Why a process takes nothing any more, its end says. */
  #send(message: Request | typeof taken): void {
    this.#child.send(message, () => undefined);
  }

  async #next(): Promise<Reply> {
    const { seconds } = this.#limits;
    const stuck = (): void => this.#kill(new TookTooLong(seconds));
    const timer = setTimeout(stuck, Math.max(patienceMs, seconds * 1000));
    try {
      const next = await this.#replies.next().catch(() => null);
      if (next === null || next.done === true) throw await this.#whyEnded();
      return next.value[0] as Reply;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Of a question that was stopped, the process may still hold the memory, or work on a step that nothing interrupts. */
  #errorFrom(record: ErrorRecord): Error {
    this.isIdle = record.name !== 'TookTooLong' && record.name !== 'TooMuchMemory';
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

const mebibyte = 2 ** 20;

/** What Node and DuckDB take before the first question, and what an answer takes on its way into a format. */
const ownMegabytes = 240;

/** Of that, what is no code read from files. */
const ownDataMegabytes = 160;

/** Where libraries and folders are, and how texts, numbers and times are written: names of variables that hold no secret. */
const passedOn =
  /^(?:TZ|TZDIR|LANG|LANGUAGE|LC_[A-Z]+|TMPDIR|TEMP|TMP|SYSTEMROOT|WINDIR|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH)$/i;

/** With what the operating system can limit, and with an environment that says where and in which language it runs, and nothing
 * else. */
function startProcess(memoryMegabytes: number): ChildProcess {
  const program = fileURLToPath(moduleBeside('child', import.meta.url));
  const mostBytes = (memoryMegabytes + ownMegabytes) * mebibyte;
  const node = [process.execPath, `--max-old-space-size=${memoryMegabytes}`, program, String(mostBytes)];
  const [command = '', ...args] = limited(node, memoryMegabytes);
  return spawn(command, args, {
    env: environment(),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
    windowsHide: true,
  });
}

function environment(): NodeJS.ProcessEnv {
  const passed = Object.entries(process.env).filter(([name]) => passedOn.test(name));
  const ofThisVersion = getCompileCacheDir();
  // The folder in it that is for this version, Node finds itself.
  const cache = ofThisVersion === undefined ? {} : { NODE_COMPILE_CACHE: dirname(ofThisVersion) };
  return { ...Object.fromEntries(passed), ...cache };
}

const shell = '/bin/sh';

/** No more data, no dumps of a process that dies, and the first to go where the machine runs out of memory. Elsewhere than on
 * Linux, the system does not limit what a process allocates: there it looks after itself alone. */
function limited(node: readonly string[], memoryMegabytes: number): readonly string[] {
  if (process.platform !== 'linux' || !existsSync(shell)) return node;
  const most = mostDataKilobytes(memoryMegabytes);
  const steps = `ulimit -c 0; ulimit -d ${most}; echo 1000 2>/dev/null >/proc/self/oom_score_adj; exec "$@"`;
  return [shell, '-c', steps, 'sh', ...node];
}

/** A thread of DuckDB reserves a stack. */
const threadMegabytes = 8;

/** Node reserves much more than it uses. This process is a Node, too, so it says how much that is. */
function mostDataKilobytes(memoryMegabytes: number): number {
  const status = readFileSync('/proc/self/status', 'utf8');
  const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
  const reserved = Math.max(0, kilobytes('VmData') - kilobytes('RssAnon'));
  return reserved + (memoryMegabytes + ownDataMegabytes + availableParallelism() * threadMegabytes) * 1024;
}
