// Threads that all do the same kind of work. Whoever is free takes the next job; what comes of a job does not depend on
// who that is, nor on how many there are.
import { type ResourceLimits, Worker } from 'node:worker_threads';

/** A thread that is no more, though nobody had ended it. */
export class ThreadDied extends Error {
  override readonly name = 'ThreadDied';
}

interface Thread<Outcome> {
  readonly worker: Worker;
  busy: { readonly resolve: (outcome: Outcome) => void; readonly reject: (error: unknown) => void } | null;
}

export class Threads<Job, Outcome> {
  readonly #threads: readonly Thread<Outcome>[];
  readonly #free: Thread<Outcome>[];
  readonly #wanting: ((thread: Thread<Outcome>) => void)[] = [];
  /** Why nothing is done any more. */
  #end: { readonly reason: unknown } | null = null;

  /** Each begins with the module and `data`, and answers every message, which is a job, with one: what came of it. */
  constructor(module: URL, data: unknown, count: number, room: ResourceLimits = {}) {
    if (!Number.isInteger(count) || count < 1) throw new RangeError(`${count} threads do nothing`);
    this.#threads = Array.from({ length: count }, () => this.#start(module, data, room));
    this.#free = [...this.#threads];
  }

  get count(): number {
    return this.#threads.length;
  }

  /** As soon as a thread is free. Throws what the threads were closed with, or what one of them died of. */
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

  /** Ends all threads; who still waits meets the reason. */
  async close(reason: unknown): Promise<void> {
    this.#give(reason);
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #start(module: URL, workerData: unknown, resourceLimits: ResourceLimits): Thread<Outcome> {
    // Whatever the program was started with, like the code of `node -e`, is not for this thread.
    const worker = new Worker(module, { workerData, execArgv: [], resourceLimits });
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
