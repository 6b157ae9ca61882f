// What one opened ledger knows of the streams it writes: whose turn it is in each, and of those without a chain, which it has
// taken over and how far they go.
import { randomBytes } from 'node:crypto';
import type { Highs } from '../remote/families.ts';
import { StreamTurns } from '../remote/stream-turns.ts';
import type { StreamState } from './admission.ts';
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

/** So many streams are remembered, those that were written last. */
const remembered = 10_000;

export class Session {
  readonly #name = randomBytes(8).toString('hex');
  readonly turns = new StreamTurns();
  readonly #own = new Map<string, Own>();
  /** Streams that were this session's, wherever they end by now. */
  readonly #held = new Set<string>();
  #takenOver = 0;

  own(stream: string): Own | null {
    return this.#own.get(stream) ?? null;
  }

  remember(stream: string, own: Own): void {
    this.#held.delete(stream);
    this.#held.add(stream);
    this.#own.set(stream, own);
    const [oldest] = this.#held;
    if (this.#held.size > remembered && oldest !== undefined) this.forgetAll(oldest);
  }

  /** Where it ends is looked up again; that it was this session's is still known. */
  forget(stream: string): void {
    this.#own.delete(stream);
  }

  /** And that it was this session's. */
  forgetAll(stream: string): void {
    this.#own.delete(stream);
    this.#held.delete(stream);
  }

  /** Whether somebody else has taken over a stream that was this session's. */
  isLost(stream: string, { writer }: StreamState): boolean {
    return this.#held.has(stream) && writer?.session.startsWith(this.#name) !== true;
  }

  /**
   * As whom to take over a stream that stands so. Each time as somebody else: what was sent before and is still on its way
   * must not count once it was looked whether it does.
   */
  writerAfter({ next, writer }: StreamState): Writer {
    this.#takenOver++;
    return { epoch: (writer?.epoch ?? 0) + 1, session: `${this.#name}${this.#takenOver.toString(36)}`, first: next };
  }
}
