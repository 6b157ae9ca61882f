// What one opened ledger knows of the streams it writes: whose turn it is in each, and of those without a chain, which it has
// taken over and how far they go.
import { randomBytes } from 'node:crypto';
import { Turns } from '../sqlite/turns.ts';
import type { StreamState } from './admission.ts';
import type { Highs } from './index/families.ts';
import type { Writer } from './wire.ts';

/** A stream that this session has taken over: until another does, nobody else's events count in it. */
export interface Own {
  readonly state: StreamState;
  /** The offset behind its last event: whoever took it over did so behind it. */
  readonly next: number;
  /** As whom. */
  readonly writer: Writer;
  /** Of its ids so far. */
  readonly highs: Highs;
}

/** As many are remembered; beyond it, all are looked up again. */
const remembered = 10_000;

export class Session {
  readonly #name = randomBytes(8).toString('hex');
  readonly #turns = new Map<string, Turns>();
  readonly #own = new Map<string, Own>();
  #takenOver = 0;

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

  /**
   * As whom to take over a stream that stands so. Each time as somebody else: what was sent before and is still on its way
   * must not count once it was looked whether it does.
   */
  writerAfter({ next, writer }: StreamState): Writer {
    this.#takenOver++;
    return { epoch: (writer?.epoch ?? 0) + 1, session: `${this.#name}${this.#takenOver.toString(36)}`, first: next };
  }

  #forgetIdle(): void {
    for (const [stream, turns] of this.#turns) if (turns.isIdle) this.#turns.delete(stream);
  }
}
