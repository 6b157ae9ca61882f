// Ends this process when it has more memory than it may, or when the command that started it is no more. The main thread can
// tell as long as DuckDB works in threads of its own; a thread of the guard's can also where one huge value keeps the main
// thread busy. Starting that takes its time, so short questions go without.
import { Worker } from 'node:worker_threads';
import { sibling } from '../../../base/sibling.ts';

export interface Guarded {
  /** 1 while a question runs. */
  readonly isBusy: Int32Array<SharedArrayBuffer>;
  readonly mostBytes: number;
  /** The process that started this one. */
  readonly command: number;
}

export const guardedEveryMs = 8;

const shortMs = 200;

export class Guard {
  readonly #guarded: Guarded;
  #worker: Worker | null = null;
  #checking: NodeJS.Timeout | undefined;
  #starting: NodeJS.Timeout | undefined;

  constructor(mostBytes: number, command: number) {
    this.#guarded = { isBusy: new Int32Array(new SharedArrayBuffer(4)), mostBytes, command };
  }

  begin(): void {
    this.#setBusy(1);
    if (this.#worker !== null) return;
    this.#checking = setInterval(() => endIfOver(this.#guarded), guardedEveryMs);
    this.#starting = setTimeout(() => this.#start(), shortMs);
  }

  end(): void {
    this.#setBusy(0);
    clearInterval(this.#checking);
    clearTimeout(this.#starting);
  }

  #start(): void {
    const worker = new Worker(sibling('guard-thread', import.meta.url), {
      workerData: this.#guarded,
      execArgv: [],
      // A thread would reserve half a gigabyte for code, which counts as data of the process.
      resourceLimits: { codeRangeSizeMb: 16 },
    });
    worker.once('online', () => clearInterval(this.#checking));
    worker.unref();
    this.#worker = worker;
  }

  #setBusy(value: 0 | 1): void {
    Atomics.store(this.#guarded.isBusy, 0, value);
    Atomics.notify(this.#guarded.isBusy, 0);
  }
}

/** At once: a process that is told to end may still have much to do. */
export function endIfOver({ mostBytes, command }: Guarded): void {
  if (process.memoryUsage.rss() > mostBytes || process.ppid !== command) process.kill(process.pid, 'SIGKILL');
}
