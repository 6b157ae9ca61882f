// Splits bytes into lines with a length limit, so that a program's output cannot fill the memory.
import { isUtf8 } from 'node:buffer';
import { canonicalJson, NotCanonical } from '../../../schemas/canonical.ts';

export class UnreadableLine extends Error {
  override readonly name = 'UnreadableLine';
  /** Its start, as far as it is text. */
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
   * `most` is the longest allowed line in bytes. Longer lines and invalid text either throw UnreadableLine or are
   * mended: truncated, with replacement characters for invalid bytes.
   */
  constructor(most: number, strange: 'refused' | 'mended' = 'refused') {
    this.#most = most;
    this.#strange = strange;
  }

  /** The lines that this chunk completes, without blank ones. */
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

  /** The text after the last line end, once the input is over. */
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

// A bounded buffer between a program that sends items and a reader that takes one at a time: when it is full, the
// program has to wait.

type Next<Item, Result> = IteratorResult<Item, Result>;

/** The buffer is full at this number of items or bytes; the program continues when it is half empty. */
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
    if (this.#full || !this.#isFilledTo(1)) return;
    this.#full = true;
    this.#valve.pause();
  }

  /** No more items will come; buffered ones can still be read. */
  finish(result: Result): void {
    this.#end ??= { result };
    this.#waiting?.resolve({ done: true, value: result });
    this.#waiting = undefined;
  }

  /** No more items will come because of this error; buffered ones can still be read. */
  fail(error: unknown): void {
    this.#end ??= { error };
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }

  /** No more items will come because of this error, and buffered ones are dropped. */
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
    if (this.#full && !this.#isFilledTo(1 / 2)) {
      this.#full = false;
      this.#valve.resume();
    }
    return item;
  }

  /** Whether the buffer holds at least this fraction of its maximum. */
  #isFilledTo(part: number): boolean {
    return this.#items.length - this.#taken >= mostItems * part || this.#bytes >= mostBytes * part;
  }
}

// Content that JSON allows and events do not.

/** A description of such content, if there is any. `text` allows a quick test. */
export function unrecordableIn(reply: unknown, text: string): string | null {
  if (/"__proto__"\s*:/.test(text)) return 'the key "__proto__"';
  const rounded = roundedIn(text);
  if (rounded !== null) return `${rounded}, which JSON readers may round; write its digits as a text`;
  if (!/\\u[dD][89a-fA-F]/.test(text)) return null;
  try {
    canonicalJson(reply);
    return null;
  } catch (error) {
    if (error instanceof NotCanonical) return `${error.field === '' ? '' : `${error.field}: `}${error.found}`;
    throw error;
  }
}

/** The first whole number that JSON.parse rounds, as a 64-bit seed or a time in nanoseconds; null if there is none. */
function roundedIn(text: string): string | null {
  if (!/(?<![\d.])\d{16}/.test(text)) return null;
  for (const [token] of text.matchAll(stringsAndNumbers))
    if (/^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token))) return token;
  return null;
}

const stringsAndNumbers = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
