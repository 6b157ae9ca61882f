// The server's log as it comes in, given out by pages: what arrives within a moment is one page, and more is asked for once that is
// taken.
import type streams from '@eventstore/db-client/generated/streams_pb.js';
import type { LogStream } from './client.ts';
import { stumbleOf } from './failures.ts';
import type { StreamNames } from './streams.ts';
import { type Found, foundIn } from './wire.ts';

const pageEvents = 500;
/** What comes within so long is one page. */
const gatheredMs = 10;

export interface Page {
  readonly found: readonly Found[];
  /** All that the server had has come. */
  readonly isCaughtUp: boolean;
}

export class Incoming {
  readonly #stream: LogStream;
  readonly #names: StreamNames;
  readonly #signal: AbortSignal;
  #found: Found[] = [];
  #isCaughtUp = false;
  #isGathered = false;
  #gathering: NodeJS.Timeout | undefined;
  #error: unknown = null;
  #wake: () => void = () => {};

  constructor(stream: LogStream, names: StreamNames, signal: AbortSignal) {
    this.#stream = stream;
    this.#names = names;
    this.#signal = signal;
    signal.addEventListener('abort', this.#aborted, { once: true });
    if (signal.aborted) this.#aborted();
    stream.on('data', (answer: streams.ReadResp) => this.#take(answer));
    stream.on('error', (error) => this.#fail(error));
    for (const end of ['end', 'close']) stream.on(end, () => this.#fail(stumbleOf('the server ended the reading')));
  }

  /** Throws what ended the reading, and Stumble where nothing at all comes within `mostMs`. */
  async page(mostMs: number | null): Promise<Page> {
    while (!this.#isReady()) {
      if (this.#found.length === 0 && this.#error !== null) throw this.#error;
      await this.#change(mostMs);
    }
    const page = { found: this.#found, isCaughtUp: this.#isCaughtUp };
    clearTimeout(this.#gathering);
    [this.#found, this.#isCaughtUp] = [[], false];
    [this.#isGathered, this.#gathering] = [false, undefined];
    this.#stream.resume();
    return page;
  }

  stop(): void {
    this.#signal.removeEventListener('abort', this.#aborted);
    clearTimeout(this.#gathering);
    // What it has to say after that is heard by nobody.
    this.#stream.removeAllListeners('data').on('error', () => {});
    this.#stream.cancel();
  }

  readonly #aborted = (): void => this.#fail(this.#signal.reason);

  #isReady(): boolean {
    if (this.#isCaughtUp || this.#isGathered || this.#found.length >= pageEvents) return true;
    return this.#found.length > 0 && this.#error !== null;
  }

  #take(answer: streams.ReadResp): void {
    if (answer.hasCaughtUp()) this.#isCaughtUp = true;
    // How far it has come in between it says by a place at which no event need begin: that is not used.
    const found = foundIn(answer, this.#names);
    if (found !== null) {
      this.#found.push(found);
      this.#gathering ??= setTimeout(() => this.#gathered(), gatheredMs);
    }
    if (this.#found.length >= pageEvents) this.#stream.pause();
    if (this.#isReady()) this.#wake();
  }

  #gathered(): void {
    this.#isGathered = true;
    this.#wake();
  }

  #fail(error: unknown): void {
    this.#error ??= error;
    this.#wake();
  }

  #change(mostMs: number | null): Promise<void> {
    return new Promise((resolve) => {
      const forgotten = (): void => this.#fail(stumbleOf('the server says nothing'));
      const timer = mostMs === null ? undefined : setTimeout(forgotten, mostMs);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = () => {};
        resolve();
      };
    });
  }
}
