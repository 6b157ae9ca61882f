// Bulk appends on two cores: this thread checks events and serializes them chunk by chunk, while a worker thread hashes and
// inserts the chunks before, all in one transaction. The thread starts with the first bulk append.
import type { Worker } from 'node:worker_threads';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { moduleBeside, startThread } from '../../base/threads.ts';
import { maxEventBytes } from '../event.ts';
import { prepareEvents } from '../prepare.ts';
import { type Answer, type Order, pack, toError } from './bulk-messages.ts';
import type { Identity } from './connection.ts';
import type { Written } from './writing.ts';

/** Fewer events are written faster without a second thread. */
export const bulkEvents = 256;

/** Waking the thread for fewer events costs more than it gains. */
const chunkEvents = 256;

/** Objects in the worker live for one event, so more heap than this is useless. */
const youngMegabytes = 4;

export class Bulk {
  readonly #worker: Worker;
  #waiting: { resolve: (answer: Answer) => void; reject: (error: unknown) => void } | null = null;
  #broken: unknown;

  constructor(identity: Identity) {
    this.#worker = startThread(moduleBeside('bulk-worker', import.meta.url), {
      workerData: identity,
      resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes },
    });
    this.#worker.on('message', (answer: Answer) => this.#waiting?.resolve(answer));
    this.#worker.on('error', (error) => this.#break(error));
    this.#worker.on('exit', () => this.#break(new Error('the writing thread has ended')));
    // A waiting thread must not keep the process alive.
    this.#worker.unref();
  }

  /** True once the thread has ended; the next append needs a new one. */
  get broken(): boolean {
    return this.#broken !== undefined;
  }

  /** One append at a time, with the expectation `any`. An abort is respected until the write lock is acquired. */
  async append(stream: string, events: readonly NewEvent[], signal: AbortSignal): Promise<Written> {
    const stop = (): void => this.#send({ kind: 'stop' });
    signal.addEventListener('abort', stop, { once: true });
    try {
      if (this.#sendAll(stream, events) === 'nothing sent') throw invalid(stream, events);
      return written(await this.#answer(), events.length) ?? reasonOf(signal, stream, events);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #sendAll(stream: string, events: readonly NewEvent[]): 'sent' | 'nothing sent' {
    for (let from = 0; from < events.length; from += chunkEvents) {
      try {
        const packed = pack(prepareEvents(stream, events.slice(from, from + chunkEvents), maxEventBytes));
        if (from === 0) this.#send({ kind: 'begin', stream });
        this.#send({ kind: 'events', packed });
      } catch {
        if (from === 0) return 'nothing sent';
        this.#send({ kind: 'abort' });
        return 'sent';
      }
    }
    this.#send({ kind: 'commit' });
    return 'sent';
  }

  #send(order: Order): void {
    this.#worker.postMessage(order);
  }

  async #answer(): Promise<Answer> {
    if (this.#broken !== undefined) throw this.#broken;
    this.#worker.ref();
    try {
      return await new Promise<Answer>((resolve, reject) => {
        this.#waiting = { resolve, reject };
      });
    } finally {
      this.#waiting = null;
      this.#worker.unref();
    }
  }

  #break(error: unknown): void {
    this.#broken ??= error;
    this.#waiting?.reject(error);
  }
}

/** Null: the append was given up. */
function written(answer: Answer, events: number): Written | null {
  if (answer.kind === 'failed') throw toError(answer.failure);
  if (answer.kind === 'aborted') return null;
  const { existed } = answer.written;
  if (existed.length !== events)
    throw new Error(`of ${events} events sent to the writing thread, it processed ${existed.length}`);
  return answer.written;
}

function reasonOf(signal: AbortSignal, stream: string, events: readonly NewEvent[]): never {
  throw signal.aborted ? signal.reason : invalid(stream, events);
}

/** Checks all events, to report every fault and not only those of one chunk. */
function invalid(stream: string, events: readonly NewEvent[]): unknown {
  try {
    prepareEvents(stream, events, maxEventBytes);
  } catch (error) {
    return error;
  }
  return new Error('preparing the events failed in parts but succeeded as a whole');
}
