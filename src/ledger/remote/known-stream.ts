// A stream that a session writes, with its end and ids, so that the next append needs no lookup. It may be out of date; the server
// refuses an append at a wrong end.
import type { FoundEvent } from './log.ts';
import type { End } from './planning.ts';

/** The number of ids outside families that are remembered per stream. */
const mostOtherIds = 20_000;

// A family of ids is what icecore makes for one run, stage and kind: ids that differ only in a rising number. The highest of them
// tells which ids are new. Ids of other programs belong to no family.

/** An id of 32 hexadecimal digits, without the digits of its number. */
const familyDigits = 22;
const versionAt = 12;

/** Null: the id has no number. */
export function familyOf(id: string): string | null {
  return id[versionAt] === '8' ? id.slice(0, familyDigits) : null;
}

export class KnownStream implements End {
  /** After records that are not events, the last event is not directly before this revision. */
  next = 0;
  lastEvent: Pick<FoundEvent, 'revision' | 'digest' | 'position'> | null = null;
  /** The highest id of each family. */
  readonly #highs = new Map<string, string>();
  /** Null: there are too many. */
  #others: Set<string> | null = new Set();

  get last(): string | null {
    return this.lastEvent?.digest ?? null;
  }

  /** Whether each of these ids is higher than all before it of its family, or of no family and neither here nor repeated. */
  areNew(ids: readonly string[]): boolean {
    const highs = new Map(this.#highs);
    const seen = new Set<string>();
    return ids.every((id) => {
      const family = familyOf(id);
      if (family === null) return this.#others?.has(id) === false && seen.size < seen.add(id).size;
      const isHigher = id > (highs.get(family) ?? '');
      highs.set(family, id);
      return isHigher;
    });
  }

  /** Adds events with these plain ids. */
  add(ids: readonly string[], { revision, digest, position }: NonNullable<KnownStream['lastEvent']>): void {
    for (const id of ids) {
      const family = familyOf(id);
      if (family === null) this.#others?.add(id);
      else if (id > (this.#highs.get(family) ?? '')) this.#highs.set(family, id);
    }
    if (this.#others !== null && this.#others.size > mostOtherIds) this.#others = null;
    this.lastEvent = { revision, digest, position };
    this.next = revision + 1;
  }
}
