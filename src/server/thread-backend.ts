// Runs operations in threads, each with a workspace of its own, so that no read of SQLite stops the server from answering others.
import type { Worker } from 'node:worker_threads';
import { IcecoreError } from '../../schemas/errors.ts';
import { moduleBeside, startThread } from '../base/threads.ts';
import { Channel } from './local-backend.ts';
import { errorOf, type FromThread, faultOf, type ThreadData, type ToThread } from './messages.ts';
import type { Backend, CallOptions, Operation, ThreadName } from './operation.ts';

export class ThreadBackend implements Backend {
  readonly #data: Omit<ThreadData, 'thread'>;
  readonly #onNote: (text: string) => void;
  readonly #threads = new Map<ThreadName, WorkspaceThread>();
  #isClosed = false;

  constructor(data: Omit<ThreadData, 'thread'>, onNote: (text: string) => void) {
    this.#data = data;
    this.#onNote = onNote;
  }

  call<Parameters, Piece>(
    operation: Operation<Parameters, Piece>,
    parameters: Parameters,
    options: CallOptions,
  ): AsyncGenerator<Piece, void, undefined> {
    return this.#thread(operation.thread).call(operation, parameters, options);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#threads.values()].map((thread) => thread.close()));
  }

  /** A thread that died is started again by the next call. */
  #thread(name: ThreadName): WorkspaceThread {
    const present = this.#threads.get(name);
    if (present?.isAlive === true) return present;
    if (this.#isClosed) throw new IcecoreError('interrupted', 'the server is stopping');
    const started = new WorkspaceThread({ ...this.#data, thread: name }, this.#onNote);
    this.#threads.set(name, started);
    return started;
  }
}

/** A call under way, as the server sees it. */
interface Running {
  readonly pieces: Channel<unknown>;
  onMoreInput: () => void;
}

class WorkspaceThread {
  readonly #worker: Worker;
  readonly #running = new Map<number, Running>();
  readonly #ended: Promise<void>;
  #last = 0;
  isAlive = true;

  constructor(data: ThreadData, onNote: (text: string) => void) {
    this.#worker = startThread(moduleBeside('workspace-thread', import.meta.url), { workerData: data });
    this.#worker.on('message', (message: FromThread) => {
      if (message.kind === 'note') onNote(message.text);
      else this.#take(message);
    });
    this.#worker.on('error', (fault) => this.#die(fault));
    this.#ended = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.#die(new IcecoreError('unavailable', 'the thread of the ledger ended', { remedy: 'Repeat the request.' }));
        resolve();
      });
    });
  }

  async *call<Parameters, Piece>(
    { name }: Operation<Parameters, Piece>,
    parameters: Parameters,
    { signal, input }: CallOptions,
  ): AsyncGenerator<Piece, void, undefined> {
    signal.throwIfAborted();
    this.#last++;
    const id = this.#last;
    const running: Running = { pieces: new Channel(), onMoreInput: () => {} };
    this.#running.set(id, running);
    if (input !== undefined) void this.#feed(id, running, input);
    this.#send({ kind: 'call', id, operation: name, parameters, hasInput: input !== undefined });
    const stop = (): void => {
      this.#send({ kind: 'stop', id, reason: String(signal.reason) });
      // The thread may be busy; its answer is not waited for.
      running.pieces.fail(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      for await (const piece of running.pieces) {
        this.#send({ kind: 'taken', id });
        // The operation of this name writes pieces of this type.
        yield piece as Piece;
      }
    } finally {
      signal.removeEventListener('abort', stop);
      if (this.#running.delete(id)) this.#send({ kind: 'stop', id, reason: 'the reader is gone' });
      running.onMoreInput();
    }
  }

  async close(): Promise<void> {
    if (!this.isAlive) return;
    this.#send({ kind: 'close' });
    await this.#ended;
  }

  #take(message: Exclude<FromThread, { kind: 'note' }>): void {
    const running = this.#running.get(message.id);
    if (running === undefined) return;
    if (message.kind === 'more-input') running.onMoreInput();
    else if (message.kind === 'piece') void running.pieces.write(message.piece);
    else {
      this.#running.delete(message.id);
      if (message.fault === null) running.pieces.end();
      else running.pieces.fail(errorOf(message.fault));
    }
  }

  /** Sends the input, a few pieces ahead of what the operation reads. */
  async #feed(id: number, running: Running, input: AsyncIterable<Uint8Array>): Promise<void> {
    let wanted = 0;
    let wake: (() => void) | null = null;
    running.onMoreInput = () => {
      wanted++;
      wake?.();
    };
    try {
      for await (const bytes of input) {
        while (wanted === 0 && this.#running.has(id)) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        if (!this.#running.has(id)) return;
        wanted--;
        // Nobody else has a piece that fills its buffer; a part of a shared one is copied.
        const isWhole = bytes.byteLength === bytes.buffer.byteLength;
        this.#send({ kind: 'input', id, bytes }, isWhole ? [bytes.buffer as ArrayBuffer] : []);
      }
      this.#send({ kind: 'input-end', id, fault: null });
    } catch (fault) {
      this.#send({ kind: 'input-end', id, fault: faultOf(fault) });
    }
  }

  #send(message: ToThread, moved: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, moved);
  }

  #die(fault: unknown): void {
    this.isAlive = false;
    for (const { pieces } of this.#running.values()) pieces.fail(fault);
    this.#running.clear();
  }
}
