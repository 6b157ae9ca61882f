// The process for users' queries, as seen from the command. DuckDB's memory limit does not cover everything that a query may
// allocate, and a single step on one huge value can only be stopped by killing the process. A process is started before the first
// query, serves one query after the other, and is killed when a query exceeds its limits or is cancelled; the next query starts a new
// one. It only reads, so killing it leaves nothing behind except locks, which the system releases.
import { type ChildProcess, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { existsSync } from 'node:fs';
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

/** The maximum silence of a process, independent of the query's time limit: a busy machine starts it slowly. */
const patienceMs = 20_000;

/** Memory kept from an earlier query must not count against the next one. */
const maxKeptBytes = 256 * 2 ** 20;

/** The part of the query's memory for the scratch table of a Parquet file, in addition to the query's own. */
const parquetShare = 0.5;

export class QuestionProcess {
  readonly #limits: ProcessLimits;
  readonly #memoryMegabytes: number;
  #running: Running | null = null;

  constructor(limits: ProcessLimits, use: 'any format' | 'parquet' = 'any format') {
    this.#limits = limits;
    this.#memoryMegabytes = Math.ceil(limits.memoryMegabytes * (use === 'parquet' ? 1 + parquetShare : 1));
  }

  /** Starts in the background, to be ready for the first query. */
  prepare(): void {
    this.#running ??= new Running(this.#limits, this.#memoryMegabytes);
  }

  /** One query at a time. Passes on the bytes of the answer piece by piece. */
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
      isReusable = residentBytes < maxKeptBytes;
      return result as Results[Kind];
    } catch (fault) {
      isReusable = fault instanceof IcecoreError && running.isIdle;
      throw fault;
    } finally {
      if (!isReusable) await this.close();
    }
  }

  /** After it resolves, nothing holds the tables any more. */
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
  /** The end of its standard error. */
  #lastWords = '';
  /** Why it was killed by this side. */
  #reason: Error | null = null;
  /** It has answered and waits for the next query. */
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

  /** The exit of the process explains why it accepts no more messages. */
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

  /** After an aborted query, the process may still hold its memory or be in a step that cannot be interrupted. */
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

/** Messages of Node, the C++ library and the loader when an allocation fails. */
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

/** The memory of Node and DuckDB before the first query, and of an answer while it is formatted. */
const ownMegabytes = 240;

/** The part of it that is not code mapped from files. */
const ownDataMegabytes = 200;

/** Variables with library paths, folders and locale. None of them holds a secret. */
const passedOn =
  /^(?:TZ|TZDIR|LANG|LANGUAGE|LC_[A-Z]+|TMPDIR|TEMP|TMP|SYSTEMROOT|WINDIR|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH)$/i;

/** Starts it with limits of the operating system, where available, and with an environment of only these variables. */
function startProcess(memoryMegabytes: number): ChildProcess {
  const program = fileURLToPath(moduleBeside('child', import.meta.url));
  const maxBytes = (memoryMegabytes + ownMegabytes) * mebibyte;
  const node = [process.execPath, `--max-old-space-size=${memoryMegabytes}`, program, String(maxBytes)];
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
  // Node finds the folder for its version inside it.
  const cache = ofThisVersion === undefined ? {} : { NODE_COMPILE_CACHE: dirname(ofThisVersion) };
  return { ...Object.fromEntries(passed), ...cache };
}

const shell = '/bin/sh';

/** How many kilobytes a process has reserved without using them. */
const reservedKilobytes = String.raw`
  const status = require('fs').readFileSync('/proc/self/status', 'utf8');
  /^VmData:\s+(\d+) kB$/m.exec(status)[1] - /^RssAnon:\s+(\d+) kB$/m.exec(status)[1]`;

/** Limits data, disables core dumps, and lets the kernel kill it first when memory runs out. Only Linux limits allocations; on other
 * systems the process only watches itself. Node reserves hundreds of megabytes more than it uses, and how many depends on its version:
 * a process that has just started shows it. One that has run longer may have reserved gigabytes for its threads. */
function limited(node: readonly string[], memoryMegabytes: number): readonly string[] {
  if (process.platform !== 'linux' || !existsSync(shell)) return node;
  const steps = `
    most=$1 measure=$2; shift 2
    reserved=$("$1" "$2" -p "$measure") || exit
    ulimit -c 0; ulimit -d $((most + reserved))
    echo 1000 2>/dev/null >/proc/self/oom_score_adj; exec "$@"`;
  return [shell, '-c', steps, 'sh', String(maxUsedKilobytes(memoryMegabytes)), reservedKilobytes, ...node];
}

/** The stack that a thread reserves. */
const threadMegabytes = 8;

/** The threads that Node starts for reading files. */
const readingThreads = 4;

/** Without what Node reserves when it starts. DuckDB starts a thread a processor. */
function maxUsedKilobytes(memoryMegabytes: number): number {
  const threads = readingThreads + availableParallelism();
  return (memoryMegabytes + ownDataMegabytes + threads * threadMegabytes) * 1024;
}
