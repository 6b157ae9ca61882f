// Which records of a topic count as events of which stream, and where streams are. A stream's events are the records that have
// the revisions 0, 1, 2, ... in the order of their offsets; of two records with one revision the first counts, and what comes
// after a missing revision does not.
import type { EvidencePlace } from '../ledger.ts';
import type { FoundEvent, Position } from '../remote/log.ts';
import type { Watermarks } from './client.ts';
import type { Readers, Span } from './reader.ts';
import { eventIn, streamOfKey } from './wire.ts';

export interface KnownStream {
  /** From its first event to its last. */
  readonly place: EvidencePlace;
  /** Of the last event. */
  readonly revision: number;
  readonly digest: string;
}

/** What a record is in its stream. */
export type Standing = 'counts' | 'repeated' | 'after a gap';

/** The streams in one partition, as a scan from its beginning finds them. */
export class PartitionStreams {
  readonly #partition: number;
  readonly #streams = new Map<string, { from: number; to: number; revision: number; digest: string }>();

  constructor(partition: number) {
    this.#partition = partition;
  }

  add({ stream, revision, digest }: Pick<FoundEvent, 'stream' | 'revision' | 'digest'>, offset: number): Standing {
    const known = this.#streams.get(stream);
    const standing = standingOf(revision, known?.revision ?? -1);
    if (standing !== 'counts') return standing;
    if (known === undefined) this.#streams.set(stream, { from: offset, to: offset, revision, digest });
    else Object.assign(known, { to: offset, revision, digest });
    return standing;
  }

  get(stream: string): KnownStream | null {
    const known = this.#streams.get(stream);
    if (known === undefined) return null;
    const { from, to, revision, digest } = known;
    return { place: { partition: this.#partition, from, to }, revision, digest };
  }

  names(prefix: string): readonly string[] {
    return [...this.#streams.keys()].filter((name) => name.startsWith(prefix));
  }
}

/** `last`: the last revision that counts so far; -1 where none does. */
export function standingOf(revision: number, last: number): Standing {
  if (revision === last + 1) return 'counts';
  return revision <= last ? 'repeated' : 'after a gap';
}

/** Tells a follower, who may begin in the middle of streams, which records it has delivered already. */
export class Deliveries {
  readonly #last = new Map<string, number>();
  readonly #fromBeginning: boolean;

  constructor(fromBeginning: boolean) {
    this.#fromBeginning = fromBeginning;
  }

  standingOf({ stream, revision }: Pick<FoundEvent, 'stream' | 'revision'>): Standing {
    const last = this.#last.get(stream) ?? (this.#fromBeginning ? -1 : revision - 1);
    const standing = standingOf(revision, last);
    if (standing !== 'counts') return standing;
    remember(this.#last, stream, revision);
    return standing;
  }
}

/** A scan remembers no positions. */
const nowhere = (): Position => '';

/** What a scan from the beginning of the partitions has found so far. */
export class Scan {
  readonly #readers: Readers;
  readonly #topic: string;
  readonly #partitions = new Map<number, { streams: PartitionStreams; next: number }>();
  #turn: Promise<void> = Promise.resolve();

  constructor(readers: Readers, topic: string) {
    this.#readers = readers;
    this.#topic = topic;
  }

  /** Up to these watermarks. One after the other, so that nothing is read twice. */
  extend(partitions: readonly number[], marks: readonly Watermarks[], signal: AbortSignal): Promise<void> {
    const extended = this.#turn.then(() => this.#extend(partitions, marks, signal));
    this.#turn = extended.catch(() => {});
    return extended;
  }

  find(stream: string, candidates: readonly number[]): KnownStream | null {
    for (const partition of candidates) {
      const known = this.#partitions.get(partition)?.streams.get(stream) ?? null;
      if (known !== null) return known;
    }
    return null;
  }

  names(prefix: string): readonly string[] {
    const names = [...this.#partitions.values()].flatMap(({ streams }) => streams.names(prefix));
    return [...new Set(names)].sort();
  }

  async #extend(partitions: readonly number[], marks: readonly Watermarks[], signal: AbortSignal): Promise<void> {
    const spans = partitions.flatMap((partition): readonly Span[] => {
      const { low, high } = marks[partition] ?? { low: 0, high: 0 };
      const from = Math.max(low, this.#scanOf(partition).next);
      return from < high ? [{ topic: this.#topic, partition, from, until: high }] : [];
    });
    if (spans.length === 0) return;
    for await (const { partition, records, next } of this.#readers.read(spans, signal)) {
      const scan = this.#scanOf(partition);
      for (const record of records) {
        const stream = streamOfKey(record.key);
        const event = stream === null ? null : eventIn(stream, record, nowhere);
        if (event !== null && typeof event !== 'string') scan.streams.add(event, Number(record.offset));
      }
      scan.next = next;
    }
  }

  #scanOf(partition: number): { streams: PartitionStreams; next: number } {
    const scan = this.#partitions.get(partition) ?? { streams: new PartitionStreams(partition), next: 0 };
    this.#partitions.set(partition, scan);
    return scan;
  }
}

/** So many streams are remembered, those that were seen last. */
const rememberedStreams = 100_000;

export function remember<Value>(map: Map<string, Value>, stream: string, value: Value): void {
  map.delete(stream);
  map.set(stream, value);
  if (map.size <= rememberedStreams) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    break;
  }
}
