// Between a program that says item after item and a reader who takes one at a time: holds a bounded number, and has the
// program wait while it is full.
type Next<Item, Result> = IteratorResult<Item, Result>;

/** So much is held before the program is made to wait, in items and in bytes of what it said; at half of it, it goes on. */
const mostItems = 512;
const mostBytes = 4 * 2 ** 20;

export interface Valve {
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
