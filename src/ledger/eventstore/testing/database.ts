// The data of the test server: the log of all events, its streams, the parts of them that their metadata still show, and the rule
// by which an append is written, counts as already written, or is refused.
//
// The store relies on these rules, from the documentation and the source (commit 3f1acb7e of kurrent-io/KurrentDB, version 25.0):
// - All events of one append are written, or none; it holds at most 1 MiB (MaxAppendSize). A wrong expectation is refused with the
//   actual revision. A timeout or a lost connection says nothing about whether it was written.
// - The same ids at an exact earlier revision count as done, however old; without an exact revision only recent ids are known. Ids
//   at the head are written again by an append that expects the head. If the first events of an append exist and a later one does
//   not, it is a wrong revision. Ids are compared in their stream only, contents never (IndexWriter.cs, CheckCommit).
// - Revisions count from 0 without gaps. $maxCount, $maxAge and $tb hide events at once. A deleted stream does not exist and
//   continues after its last revision; one with a tombstone takes no more events. A stream with only metadata exists.
// - $all has one order by position; commit and prepare position are equal and never change. Hidden events stay until a scavenge,
//   which keeps the last event of a stream. A forward read begins with the event at its position, a backward read ends before it; a
//   position inside an event is refused (AllReader.cs).
// - A subscription delivers what exists in order, says that it caught up, and continues; a slow client, or one that starts at a
//   checkpoint, loses and repeats nothing.
// - Acknowledged events are on most nodes and stay. A follower passes appends to the leader; its reads may be behind.
// - Without TLS there are no users; with it, anonymous users may do nothing, and $all is for $admins. With credentials the client
//   appends with a deadline, so the store always sends some. A TLS host is given by name (KurrentDB-Client-NodeJS#523).
import { randomUUID } from 'node:crypto';

export interface Proposed {
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: Buffer;
  readonly metadata: Buffer;
}

export interface Recorded extends Proposed {
  readonly stream: string;
  /** Infinity for a tombstone, which ends its stream permanently. */
  readonly revision: number;
  /** In milliseconds since 1970. */
  readonly created: number;
  /** Where it begins in the log, and where the next one begins. */
  readonly position: number;
  readonly end: number;
}

/** A revision, -1 for no stream. */
export type Expected = 'any' | number;

export type Outcome =
  | { readonly kind: 'written' | 'known'; readonly revision: number; readonly position: number | null }
  | { readonly kind: 'wrong-revision'; readonly actual: number }
  | { readonly kind: 'deleted' };

/** `$tb` of a soft-deleted stream. */
const wholeStream = '9223372036854775807';
const tombstoneType = '$streamDeleted';

export class Database {
  readonly #streams = new Map<string, Recorded[]>();
  readonly #waiting = new Set<() => void>();
  all: Recorded[] = [];
  #end = 24;

  append(stream: string, expected: Expected, events: readonly Proposed[]): Outcome {
    if (this.isTombstoned(stream)) return { kind: 'deleted' };
    const known = this.#known(stream, expected, events);
    if (known !== null) return known;
    const last = this.lastOf(stream);
    if (expected !== 'any' && expected !== last) return { kind: 'wrong-revision', actual: last };
    for (const [i, event] of events.entries()) this.#commit(stream, last + 1 + i, event);
    return { kind: 'written', revision: last + events.length, position: this.all.at(-1)?.position ?? null };
  }

  softDelete(stream: string): void {
    const metastream = `$$${stream}`;
    this.#commit(metastream, this.lastOf(metastream) + 1, systemEvent('$metadata', `{"$tb":${wholeStream}}`));
  }

  tombstone(stream: string): void {
    this.#commit(stream, Number.POSITIVE_INFINITY, systemEvent(tombstoneType, ''));
  }

  isTombstoned(stream: string): boolean {
    return this.#streams.get(stream)?.some(({ type }) => type === tombstoneType) ?? false;
  }

  /** -1 for a stream without events. */
  lastOf(stream: string): number {
    return this.#streams.get(stream)?.findLast(({ revision }) => Number.isFinite(revision))?.revision ?? -1;
  }

  /** The part of a stream that its metadata show; null if it does not exist or was soft-deleted. */
  shown(stream: string): readonly Recorded[] | null {
    const events = this.#streams.get(stream);
    const first = this.#firstShown(stream);
    return events === undefined || first === Number.POSITIVE_INFINITY
      ? null
      : events.filter((e) => e.revision >= first);
  }

  /** Removes events that no stream shows any more. */
  scavenge(): void {
    const gone = new Set<Recorded>();
    for (const [stream, events] of this.#streams) {
      const first = Math.min(this.#firstShown(stream), this.lastOf(stream));
      for (const event of events) if (event.revision < first) gone.add(event);
      this.#streams.set(
        stream,
        events.filter((event) => !gone.has(event)),
      );
    }
    this.all = this.all.filter((event) => !gone.has(event));
  }

  /** Replaces the log with this one, as a restored backup would. */
  restore(backup: readonly Recorded[]): void {
    this.all = [];
    this.#streams.clear();
    for (const event of backup) this.#add(event);
  }

  /** The index in `all` of the first event at or after a position; null if the position is within an event. */
  indexFrom(position: number): number | null {
    let [low, high] = [0, this.all.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.all[middle]?.position ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    const before = this.all[low - 1];
    return before !== undefined && before.position < position && before.end > position ? null : low;
  }

  /** Resolves with the next commit, or when the signal aborts. */
  async news(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
    await promise;
    this.#waiting.delete(resolve);
  }

  /** Events at the expected place are compared only by their ids. */
  #known(stream: string, expected: Expected, events: readonly Proposed[]): Outcome | null {
    const there = this.#streams.get(stream) ?? [];
    const at = expected === 'any' ? there.length : expected + 1 - (there[0]?.revision ?? 0);
    const first = there[at];
    if (first === undefined || !events.every(({ id }, i) => there[at + i]?.id === id)) return null;
    return { kind: 'known', revision: first.revision + events.length - 1, position: first.position };
  }

  #firstShown(stream: string): number {
    if (stream.startsWith('$$')) return this.lastOf(stream);
    const settings = this.#streams.get(`$$${stream}`)?.at(-1)?.data.toString() ?? '{}';
    if (settings.includes(wholeStream)) return Number.POSITIVE_INFINITY;
    const { $tb = 0, $maxCount } = JSON.parse(settings) as { readonly $tb?: number; readonly $maxCount?: number };
    return Math.max($tb, $maxCount === undefined ? 0 : this.lastOf(stream) - $maxCount + 1);
  }

  #commit(stream: string, revision: number, event: Proposed): void {
    // As on a real server, positions are offsets in the log, and the next event begins where this one ends.
    const end = this.#end + 80 + event.data.length + event.metadata.length;
    this.#add({ ...event, stream, revision, created: Date.now(), position: this.#end, end });
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const arrived of waiting) arrived();
  }

  #add(event: Recorded): void {
    const stream = this.#streams.get(event.stream);
    if (stream === undefined) this.#streams.set(event.stream, [event]);
    else stream.push(event);
    this.all.push(event);
    this.#end = event.end;
  }
}

export function systemEvent(type: string, json: string): Proposed {
  return { id: randomUUID(), type, isJson: true, data: Buffer.from(json), metadata: Buffer.alloc(0) };
}
