// What one session knows of the streams it writes: where each ends and which ids it holds, so that the next append needs no
// lookup. It may be out of date; the server refuses an append at a wrong end.
import { plainId } from '../event.ts';
import { familyOf, Highs } from './families.ts';
import type { FoundEvent } from './log.ts';
import type { End } from './planning.ts';

/** The session remembers so many streams. */
const mostStreams = 1_000;
/** And of one stream so many ids that rise in no family. */
const mostOtherIds = 20_000;

/** An id as 32 hexadecimal digits. */
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
