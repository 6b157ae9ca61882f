// Concurrent work whose results come in the order of the items.

type Slot<Result> = { settled: false } | { settled: true; result: Result } | { settled: true; error: unknown };

/**
 * Reads ahead in the source while fewer than `width` results are pending or unread. An error of the source or of `work` is
 * thrown at its position, after the results before it. When the signal aborts, its reason is thrown immediately.
 */
export async function* mapInOrder<Item, Result>(
  source: Iterable<Item> | AsyncIterable<Item>,
  width: number,
  work: (item: Item) => Promise<Result>,
  signal?: AbortSignal,
): AsyncGenerator<Result, void, undefined> {
  const line = new Line(source, width, work);
  const abort = (): void => line.wake();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    for (;;) {
      signal?.throwIfAborted();
      const slot = line.take();
      if (slot === 'ended') return;
      if (slot === 'waiting') await line.woken();
      else if ('error' in slot) throw slot.error;
      else yield slot.result;
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    await line.leave();
  }
}

class Line<Item, Result> {
  readonly #iterator: Iterator<Item> | AsyncIterator<Item>;
  readonly #width: number;
  readonly #work: (item: Item) => Promise<Result>;
  readonly #slots: { now: Slot<Result> }[] = [];
  #asking = false;
  #ended = false;
  #wake: () => void = () => {};

  constructor(source: Iterable<Item> | AsyncIterable<Item>, width: number, work: (item: Item) => Promise<Result>) {
    this.#iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
    this.#width = width;
    this.#work = work;
  }

  /** The first result of the line once it is settled. */
  take(): Extract<Slot<Result>, { settled: true }> | 'waiting' | 'ended' {
    const first = this.#slots[0]?.now;
    if (first?.settled === true) this.#slots.shift();
    void this.#fill();
    if (first?.settled === true) return first;
    return first === undefined && this.#ended ? 'ended' : 'waiting';
  }

  woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  wake(): void {
    this.#wake();
  }

  /** Stops reading. A source that is producing an item cannot be closed before it has done so. */
  async leave(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const left = this.#iterator.return?.();
    if (!this.#asking) await left;
    else if (left instanceof Promise) left.catch(() => {});
  }

  async #fill(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    try {
      while (!this.#ended && this.#slots.length < this.#width) {
        const next = await this.#iterator.next();
        if (this.#ended) break;
        if (next.done === true) this.#ended = true;
        else this.#begin(next.value);
      }
    } catch (error) {
      this.#ended = true;
      this.#slots.push({ now: { settled: true, error } });
    }
    this.#asking = false;
    if (this.#ended) this.wake();
  }

  #begin(item: Item): void {
    const slot: { now: Slot<Result> } = { now: { settled: false } };
    this.#slots.push(slot);
    this.#work(item).then(
      (result) => this.#settle(slot, { settled: true, result }),
      (error) => this.#settle(slot, { settled: true, error }),
    );
  }

  #settle(slot: { now: Slot<Result> }, now: Slot<Result>): void {
    slot.now = now;
    if (slot === this.#slots[0]) this.wake();
  }
}

/** Calls the body with each item in turn; returns what the generator returns. */
export async function forEachIn<Item, Result>(
  items: AsyncGenerator<Item, Result, undefined>,
  body: (item: Item) => Promise<void>,
): Promise<Result> {
  try {
    for (;;) {
      const next = await items.next();
      if (next.done === true) return next.value;
      await body(next.value);
    }
  } finally {
    // When the caller stops early, the generator must not continue.
    await items.return(undefined as never);
  }
}
