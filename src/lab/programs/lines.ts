// Bytes into lines, none longer than it may be: what a program prints is not held in memory without bound.
import { isUtf8 } from 'node:buffer';
import { canonicalJson, NotCanonical } from '../../../schemas/canonical.ts';

export class UnreadableLine extends Error {
  override readonly name = 'UnreadableLine';
  /** Its beginning, as far as it can be shown. */
  readonly said: string;

  constructor(what: string, bytes: Uint8Array) {
    super(what);
    this.said = Buffer.from(bytes.subarray(0, 200)).toString('utf8');
  }
}

export class Lines {
  readonly #most: number;
  readonly #strange: 'refused' | 'mended';
  #begun: Buffer[] = [];
  #bytes = 0;

  /**
   * `most` is the longest line allowed, in bytes. What is longer or no text is refused with UnreadableLine, or mended: cut,
   * and with marks for what cannot be read.
   */
  constructor(most: number, strange: 'refused' | 'mended' = 'refused') {
    this.#most = most;
    this.#strange = strange;
  }

  /** The lines that a chunk brings to their end, without blank ones. */
  *take(chunk: Buffer): Generator<string> {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(10, from);
      const piece = chunk.subarray(from, end < 0 ? chunk.length : end);
      this.#keep(piece);
      if (end < 0) return;
      const line = this.#line();
      if (line.trim() !== '') yield line;
      from = end + 1;
    }
  }

  /** What came after the last line end, when no more comes. */
  *rest(): Generator<string> {
    const line = this.#line();
    if (line.trim() !== '') yield line;
  }

  #keep(piece: Buffer): void {
    const room = this.#most - this.#bytes;
    if (piece.length > room && this.#strange === 'refused') {
      throw new UnreadableLine(`a line longer than ${this.#most} bytes`, this.#begun[0] ?? piece);
    }
    const kept = piece.subarray(0, room);
    this.#bytes += kept.length;
    if (kept.length > 0) this.#begun.push(kept);
  }

  #line(): string {
    const [only] = this.#begun;
    const bytes = this.#begun.length === 1 && only !== undefined ? only : Buffer.concat(this.#begun);
    this.#begun = [];
    this.#bytes = 0;
    if (this.#strange === 'refused' && !isUtf8(bytes)) throw new UnreadableLine('bytes that are not UTF-8', bytes);
    return bytes.toString('utf8');
  }
}

// Between a program that says item after item and a reader who takes one at a time: holds a bounded number, and has the
// program wait while it is full.

type Next<Item, Result> = IteratorResult<Item, Result>;

/** So much is held before the program is made to wait, in items and in bytes of what it said; at half of it, it goes on. */
const mostItems = 512;
const mostBytes = 4 * 2 ** 20;

interface Valve {
  pause(): void;
  resume(): void;
}

export class Inbox<Item, Result> {
  readonly #valve: Valve;
  readonly #items: { readonly item: Item; readonly bytes: number }[] = [];
  #taken = 0;
  #bytes = 0;
  #full = false;
  #end: { readonly result: Result } | { readonly error: unknown } | undefined;
  #waiting: PromiseWithResolvers<Next<Item, Result>> | undefined;

  constructor(valve: Valve) {
    this.#valve = valve;
  }

  put(item: Item, bytes: number): void {
    if (this.#end !== undefined) return;
    if (this.#waiting !== undefined) {
      this.#waiting.resolve({ done: false, value: item });
      this.#waiting = undefined;
      return;
    }
    this.#items.push({ item, bytes });
    this.#bytes += bytes;
    if (this.#full || !this.#holds(1)) return;
    this.#full = true;
    this.#valve.pause();
  }

  /** There are no more items; what is held can still be taken. */
  finish(result: Result): void {
    this.#end ??= { result };
    this.#waiting?.resolve({ done: true, value: result });
    this.#waiting = undefined;
  }

  /** There are no more items because of this; what is held can still be taken. */
  fail(error: unknown): void {
    this.#end ??= { error };
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }

  /** There are no more items because of this, and what is held is forgotten. */
  abort(error: unknown): void {
    this.#items.length = 0;
    this.#taken = 0;
    this.#end = { error };
    this.fail(error);
  }

  async next(): Promise<Next<Item, Result>> {
    if (this.#taken < this.#items.length) return { done: false, value: this.#take() };
    if (this.#end === undefined) {
      this.#waiting = Promise.withResolvers();
      return this.#waiting.promise;
    }
    if ('error' in this.#end) throw this.#end.error;
    return { done: true, value: this.#end.result };
  }

  #take(): Item {
    const { item, bytes } = this.#items[this.#taken] as { item: Item; bytes: number };
    this.#taken += 1;
    this.#bytes -= bytes;
    if (this.#taken === this.#items.length || this.#taken >= mostItems) {
      this.#items.splice(0, this.#taken);
      this.#taken = 0;
    }
    if (this.#full && !this.#holds(1 / 2)) {
      this.#full = false;
      this.#valve.resume();
    }
    return item;
  }

  /** Whether it holds such a part of the most it may hold. */
  #holds(part: number): boolean {
    return this.#items.length - this.#taken >= mostItems * part || this.#bytes >= mostBytes * part;
  }
}

// What a program may say in JSON and no event can hold.

/** What of this kind is in what was said, in words; the text shows at once where there may be any. */
export function unspeakableIn(reply: unknown, text: string): string | null {
  if (/"__proto__"\s*:/.test(text)) return 'the key "__proto__"';
  if (!/\\u[dD][89a-fA-F]/.test(text)) return null;
  try {
    canonicalJson(reply);
    return null;
  } catch (error) {
    if (error instanceof NotCanonical) return error.found;
    throw error;
  }
}
