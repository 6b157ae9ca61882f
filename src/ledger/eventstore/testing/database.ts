// What the server knows: the log of all events, its streams, and the rule by which an append is written, counts as
// written already, or is refused.
import { randomUUID } from 'node:crypto';
import type { Expected } from './expected.ts';
import { KnownIds } from './known-ids.ts';
import { type Entry, LogFile } from './log-file.ts';
import { compare, type Position } from './positions.ts';
import { dataOf, type Proposed, type Recorded, tombstoneType } from './recorded.ts';
import { Stream } from './stream.ts';
import { parseMetadata, type StreamMetadata, softDeletion, undeleted } from './stream-metadata.ts';

export type Outcome =
  | { readonly kind: 'written' | 'known'; readonly revision: number; readonly position: number | null }
  | { readonly kind: 'wrong-revision'; readonly actual: number }
  | { readonly kind: 'deleted' };

const noMetadata = parseMetadata(Buffer.from('{}'));
/** Of a stream's metadata only the last count. */
const metadataOfMetadata: StreamMetadata = { ...noMetadata, maxCount: 1 };

export class Database {
  readonly #log: LogFile;
  readonly #streams = new Map<string, Stream>();
  readonly #known = new KnownIds();
  readonly #waiting = new Set<() => void>();
  #all: Recorded[] = [];

  constructor(path: string) {
    const { log, entries } = LogFile.open(path);
    this.#log = log;
    for (const entry of entries) this.#apply(entry);
  }

  /** All events, in the order of their positions. */
  get all(): readonly Recorded[] {
    return this.#all;
  }

  /** Where the log ends. */
  get end(): number {
    return this.#log.end;
  }

  /** As it is read: of a stream that was deleted for good the metadata are gone as well. */
  stream(name: string): Stream {
    return this.#streams.get(name) ?? new Stream(name, this.#metadataFor(name));
  }

  isTombstoned(name: string): boolean {
    return this.stream(name).isTombstoned || (isMetastream(name) && this.stream(name.slice(2)).isTombstoned);
  }

  append(name: string, expected: Expected, events: readonly Proposed[]): Outcome {
    const ids = events.map(({ id }) => id);
    const refused = this.#unlessNew(name, expected, ids);
    if (refused !== null) return refused;
    const { last, isSoftDeleted: wasSoftDeleted } = this.stream(name);
    if (events.length === 0) return { kind: 'written', revision: last, position: this.#all.at(-1)?.position ?? null };
    const showsAgain = isMetastream(name) && this.stream(name.slice(2)).isSoftDeleted;
    const position = this.#commit(name, last + 1, events);
    if (wasSoftDeleted) this.#showAgain(name, last + 1);
    if (showsAgain) this.#showAgain(name.slice(2), this.stream(name.slice(2)).last + 1);
    return { kind: 'written', revision: last + events.length, position };
  }

  /** What a stream held is no longer shown; it may go on after that. */
  softDelete(name: string, expected: Expected): Outcome {
    const event = systemEvent('$metadata', softDeletion);
    const refused = this.#unlessNew(name, expected, [event.id]);
    if (refused !== null) return refused;
    const metadata = this.stream(metastreamOf(name));
    if (this.stream(name).last < 0 && metadata.last < 0) return { kind: 'wrong-revision', actual: -1 };
    const revision = metadata.last + 1;
    return { kind: 'written', revision, position: this.#commit(metadata.name, revision, [event]) };
  }

  /** No event can ever be written to the stream again. */
  tombstone(name: string, expected: Expected): Outcome {
    const event = systemEvent(tombstoneType, '');
    const refused = this.#unlessNew(name, expected, [event.id]);
    if (refused !== null) return refused;
    const revision = Number.POSITIVE_INFINITY;
    return { kind: 'written', revision, position: this.#commit(name, revision, [event]) };
  }

  /** Takes what no stream shows any more out of the log as well. */
  scavenge(): void {
    const time = Date.now();
    this.#log.noteScavenge(time);
    this.#scavenge(time);
  }

  /** The index in `all` of the first event at or after a place; null when the place is in the middle of one. */
  indexFrom(place: Position): number | null {
    let low = 0;
    let high = this.#all.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#all[middle]?.position ?? 0) < place.commit) low = middle + 1;
      else high = middle;
    }
    const before = this.#all[low - 1];
    const found = this.#all[low];
    if (found?.position !== place.commit) return before !== undefined && before.end > place.commit ? null : low;
    return compare({ commit: found.position, prepare: found.position }, place) < 0 ? low + 1 : low;
  }

  /** Resolves with the next commit; `forget` when nobody waits any more. */
  news(): { readonly arrived: Promise<void>; forget(): void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    return { arrived: promise, forget: () => this.#waiting.delete(resolve) };
  }

  close(): void {
    this.#log.close();
  }

  /** Null when the events are to be written. */
  #unlessNew(name: string, expected: Expected, ids: readonly string[]): Outcome | null {
    if (this.isTombstoned(name)) return { kind: 'deleted' };
    const stream = this.stream(name);
    if (expected === 'exists') {
      if (stream.isSoftDeleted) return { kind: 'deleted' };
      if (stream.last < 0 && this.stream(metastreamOf(name)).last < 0) return { kind: 'wrong-revision', actual: -1 };
    }
    if (expected === 'any' || expected === 'exists') return this.#unlessUnknown(stream, ids);
    return this.#unlessNext(stream, expected === 'none' ? -1 : expected, ids);
  }

  /** Without a revision, only the memory of recent ids tells a repeat. */
  #unlessUnknown(stream: Stream, ids: readonly string[]): Outcome | null {
    let revision = -1;
    for (const [i, id] of ids.entries()) {
      const place = this.#known.find(id);
      if (place?.stream !== stream.name) return i === 0 ? null : { kind: 'wrong-revision', actual: stream.last };
      revision = place.revision;
    }
    return ids.length === 0 ? null : this.#alreadyAt(stream, revision);
  }

  /** With a revision that is behind, the stream itself tells a repeat. */
  #unlessNext(stream: Stream, expected: number, ids: readonly string[]): Outcome | null {
    if (expected === stream.last) return null;
    const wrong: Outcome = { kind: 'wrong-revision', actual: stream.last };
    if (expected > stream.last || ids.length === 0) return wrong;
    for (const [i, id] of ids.entries()) {
      const revision = expected + 1 + i;
      const known = this.#known.find(id);
      if (known?.stream === stream.name && known.revision === revision) continue;
      if (stream.stored(revision)?.id === id) continue;
      return i === 0 && expected === -1 && stream.isSoftDeleted ? null : wrong;
    }
    return this.#alreadyAt(stream, expected + ids.length);
  }

  #alreadyAt(stream: Stream, revision: number): Outcome {
    return { kind: 'known', revision, position: stream.shown(revision, Date.now())?.position ?? null };
  }

  #commit(stream: string, revision: number, events: readonly Proposed[]): number | null {
    const recorded = this.#log.append(stream, revision, events, Date.now());
    for (const event of recorded) this.#known.add(event.id, event);
    this.#add(recorded);
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const arrived of waiting) arrived();
    return recorded.at(-1)?.position ?? null;
  }

  #apply(entry: Entry): void {
    if (entry.kind === 'scavenge') this.#scavenge(entry.time);
    else this.#add(entry.events);
  }

  #add(events: readonly Recorded[]): void {
    for (const event of events) {
      this.#all.push(event);
      this.#kept(event.stream).add(event);
      if (isMetastream(event.stream)) this.#kept(event.stream.slice(2)).metadata = parseMetadata(dataOf(event));
    }
  }

  #kept(name: string): Stream {
    const found = this.#streams.get(name);
    if (found !== undefined) return found;
    const made = new Stream(name, this.#metadataFor(name));
    this.#streams.set(name, made);
    return made;
  }

  #metadataFor(name: string): StreamMetadata {
    return isMetastream(name) ? metadataOfMetadata : noMetadata;
  }

  #showAgain(name: string, from: number): void {
    const metastream = this.stream(metastreamOf(name));
    const last = metastream.stored(metastream.last);
    if (last === null) return;
    const changed = { ...systemEvent('$metadata', ''), data: undeleted(dataOf(last), from) };
    this.#commit(metastream.name, metastream.last + 1, [changed]);
  }

  #scavenge(time: number): void {
    const taken = new Set([...this.#streams.values()].flatMap((stream) => stream.scavenge(time)));
    this.#all = this.#all.filter((event) => !taken.has(event));
  }
}

export function metastreamOf(name: string): string {
  return `$$${name}`;
}

export function isMetastream(name: string): boolean {
  return name.startsWith('$$');
}

export function systemEvent(type: string, json: string): Proposed {
  return { id: randomUUID(), type, isJson: true, data: Buffer.from(json), metadata: Buffer.alloc(0) };
}
