// A pool of threads for one kind of job. A free thread takes the next job; results do not depend on which thread does a job,
// nor on the number of threads.
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { type ResourceLimits, Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * The file of a thread next to the module that starts it, whose `import.meta.url` is given: source in a clone, built code in
 * a package.
 */
export function moduleBeside(name: string, importer: string): URL {
  return new URL(`./${name}${importer.endsWith('.ts') ? '.ts' : '.js'}`, importer);
}

/** Options of the process, such as the code of `node -e`, are not passed on. */
export function startThread(module: URL, options: WorkerOptions = {}): Worker {
  return new Worker(module, { execArgv: [], env: threadEnvironment(), ...options });
}

/**
 * A thread finds the compile cache only through its environment. Without it, Node loads its TypeScript compiler in each
 * thread again, which takes longer than the rest of starting it.
 */
function threadEnvironment(): NodeJS.ProcessEnv {
  const ofThisVersion = getCompileCacheDir();
  if (ofThisVersion === undefined) return process.env;
  return { ...process.env, NODE_COMPILE_CACHE: dirname(ofThisVersion) };
}

/** A thread ended unexpectedly. */
export class ThreadDied extends Error {
  override readonly name = 'ThreadDied';
}

interface Thread<Outcome> {
  readonly worker: Worker;
  busy: { readonly resolve: (outcome: Outcome) => void; readonly reject: (error: unknown) => void } | null;
}

/** A pool of worker threads that all run the same module; each job goes to the next free thread. */
export class Threads<Job, Outcome> {
  readonly #threads: readonly Thread<Outcome>[];
  readonly #free: Thread<Outcome>[];
  readonly #wanting: ((thread: Thread<Outcome>) => void)[] = [];
  /** Why the pool is closed. */
  #end: { readonly reason: unknown } | null = null;

  /** Each thread starts with the module and `data`, and answers every message, which is a job, with one message: the outcome. */
  constructor(module: URL, data: unknown, count: number, room: ResourceLimits = {}) {
    if (!Number.isInteger(count) || count < 1)
      throw new RangeError(`the number of threads must be a whole number from 1, found ${count}`);
    this.#threads = Array.from({ length: count }, () => this.#start(module, data, room));
    this.#free = [...this.#threads];
  }

  get count(): number {
    return this.#threads.length;
  }

  /** Runs a job as soon as a thread is free. Throws the reason of closing, or the error that ended a thread. */
  async do(job: Job): Promise<Outcome> {
    const thread = this.#free.pop() ?? (await new Promise<Thread<Outcome>>((resolve) => this.#wanting.push(resolve)));
    try {
      if (this.#end !== null) throw this.#end.reason;
      return await new Promise((resolve, reject) => {
        thread.busy = { resolve, reject };
        thread.worker.postMessage(job);
      });
    } finally {
      thread.busy = null;
      const next = this.#wanting.shift();
      if (next === undefined) this.#free.push(thread);
      else next(thread);
    }
  }

  /** Ends all threads; waiting jobs fail with the reason. */
  async close(reason: unknown): Promise<void> {
    this.#give(reason);
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #start(module: URL, workerData: unknown, resourceLimits: ResourceLimits): Thread<Outcome> {
    const worker = startThread(module, { workerData, resourceLimits });
    const thread: Thread<Outcome> = { worker, busy: null };
    worker.on('message', (outcome: Outcome) => thread.busy?.resolve(outcome));
    worker.on('error', (error) => this.#give(error));
    worker.on('exit', (code) => this.#give(new ThreadDied(`a thread ended with code ${code}`)));
    return thread;
  }

  #give(reason: unknown): void {
    this.#end ??= { reason };
    for (const { busy } of this.#threads) busy?.reject(this.#end.reason);
  }
}
