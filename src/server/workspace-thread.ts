// A thread with a workspace: runs the operations that the server calls.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { openWorkspace } from '../library/open.ts';
import type { Notice } from '../library/session.ts';
import { Channel, LocalBackend } from './local-backend.ts';
import { errorOf, type FromThread, faultOf, type ThreadData, type ToThread } from './messages.ts';
import { operationNamed } from './operations.ts';

/** Pieces that are on their way to a reader, at most. */
const window = 4;

/** A call under way. */
interface Running {
  readonly stop: AbortController;
  readonly input: Channel<Uint8Array>;
  onTaken: () => void;
}

class WorkspaceThread {
  readonly #port: MessagePort;
  readonly #backend: Promise<LocalBackend>;
  readonly #running = new Map<number, Running>();

  constructor(port: MessagePort, { opener, options }: ThreadData) {
    this.#port = port;
    this.#backend = this.#open(opener, options);
    // A failure to open is reported by each call.
    this.#backend.catch(() => {});
    port.on('message', (message: ToThread) => void this.#take(message));
  }

  async #open(opener: string, options: ThreadData['options']): Promise<LocalBackend> {
    const module = (await import(opener)) as { readonly openWorkspace: typeof openWorkspace };
    const onNotice = (notice: Notice): void => this.#note(notice);
    return new LocalBackend(await module.openWorkspace({ ...options, onNotice }));
  }

  async #take(message: ToThread): Promise<void> {
    if (message.kind === 'close') return await this.#close();
    if (message.kind === 'call') return await this.#call(message);
    const running = this.#running.get(message.id);
    if (running === undefined) return;
    if (message.kind === 'taken') running.onTaken();
    else if (message.kind === 'stop') running.stop.abort(message.reason);
    else if (message.kind === 'input') await running.input.write(message.bytes).catch(() => {});
    else if (message.fault === null) running.input.end();
    else running.input.fail(errorOf(message.fault));
  }

  async #call({ id, operation, parameters, hasInput }: Extract<ToThread, { kind: 'call' }>): Promise<void> {
    const running: Running = { stop: new AbortController(), input: new Channel(), onTaken: () => {} };
    this.#running.set(id, running);
    const { signal } = running.stop;
    const input = hasInput ? { input: this.#inputOf(id, running) } : {};
    let sent = 0;
    let wake: (() => void) | null = null;
    running.onTaken = () => {
      sent--;
      wake?.();
    };
    signal.addEventListener('abort', () => wake?.());
    try {
      const backend = await this.#backend;
      for await (const piece of backend.call(operationNamed(operation), parameters, { signal, ...input })) {
        signal.throwIfAborted();
        this.#send({ kind: 'piece', id, piece }, piece);
        sent++;
        while (sent >= window && !signal.aborted) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
      this.#send({ kind: 'done', id, fault: null });
    } catch (fault) {
      this.#send({ kind: 'done', id, fault: faultOf(fault) });
    } finally {
      this.#running.delete(id);
    }
  }

  async *#inputOf(id: number, { input }: Running): AsyncGenerator<Uint8Array, void, undefined> {
    this.#send({ kind: 'more-input', id });
    for await (const bytes of input) {
      this.#send({ kind: 'more-input', id });
      yield bytes;
    }
  }

  /** Bytes that fill their buffer are moved, not copied. */
  #send(message: FromThread, piece?: unknown): void {
    const isWhole = piece instanceof Uint8Array && piece.byteLength === piece.buffer.byteLength;
    this.#port.postMessage(message, isWhole ? [piece.buffer as ArrayBuffer] : []);
  }

  #note(notice: Notice): void {
    if (notice.kind === 'note' || notice.kind === 'hint') this.#send({ kind: 'note', text: notice.text });
  }

  async #close(): Promise<void> {
    await this.#backend.then((backend) => backend.close()).catch(() => {});
    this.#port.close();
  }
}

if (parentPort !== null) new WorkspaceThread(parentPort, workerData as ThreadData);
