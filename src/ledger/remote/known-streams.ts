// What one session knows of the streams it writes: where each ends and which ids it holds, so that the next append needs no
// lookup. It may be out of date; the server refuses an append at a wrong end.
import { plainId } from '../event.ts';
import type { FoundEvent } from './log.ts';
import type { End } from './planning.ts';

/** The session remembers so many streams. */
const mostStreams = 1_000;
/** And of one stream so many ids that rise in no family. */
const mostOtherIds = 20_000;

// Families of ids are those that icecore makes of one run, stage and kind, which differ in a number that rises. Of them the highest
// says which are new. The ids of others are of no family.

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

/** The last event of a stream. */
export type LastEvent = Pick<FoundEvent, 'revision' | 'digest' | 'position'>;

export class KnownStream implements End {
  static readonly empty: KnownStream = new KnownStream(0, null, new Highs(), new Set());

  /** After records that are no events, the last event is not the one before this revision. */
  readonly next: number;
  readonly lastEvent: LastEvent | null;
  readonly #highs: Highs;
  /** Null: there are too many. */
  readonly #others: Set<string> | null;

  private constructor(next: number, lastEvent: LastEvent | null, highs: Highs, others: Set<string> | null) {
    this.next = next;
    this.lastEvent = lastEvent;
    this.#highs = highs;
    this.#others = others;
  }

  get last(): string | null {
    return this.lastEvent?.digest ?? null;
  }

  /** False where one of these ids may be in the stream, or stands twice among them. */
  areNew(ids: readonly string[]): boolean {
    const others = ids.filter((id) => familyOf(id) === null);
    if (others.some((id) => this.#others === null || this.#others.has(id))) return false;
    if (new Set(others).size < others.length) return false;
    return this.#highs.areNew(others.length === 0 ? ids : ids.filter((id) => familyOf(id) !== null));
  }

  /** After events with these ids were appended. The set of ids is shared: only the latest of a stream is asked. */
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

  /** The stream goes on after records that are no events. */
  withEndAt(revision: number): KnownStream {
    return new KnownStream(revision + 1, this.lastEvent, this.#highs, this.#others);
  }
}

export class KnownStreams {
  readonly #streams = new Map<string, KnownStream>();

  of(stream: string): KnownStream | null {
    return this.#streams.get(stream) ?? null;
  }

  remember(stream: string, known: KnownStream): void {
    this.#streams.delete(stream);
    this.#streams.set(stream, known);
    if (this.#streams.size <= mostStreams) return;
    const [oldest] = this.#streams.keys();
    if (oldest !== undefined) this.#streams.delete(oldest);
  }

  forget(stream: string): void {
    this.#streams.delete(stream);
  }
}
