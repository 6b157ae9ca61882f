/** A map that keeps a limited number of entries: those that were set last. */
export class RecentMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#most) {
      const [oldest] = this.keys();
      this.delete(oldest as Key);
    }
    return this;
  }
}
