// Work that takes turns: appends of one ledger, so that their order in it is the order of the calls even if some wait for a lock,
// and updates of what was read, so that nothing is read twice. Without waiters, work runs immediately.
import { getOrCreate } from '../base/get-or-create.ts';

export class Turns {
  #last: Promise<unknown> | null = null;

  /**
   * Runs the work when all earlier work is done. An abort while waiting rejects immediately; running work has to handle its
   * signal itself.
   */
  async take<Result>(work: () => Result | Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
    const before = this.#last;
    const turn = (async () => {
      if (before !== null) {
        await before;
        signal?.throwIfAborted();
      }
      return await work();
    })();
    const settled: Promise<void> = turn.then(nothing, nothing).then(() => {
      if (this.#last === settled) this.#last = null;
    });
    this.#last = settled;
    if (before !== null) await unlessAborted(before, signal);
    return await turn;
  }

  get isIdle(): boolean {
    return this.#last === null;
  }

  /** Settles when all work requested so far is done. */
  async allDone(): Promise<void> {
    while (this.#last !== null) await this.#last;
  }
}

const nothing = (): void => undefined;

// Appends to the same stream take turns; those to different streams run concurrently.

/** The number of idle streams to keep. */
const idleStreams = 10_000;

export class StreamTurns {
  readonly #turns = new Map<string, Turns>();

  of(stream: string): Turns {
    if (this.#turns.size >= idleStreams && !this.#turns.has(stream)) this.#forgetIdle();
    return getOrCreate(this.#turns, stream, () => new Turns());
  }

  /** Takes the turns of several streams in the order of their names, which rules out deadlocks. */
  async ofAll<Result>(streams: Iterable<string>, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const inOrder = [...new Set(streams)].sort();
    const from = (index: number): Promise<Result> => {
      const stream = inOrder[index];
      return stream === undefined ? work() : this.of(stream).take(() => from(index + 1), signal);
    };
    return await from(0);
  }

  async allDone(): Promise<void> {
    for (const turns of this.#turns.values()) await turns.allDone();
  }

  #forgetIdle(): void {
    for (const [stream, turns] of this.#turns) if (turns.isIdle) this.#turns.delete(stream);
  }
}

/** Stops waiting when the signal aborts. The awaited work continues. */
export function unlessAborted<Result>(result: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return result;
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([promise, result]).finally(() => signal.removeEventListener('abort', abort));
}

/** The results of all sources as they arrive. The next one of a source is produced while its last one is used. */
export async function* merged<Item>(
  sources: readonly AsyncGenerator<Item>[],
  signal: AbortSignal,
): AsyncGenerator<Item> {
  const coming = new Map<AsyncGenerator<Item>, Promise<() => IteratorResult<Item>>>();
  const advance = (source: AsyncGenerator<Item>): void => {
    const next = source.next().then((result) => () => {
      coming.delete(source);
      if (result.done !== true) advance(source);
      return result;
    });
    // If another source fails first, nothing awaits this one any more.
    next.catch(nothing);
    coming.set(source, next);
  };
  try {
    for (const source of sources) advance(source);
    while (coming.size > 0) {
      const take = await unlessAborted(Promise.race(coming.values()), signal);
      const { done, value } = take();
      if (done !== true) yield value;
    }
  } finally {
    // Those that are producing an item end after it.
    for (const source of sources) source.return(undefined).catch(nothing);
  }
}
