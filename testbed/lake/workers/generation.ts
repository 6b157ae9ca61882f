// Instances as lines of JSON from a generator in a separate thread.

import type { Worker } from 'node:worker_threads';
import { moduleBeside, startThread, ThreadDied } from '../../../src/library/plugins/tools.ts';
import type { LakeShortage } from '../generator/generate.ts';
import type { GeneratorMessage, GeneratorOrder } from './generator-thread.ts';

type Lines = AsyncGenerator<readonly string[], readonly LakeShortage[], undefined>;

/** Several lines at a time. Throws the signal's reason on abort, and errors of the generator. */
export async function* generation(order: GeneratorOrder, signal: AbortSignal): Lines {
  signal.throwIfAborted();
  const generator = new GeneratorThread(order);
  const abort = (): void => generator.end(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    for (;;) {
      const news = await generator.news();
      if ('shortages' in news) return news.shortages;
      yield news.lines;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    await generator.dismiss();
  }
}

class GeneratorThread {
  readonly #worker: Worker;
  /** Messages that were received and not taken yet. */
  readonly #said: GeneratorMessage[] = [];
  #end: { readonly reason: unknown } | null = null;
  #wake: () => void = () => {};

  constructor(order: GeneratorOrder) {
    this.#worker = startThread(moduleBeside('generator-thread', import.meta.url), { workerData: order });
    this.#worker.on('message', (news: GeneratorMessage) => {
      this.#said.push(news);
      this.#wake();
    });
    this.#worker.on('error', (error) => this.end(error));
    this.#worker.on('exit', (code) => this.end(new ThreadDied(`the thread that generates ended with code ${code}`)));
  }

  async news(): Promise<GeneratorMessage> {
    for (;;) {
      const next = this.#said.shift();
      if (next !== undefined) {
        this.#worker.postMessage('taken');
        return next;
      }
      if (this.#end !== null) throw this.#end.reason;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  end(reason: unknown): void {
    this.#end ??= { reason };
    this.#wake();
  }

  async dismiss(): Promise<void> {
    await this.#worker.terminate();
  }
}
