// Threads that all have the same duty, for when there is more to do than one can do quickly. Whoever is free takes what
// comes next; what comes of it does not depend on who that is.
import { Worker } from 'node:worker_threads';
import { sibling } from '../../../base/sibling.ts';
import type { Answered, Duty } from './duty.ts';

interface Thread<Reply> {
  readonly worker: Worker;
  busy: { readonly resolve: (answered: Answered<Reply>) => void; readonly reject: (error: unknown) => void } | null;
}

/** A thread that is no more, though nobody had ended it. */
export class ThreadDied extends Error {
  override readonly name = 'ThreadDied';
}

/** What a thread makes lives for a line: V8 need not let as much garbage lie as the machine has room for. */
const room = { maxYoungGenerationSizeMb: 16 };

export class Crew<Item, Reply> {
  readonly #threads: readonly Thread<Reply>[];
  readonly #free: Thread<Reply>[];
  readonly #wanting: ((thread: Thread<Reply>) => void)[] = [];
  /** Why nothing is done any more. */
  #end: { readonly reason: unknown } | null = null;

  constructor(duty: Duty, threads: number) {
    this.#threads = Array.from({ length: threads }, () => this.#start(duty));
    this.#free = [...this.#threads];
  }

  /** Throws what the crew was closed with, or what a thread died of. */
  async do(items: readonly Item[]): Promise<Answered<Reply>> {
    const thread = this.#free.pop() ?? (await new Promise<Thread<Reply>>((resolve) => this.#wanting.push(resolve)));
    try {
      if (this.#end !== null) throw this.#end.reason;
      return await new Promise((resolve, reject) => {
        thread.busy = { resolve, reject };
        thread.worker.postMessage(items);
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

  #start(duty: Duty): Thread<Reply> {
    const worker = new Worker(sibling('thread', import.meta.url), {
      workerData: duty,
      // Whatever the program was started with, like the code of `node -e`, is not for this thread.
      execArgv: [],
      resourceLimits: room,
    });
    const thread: Thread<Reply> = { worker, busy: null };
    worker.on('message', (answered: Answered<Reply>) => thread.busy?.resolve(answered));
    worker.on('error', (error) => this.#give(error));
    worker.on('exit', (code) => this.#give(new ThreadDied(`a thread ended with code ${code}`)));
    return thread;
  }

  #give(reason: unknown): void {
    this.#end ??= { reason };
    for (const { busy } of this.#threads) busy?.reject(this.#end.reason);
  }
}
