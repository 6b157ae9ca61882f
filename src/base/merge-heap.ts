// Merges many ordered sources: a binary heap that always gives the source with the next item, at little cost even for many
// sources.

export class MergeHeap<Item> {
  readonly #items: Item[];
  readonly #isBefore: (a: Item, b: Item) => boolean;

  constructor(items: readonly Item[], isBefore: (a: Item, b: Item) => boolean) {
    this.#items = [...items];
    this.#isBefore = isBefore;
    for (let at = this.#items.length >>> 1; at >= 0; at--) this.#sink(at);
  }

  /** The source with the first item; undefined if empty. */
  get first(): Item | undefined {
    return this.#items[0];
  }

  /** Must be called when the first source has advanced, since it may no longer be first. */
  moved(): void {
    this.#sink(0);
  }

  removeFirst(): void {
    const last = this.#items.pop();
    if (last === undefined || this.#items.length === 0) return;
    this.#items[0] = last;
    this.#sink(0);
  }

  #sink(from: number): void {
    const items = this.#items;
    const sinking = items[from];
    if (sinking === undefined) return;
    let at = from;
    for (;;) {
      const child = this.#nearerChild(at);
      const nearer = items[child];
      if (nearer === undefined || !this.#isBefore(nearer, sinking)) break;
      items[at] = nearer;
      at = child;
    }
    items[at] = sinking;
  }

  #nearerChild(of: number): number {
    const [left, right] = [2 * of + 1, 2 * of + 2];
    const [a, b] = [this.#items[left], this.#items[right]];
    return a !== undefined && b !== undefined && this.#isBefore(b, a) ? right : left;
  }
}
