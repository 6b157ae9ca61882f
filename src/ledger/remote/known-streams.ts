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

/** The highest id of each family in a stream. */
export class HighestIds {
  readonly #of: ReadonlyMap<string, string>;

  constructor(of: ReadonlyMap<string, string> = new Map()) {
    this.#of = of;
  }

  /** Whether all of these ids are new: each is higher than all earlier ones of its family. */
  areNew(ids: readonly string[]): boolean {
    const highs = new Map(this.#of);
    for (const id of ids) {
      const family = familyOf(id);
      if (family === null || id <= (highs.get(family) ?? '')) return false;
      highs.set(family, id);
    }
    return true;
  }

  with(ids: readonly string[]): HighestIds {
    const highs = new Map(this.#of);
    for (const id of ids) {
      const family = familyOf(id);
      if (family !== null && id > (highs.get(family) ?? '')) highs.set(family, id);
    }
    return new HighestIds(highs);
  }
}

/** The last event of a stream. */
export type LastEvent = Pick<FoundEvent, 'revision' | 'digest' | 'position'>;

export class KnownStream implements End {
  static readonly empty: KnownStream = new KnownStream(0, null, new HighestIds(), new Set());

  /** After records that are not events, the last event is not directly before this revision. */
  readonly next: number;
  readonly lastEvent: LastEvent | null;
  readonly #highs: HighestIds;
  /** Null: there are too many. */
  readonly #others: Set<string> | null;

  private constructor(next: number, lastEvent: LastEvent | null, highs: HighestIds, others: Set<string> | null) {
    this.next = next;
    this.lastEvent = lastEvent;
    this.#highs = highs;
    this.#others = others;
  }

  get last(): string | null {
    return this.lastEvent?.digest ?? null;
  }

  /** False if one of these ids may be in the stream, or is repeated among them. */
  areNew(ids: readonly string[]): boolean {
    const others = ids.filter((id) => familyOf(id) === null);
    if (others.some((id) => this.#others === null || this.#others.has(id))) return false;
    if (new Set(others).size < others.length) return false;
    return this.#highs.areNew(others.length === 0 ? ids : ids.filter((id) => familyOf(id) !== null));
  }

  /** The state after appending events with these ids. The set of ids is shared, so only the latest state may be queried. */
  with(ids: readonly string[], { revision, digest, position }: LastEvent): KnownStream {
    let others = this === KnownStream.empty ? new Set<string>() : this.#others;
    for (const id of ids) if (familyOf(id) === null) others?.add(id);
    if (others !== null && others.size > mostOtherIds) others = null;
    return new KnownStream(revision + 1, { revision, digest, position }, this.#highs.with(ids), others);
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
