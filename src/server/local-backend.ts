// Runs operations on a workspace of this thread.
import { Readable } from 'node:stream';
import type { Workspace } from '../library/workspace.ts';
import type { Backend, CallOptions, Operation } from './operation.ts';

export class LocalBackend implements Backend {
  readonly #workspace: Workspace;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  async *call<Parameters, Piece>(
    operation: Operation<Parameters, Piece>,
    parameters: Parameters,
    { signal, input }: CallOptions,
  ): AsyncGenerator<Piece, void, undefined> {
    const left = new AbortController();
    const pieces = new Channel<Piece>();
    const call = {
      signal: AbortSignal.any([signal, left.signal]),
      input: Readable.from(input ?? [], { objectMode: false }),
      write: (piece: Piece) => pieces.write(piece),
    };
    const running = operation.run(this.#workspace, parameters, call).then(
      () => pieces.end(),
      (fault: unknown) => pieces.fail(signal.aborted ? signal.reason : fault),
    );
    try {
      yield* pieces;
    } finally {
      left.abort('the reader is gone');
      pieces.close(left.signal.reason);
      call.input.destroy();
      await running;
    }
  }

  async close(): Promise<void> {
    await this.#workspace.close();
  }
}

/** The number of pieces that wait for the reader before the writer does. */
const most = 4;

/** Passes pieces from one writer to one reader. */
export class Channel<Piece> implements AsyncIterable<Piece> {
  readonly #waiting: Piece[] = [];
  #end: { readonly fault?: unknown } | null = null;
  /** Set when nothing is read any more. */
  #closed: { readonly reason: unknown } | null = null;
  #wakeReader: (() => void) | null = null;
  #wakeWriter: (() => void) | null = null;

  /** Throws the reason of closing. */
  async write(piece: Piece): Promise<void> {
    if (this.#closed !== null) throw this.#closed.reason;
    this.#waiting.push(piece);
    this.#wakeReader?.();
    if (this.#waiting.length < most) return;
    await new Promise<void>((resolve) => {
      this.#wakeWriter = resolve;
    });
    if (this.#closed !== null) throw (this.#closed as { readonly reason: unknown }).reason;
  }

  end(): void {
    this.#end ??= {};
    this.#wakeReader?.();
  }

  fail(fault: unknown): void {
    this.#end ??= { fault };
    this.#wakeReader?.();
  }

  close(reason: unknown): void {
    this.#closed ??= { reason };
    this.#wakeWriter?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Piece, void, undefined> {
    for (;;) {
      const piece = this.#waiting.shift();
      if (piece !== undefined) {
        if (this.#waiting.length < most) this.#wakeWriter?.();
        yield piece;
      } else if (this.#end !== null) {
        if ('fault' in this.#end) throw this.#end.fault;
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wakeReader = resolve;
        });
      }
    }
  }
}
