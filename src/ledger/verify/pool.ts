// Several threads that look at pieces of the ledger, each with connections of its own. Pieces are handed out as threads
// come free; what came of them is given back in the order of the pieces, and only so many are under way at once.
import { Worker } from 'node:worker_threads';
import { sibling } from '../../base/sibling.ts';
import type { Crew } from './crew.ts';
import type { Job, Outcome } from './jobs.ts';
import type { ScanSetup } from './scan-worker.ts';

interface Thread {
  readonly worker: Worker;
  waiting: { resolve: (outcome: Outcome) => void; reject: (error: unknown) => void } | null;
}

/**
 * What a thread makes lives for one page of events. A bound on the rest, far above what a piece takes, keeps V8 from letting
 * garbage lie as long as the machine has room for it.
 */
const room = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 };

export class Pool implements Crew {
  readonly #threads: readonly Thread[];
  readonly #free: Thread[];
  readonly #wanting: ((thread: Thread) => void)[] = [];
  #broken: { readonly error: unknown } | null = null;

  constructor(setup: ScanSetup, threads: number) {
    this.#threads = Array.from({ length: threads }, () => this.#start(setup));
    this.#free = [...this.#threads];
  }

  async *run(jobs: AsyncIterable<Job>): AsyncGenerator<readonly [Job, Outcome]> {
    const underWay: { readonly job: Job; readonly outcome: Promise<Outcome> }[] = [];
    for await (const job of jobs) {
      const outcome = this.do(job);
      // Whoever awaits it later meets the fault; until then it is no unhandled one.
      outcome.catch(() => {});
      underWay.push({ job, outcome });
      if (underWay.length < 2 * this.#threads.length) continue;
      const first = underWay.shift();
      if (first !== undefined) yield [first.job, await first.outcome];
    }
    for (const { job, outcome } of underWay) yield [job, await outcome];
  }

  /** As soon as a thread is free. */
  async do(job: Job): Promise<Outcome> {
    const thread = this.#free.pop() ?? (await new Promise<Thread>((resolve) => this.#wanting.push(resolve)));
    try {
      if (this.#broken !== null) throw this.#broken.error;
      return await new Promise<Outcome>((resolve, reject) => {
        thread.waiting = { resolve, reject };
        thread.worker.postMessage(job);
      });
    } finally {
      thread.waiting = null;
      const next = this.#wanting.shift();
      if (next === undefined) this.#free.push(thread);
      else next(thread);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #start(setup: ScanSetup): Thread {
    const worker = new Worker(sibling('scan-worker', import.meta.url), {
      workerData: setup,
      // Whatever the program was started with, like the code of `node -e`, is not for this thread.
      execArgv: [],
      resourceLimits: room,
    });
    const thread: Thread = { worker, waiting: null };
    worker.on('message', (outcome: Outcome) => thread.waiting?.resolve(outcome));
    worker.on('error', (error) => {
      this.#broken ??= { error };
      for (const { waiting } of this.#threads) waiting?.reject(error);
    });
    return thread;
  }
}
