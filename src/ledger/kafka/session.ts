// What one opened ledger knows of the streams it writes: whose turn it is in each, and of those without a chain, which it has
// taken over and how far they go.
import { randomBytes } from 'node:crypto';
import { Turns } from '../sqlite/turns.ts';
import type { StreamState } from './admission.ts';
import type { Writer } from './wire.ts';

/** A stream that this session has taken over: nobody else's events count in it, so nobody need be asked. */
export interface Own {
  readonly state: StreamState;
  /** The highest id so far. */
  readonly high: string;
}

/** As many are remembered; beyond it, all are looked up again. */
const remembered = 10_000;

export class Session {
  readonly #name = randomBytes(8).toString('hex');
  readonly #turns = new Map<string, Turns>();
  readonly #own = new Map<string, Own>();

  /** The appends of one stream take turns; those of different streams go side by side. */
  turnOf(stream: string): Turns {
    let turns = this.#turns.get(stream);
    if (turns === undefined) {
      if (this.#turns.size >= remembered) this.#forgetIdle();
      turns = new Turns();
      this.#turns.set(stream, turns);
    }
    return turns;
  }

  async allDone(): Promise<void> {
    for (const turns of this.#turns.values()) await turns.allDone();
  }

  own(stream: string): Own | null {
    return this.#own.get(stream) ?? null;
  }

  remember(stream: string, own: Own): void {
    if (!this.#own.has(stream) && this.#own.size >= remembered) this.#own.clear();
    this.#own.set(stream, own);
  }

  forget(stream: string): void {
    this.#own.delete(stream);
  }

  /** As whom to write a stream that stands so. */
  writerAfter({ writer }: StreamState): Writer {
    if (writer?.session === this.#name) return writer;
    return { epoch: (writer?.epoch ?? 0) + 1, session: this.#name };
  }

  #forgetIdle(): void {
    for (const [stream, turns] of this.#turns) if (turns.isIdle) this.#turns.delete(stream);
  }
}
