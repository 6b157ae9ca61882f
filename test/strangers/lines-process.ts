// A traced process that runs many command lines, since most of the time of a short one is its start.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CallLog, none, type Surroundings, type Traced, tracing } from './trace.ts';

/** A command line for the program in lines-program.ts. */
export interface Order {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
}

export interface Reply {
  readonly code: number;
  readonly output: string;
}

const program = fileURLToPath(new URL('lines-program.ts', import.meta.url));

export class LinesProcess {
  readonly #folder: string = mkdtempSync(join(tmpdir(), 'icecore-trace-'));
  readonly #env: Readonly<Record<string, string>>;
  readonly #canTrace: boolean;
  readonly #printed: Buffer[] = [];
  #started: Promise<Started> | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  /** The environment in which it starts; each line has its own. */
  constructor(env: Readonly<Record<string, string>>, canTrace: boolean) {
    this.#env = env;
    this.#canTrace = canTrace;
  }

  /** One line at a time, in the order of the calls. */
  run(words: readonly string[], surroundings: Surroundings): Promise<Traced> {
    const ran = this.#turn.then(() => this.#run(words, surroundings));
    this.#turn = ran.catch(() => {});
    return ran;
  }

  /** Returns what was printed outside the lines. */
  async end(): Promise<string> {
    await this.#turn;
    await this.#stop();
    rmSync(this.#folder, { recursive: true, force: true });
    return Buffer.concat(this.#printed).toString();
  }

  async #run(words: readonly string[], { limitSeconds, ...place }: Surroundings): Promise<Traced> {
    this.#started ??= this.#start();
    const { child, log, ended } = await this.#started;
    let limit: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      limit = setTimeout(resolve, limitSeconds * 1000, null);
    });
    child.send({ words, ...place } satisfies Order);
    const reply = await Promise.race([once(child, 'message').then(([one]) => one as Reply), ended, late]);
    clearTimeout(limit);
    const effects = log?.effects(place.cwd) ?? none;
    if (reply !== null && 'output' in reply) return { ...reply, effects };
    // The next line starts another process.
    await this.#stop();
    return { code: reply === null ? null : -1, output: Buffer.concat(this.#printed).toString(), effects };
  }

  async #start(): Promise<Started> {
    const path = join(mkdtempSync(join(this.#folder, 'process-')), 'log');
    const line = [process.execPath, program];
    const [command = '', ...args] = this.#canTrace ? tracing(line, path) : line;
    const child = spawn(command, args, { env: this.#env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'], detached: true });
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => void this.#printed.push(chunk));
    const ended = once(child, 'close').then(() => ({ ended: true }) as const);
    await Promise.race([once(child, 'message'), ended]);
    if (!this.#canTrace) return { child, log: null, ended };
    const log = new CallLog(path);
    // What it did to start belongs to no line.
    log.effects(this.#folder);
    return { child, log, ended };
  }

  async #stop(): Promise<void> {
    if (this.#started === null) return;
    const { child, log, ended } = await this.#started;
    this.#started = null;
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL');
    await ended;
    log?.[Symbol.dispose]();
  }
}

interface Started {
  readonly child: ChildProcess;
  readonly log: CallLog | null;
  readonly ended: Promise<{ readonly ended: true }>;
}
