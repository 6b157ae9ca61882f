// A stream that a session writes, with its end and ids, so that the next append needs no lookup. It may be out of date; the server
// refuses an append at a wrong end.
import { plainId } from '../event.ts';
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

/** The last event of a stream. */
export type LastEvent = Pick<FoundEvent, 'revision' | 'digest' | 'position'>;

export class KnownStream implements End {
  static readonly empty: KnownStream = new KnownStream(0, null, new Map(), new Set());

  /** After records that are not events, the last event is not directly before this revision. */
  readonly next: number;
  readonly lastEvent: LastEvent | null;
  /** The highest id of each family. */
  readonly #highs: ReadonlyMap<string, string>;
  /** Null: there are too many. */
  readonly #others: Set<string> | null;

  private constructor(
    next: number,
    lastEvent: LastEvent | null,
    highs: ReadonlyMap<string, string>,
    others: Set<string> | null,
  ) {
    this.next = next;
    this.lastEvent = lastEvent;
    this.#highs = highs;
    this.#others = others;
  }

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

  /** The state after appending events with these ids. The set of ids is shared, so only the latest state may be queried. */
  with(ids: readonly string[], { revision, digest, position }: LastEvent): KnownStream {
    const highs = new Map(this.#highs);
    let others = this === KnownStream.empty ? new Set<string>() : this.#others;
    for (const id of ids) {
      const family = familyOf(id);
      if (family === null) others?.add(id);
      else if (id > (highs.get(family) ?? '')) highs.set(family, id);
    }
    if (others !== null && others.size > mostOtherIds) others = null;
    return new KnownStream(revision + 1, { revision, digest, position }, highs, others);
  }

  withFound(events: readonly FoundEvent[]): KnownStream {
    const last = events.at(-1);
    return last === undefined
      ? this
      : this.with(
          events.map(({ id }) => plainId(id)),
          last,
        );
  }

  /** The stream continues after records that are not events. */
  withEndAt(revision: number): KnownStream {
    return new KnownStream(revision + 1, this.lastEvent, this.#highs, this.#others);
  }
}
