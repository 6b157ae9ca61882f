// The ids of recent events, which the server keeps in memory only: after a restart it knows none, and the oldest are
// forgotten when there are too many.

export interface KnownPlace {
  readonly stream: string;
  readonly revision: number;
}

/** In bytes, as the server reckons them. */
const capacity = 8 * 1024 * 1024;

export class KnownIds {
  readonly #places = new Map<string, KnownPlace>();
  #bytes = 0;

  find(id: string): KnownPlace | null {
    return this.#places.get(id) ?? null;
  }

  add(id: string, place: KnownPlace): void {
    this.#remove(id);
    this.#places.set(id, place);
    this.#bytes += bytesOf(place);
    for (const oldest of this.#places.keys()) {
      if (this.#bytes <= capacity) return;
      this.#remove(oldest);
    }
  }

  #remove(id: string): void {
    const place = this.#places.get(id);
    if (place === undefined) return;
    this.#places.delete(id);
    this.#bytes -= bytesOf(place);
  }
}

/** An id, a number, a reference, and the stream's name in UTF-16. */
function bytesOf({ stream }: KnownPlace): number {
  return 16 + 4 + 8 + 2 * stream.length;
}
