// Finds repeated ids in stores without an index that refuses them. It keeps a hash of each id, eight bytes per event, by stream
// and revision; only streams with a repeated hash are read again.

/** 53 bits of an id of 32 digits: ids of one stage differ in the last 32 bits, those of different runs and stages in the others. */
function hashOf(id: string): number {
  let others = 0;
  for (const digit of [0, 8, 16])
    others = Math.imul(others ^ Number.parseInt(id.slice(digit, digit + 8), 16), 0x9e3779b1);
  return (others >>> 11) * 2 ** 32 + Number.parseInt(id.slice(24), 16);
}

export interface IdPlace {
  readonly stream: string;
  readonly revision: number;
}

export interface RepeatedId {
  /** Its 32 digits. */
  readonly id: string;
  readonly first: IdPlace;
  readonly other: IdPlace;
}

/** The ids of a stream's events, in pages. */
export type IdsOf = (
  stream: string,
) => AsyncIterable<readonly { readonly revision: number; readonly filedId: string }[]>;

export class RepeatedIds {
  readonly #hashes = new Map<string, Float64Array>();

  add(stream: string, revision: number, id: string): void {
    let hashes = this.#hashes.get(stream) ?? new Float64Array(64);
    if (revision >= hashes.length) {
      const larger = new Float64Array(2 * revision);
      larger.set(hashes);
      hashes = larger;
    }
    hashes[revision] = hashOf(id);
    this.#hashes.set(stream, hashes);
  }

  /** `mayShare`: whether the second of two places may have the same id as the first. */
  async *find(idsOf: IdsOf, mayShare: (a: IdPlace, b: IdPlace) => boolean): AsyncGenerator<RepeatedId> {
    const repeats = (places: readonly IdPlace[]): readonly (readonly [first: IdPlace, other: IdPlace])[] =>
      places.flatMap((other, index) => {
        const first = places.slice(0, index).find((earlier) => !mayShare(earlier, other));
        return first === undefined ? [] : [[first, other] as const];
      });
    const suspects = new Map([...this.#placesOfRepeated()].filter(([, places]) => repeats(places).length > 0));
    const streams = new Set([...suspects.values()].flatMap((places) => places.map(({ stream }) => stream)));
    const byId = new Map<string, IdPlace[]>();
    for (const stream of streams) {
      for await (const events of idsOf(stream)) {
        for (const { revision, filedId } of events) {
          if (!suspects.has(hashOf(filedId))) continue;
          byId.set(filedId, [...(byId.get(filedId) ?? []), { stream, revision }]);
        }
      }
    }
    for (const [id, places] of byId) for (const [first, other] of repeats(places)) yield { id, first, other };
  }

  #placesOfRepeated(): ReadonlyMap<number, readonly IdPlace[]> {
    const all = new Float64Array([...this.#hashes.values()].reduce((sum, { length }) => sum + length, 0));
    let count = 0;
    for (const hashes of this.#hashes.values()) {
      all.set(hashes, count);
      count += hashes.length;
    }
    all.sort();
    // A place without a hash has no event.
    const repeated = new Set(all.filter((hash, index) => hash !== 0 && hash === all[index - 1]));
    const places = new Map<number, IdPlace[]>();
    if (repeated.size === 0) return places;
    for (const [stream, hashes] of this.#hashes) {
      for (const [revision, hash] of hashes.entries()) {
        if (repeated.has(hash)) places.set(hash, [...(places.get(hash) ?? []), { stream, revision }]);
      }
    }
    return places;
  }
}
