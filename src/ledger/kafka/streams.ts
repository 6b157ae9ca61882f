// Decides which records of a topic count as events of which stream, and where streams are. A stream's events are the records with
// the revisions 0, 1, 2, ... in the order of their offsets; of two records with the same revision the first counts, and records
// after a missing revision do not.
import { getOrCreate } from '../../base/get-or-create.ts';
import { RecentMap } from '../../base/recent-map.ts';
import type { EvidencePlace } from '../ledger.ts';
import type { FoundEvent } from '../remote/log.ts';
import { Turns } from '../turns.ts';
import type { Watermarks } from './client.ts';
import type { Readers, Span } from './reader.ts';
import { eventIn, streamOfKey } from './wire.ts';

export interface KnownStream {
  /** From its first event to its last. */
  readonly place: EvidencePlace;
  readonly count: number;
}

/** Whether a record counts in its stream. */
export type RecordStatus = 'counts' | 'repeated' | 'after a gap';

/** `last` is the last revision that counts so far; -1: none. */
export function statusOf(revision: number, last: number): RecordStatus {
  if (revision === last + 1) return 'counts';
  return revision <= last ? 'repeated' : 'after a gap';
}

/** The streams that a reader has seen, which decides about further records. */
export class SeenStreams {
  readonly #streams: Map<string, KnownStream>;
  readonly #fromBeginning: boolean;

  /** For reading that starts in the middle of streams: the first record of each stream counts as the next one. */
  constructor({ fromBeginning = true, most = Number.POSITIVE_INFINITY } = {}) {
    this.#fromBeginning = fromBeginning;
    this.#streams = new RecentMap(most);
  }

  add({ stream, revision }: Pick<FoundEvent, 'stream' | 'revision'>, partition: number, offset: number): RecordStatus {
    const known = this.#streams.get(stream);
    const count = known?.count ?? (this.#fromBeginning ? 0 : revision);
    const standing = statusOf(revision, count - 1);
    if (standing !== 'counts') return standing;
    const place = { partition, from: known?.place.from ?? offset, to: offset };
    this.#streams.set(stream, { place, count: revision + 1 });
    return standing;
  }

  get(stream: string): KnownStream | null {
    return this.#streams.get(stream) ?? null;
  }
}

/** What a scan from the beginning of the partitions has found so far. */
export class Scan {
  readonly #readers: Readers;
  readonly #topic: string;
  readonly #partitions = new Map<number, { streams: SeenStreams; next: number }>();
  readonly #turns = new Turns();

  constructor(readers: Readers, topic: string) {
    this.#readers = readers;
    this.#topic = topic;
  }

  /** Scans up to these watermarks. Scans run in sequence, so that nothing is read twice. */
  extend(partitions: readonly number[], marks: readonly Watermarks[], signal: AbortSignal): Promise<void> {
    return this.#turns.take(() => this.#extend(partitions, marks, signal), signal);
  }

  find(stream: string, candidates: readonly number[]): KnownStream | null {
    for (const partition of candidates) {
      const known = this.#partitions.get(partition)?.streams.get(stream) ?? null;
      if (known !== null) return known;
    }
    return null;
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
        const event = stream === null ? null : eventIn(stream, record);
        if (event !== null && typeof event !== 'string') scan.streams.add(event, partition, Number(record.offset));
      }
      scan.next = next;
    }
  }

  #scanOf(partition: number): { streams: SeenStreams; next: number } {
    return getOrCreate(this.#partitions, partition, () => ({ streams: new SeenStreams(), next: 0 }));
  }
}

/** The number of recent streams that are remembered. */
export const rememberedStreams = 100_000;
