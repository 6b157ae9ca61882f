// Families of ids: those that icecore makes of one run, stage and kind, which differ in a number that rises. Of them the
// highest says which are new. The ids of others are of no family.

/** An id of 32 hexadecimal digits, without the digits of its number. */
const familyDigits = 22;
const versionAt = 12;

/** Null for an id whose number is none. */
export function familyOf(id: string): string | null {
  return id[versionAt] === '8' ? id.slice(0, familyDigits) : null;
}

/** Of the ids of a stream, the highest of each family. */
export class Highs {
  readonly #of: ReadonlyMap<string, string>;

  constructor(of: ReadonlyMap<string, string> = new Map()) {
    this.#of = of;
  }

  /** Whether none of these can be there: each is higher than all of its family before it. */
  areNew(ids: readonly string[]): boolean {
    const highs = new Map(this.#of);
    for (const id of ids) {
      const family = familyOf(id);
      if (family === null || id <= (highs.get(family) ?? '')) return false;
      highs.set(family, id);
    }
    return true;
  }

  with(ids: readonly string[]): Highs {
    const highs = new Map(this.#of);
    for (const id of ids) {
      const family = familyOf(id);
      if (family !== null && id > (highs.get(family) ?? '')) highs.set(family, id);
    }
    return new Highs(highs);
  }
}
