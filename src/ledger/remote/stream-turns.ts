// The appends of one stream take turns; those of different streams go side by side.
import { Turns } from '../../base/turns.ts';

/** As many are kept though nobody waits in them. */
const idleStreams = 10_000;

export class StreamTurns {
  readonly #turns = new Map<string, Turns>();

  of(stream: string): Turns {
    let turns = this.#turns.get(stream);
    if (turns === undefined) {
      if (this.#turns.size >= idleStreams) this.#forgetIdle();
      turns = new Turns();
      this.#turns.set(stream, turns);
    }
    return turns;
  }

  /** All of some streams at once, in the order of their names, so that two of them never wait for each other. */
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

/** Waits no longer than a signal allows. What was waited for goes on all the same. */
export function unlessAborted<Result>(result: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return result;
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([promise, result]).finally(() => signal.removeEventListener('abort', abort));
}
