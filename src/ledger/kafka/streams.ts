// Decides which records of a topic count as events of which stream, and where streams are. A stream's events are the records with
// the revisions 0, 1, 2, ... in the order of their offsets; of two records with the same revision the first counts, and records
// after a missing revision do not.
import type { KafkaMessage } from 'kafkajs';
import { getOrCreate } from '../../base/get-or-create.ts';
import { RecentMap } from '../../base/recent-map.ts';
import type { EvidencePlace } from '../ledger.ts';
import type { FoundEvent } from '../remote/log.ts';
import type { AttemptRange } from '../split/evidence.ts';
import { Turns } from '../turns.ts';
import { hashedPartition } from './client.ts';
import { requireInside } from './errors.ts';
import type { Reader, Span, Watermarks } from './reader.ts';
import { eventIn, eventOf } from './wire.ts';

/** The number of recent streams that are remembered. */
export const rememberedStreams = 100_000;

export interface KnownStream {
  /** From its first event to its last. */
  readonly place: EvidencePlace;
  readonly count: number;
}

/** Both ends inclusive. */
interface Revisions {
  readonly from: number;
  to: number;
}

/** Whether a record counts in its stream. */
type RecordStatus = 'counts' | 'repeated' | 'after a gap';

/** The streams that a reader has seen, which decides about further records. */
export class SeenStreams {
  readonly #streams: Map<string, KnownStream>;
  /** Events after a missing one, as ranges of revisions: they are usually adjacent. */
  readonly #stranded: Map<string, Revisions[]>;
  readonly #fromBeginning: boolean;

  /** For reading that starts in the middle of streams: the first record of each stream counts as the next one. */
  constructor({ fromBeginning = true, most = Number.POSITIVE_INFINITY } = {}) {
    this.#fromBeginning = fromBeginning;
    this.#streams = new RecentMap(most);
    this.#stranded = new RecentMap(most);
  }

  add({ stream, revision }: Pick<FoundEvent, 'stream' | 'revision'>, partition: number, offset: number): RecordStatus {
    const known = this.#streams.get(stream);
    const count = known?.count ?? (this.#fromBeginning ? 0 : revision);
    if (revision < count) return 'repeated';
    if (revision > count) {
      this.#strand(stream, revision);
      return 'after a gap';
    }
    const place = { partition, from: known?.place.from ?? offset, to: offset };
    this.#streams.set(stream, { place, count: revision + 1 });
    return 'counts';
  }

  get(stream: string): KnownStream | null {
    return this.#streams.get(stream) ?? null;
  }

  /** The number of events of a range, both ends inclusive, that do not count because one before them is missing. */
  countStranded({ stream, from, to }: Pick<AttemptRange, 'stream' | 'from' | 'to'>): number {
    const ranges = this.#stranded.get(stream) ?? [];
    return ranges.reduce((sum, one) => sum + Math.max(0, Math.min(one.to, to) - Math.max(one.from, from) + 1), 0);
  }

  #strand(stream: string, revision: number): void {
    const ranges = getOrCreate(this.#stranded, stream, () => []);
    const last = ranges.at(-1);
    if (last?.to === revision - 1) last.to = revision;
    else ranges.push({ from: revision, to: revision });
  }
}

/** Whether a topic with these watermarks can contain the span. */
export function isWithin({ partition, from, until }: Span, marks: readonly Watermarks[]): boolean {
  const { low, high } = marks[partition] ?? { low: 0, high: 0 };
  return low <= from && from < until && until <= high;
}

/** The offsets of revisions of a stream; exact if no other records are among its events. */
export function spanOf({ from, to }: Pick<AttemptRange, 'from' | 'to'>, { count, place }: KnownStream): Span {
  const { partition, from: first, to: last } = place;
  if (last - first + 1 !== count) return { partition, from: first, until: last + 1 };
  return { partition, from: first + from, until: first + Math.min(to + 1, count) };
}

/** Collects the events of a range of one stream from mixed records. */
export class AttemptEvents {
  readonly stream: string;
  readonly to: number;
  /** The last revision found; before the first one, the revision before the range. */
  revision: number;
  #waiting: FoundEvent[] = [];

  constructor({ stream, from, to }: Pick<AttemptRange, 'stream' | 'from' | 'to'>) {
    this.stream = stream;
    this.to = to;
    this.revision = from - 1;
  }

  get isComplete(): boolean {
    return this.revision >= this.to;
  }

  /** Takes the events that count and drops the rest. */
  add(record: KafkaMessage): void {
    if (this.isComplete) return;
    const event = eventIn(this.stream, record);
    if (typeof event === 'string' || event.revision !== this.revision + 1) return;
    this.revision = event.revision;
    this.#waiting.push(event);
  }

  takeAll(): readonly FoundEvent[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }
}

/** What a scan from the beginning of the partitions has found so far. */
export class Scan {
  readonly #reader: Reader;
  readonly #topic: string;
  readonly #partitionsMade: number;
  readonly #partitions = new Map<number, { readonly streams: SeenStreams; next: number }>();
  readonly #turns = new Turns();

  constructor(reader: Reader, topic: string, partitionsMade: number) {
    this.#reader = reader;
    this.#topic = topic;
    this.#partitionsMade = partitionsMade;
  }

  /** Null: the stream has no events. Searches run in sequence, so that nothing is read twice. */
  find(stream: string, signal: AbortSignal): Promise<KnownStream | null> {
    return this.#turns.take(() => this.#find(stream, signal), signal);
  }

  /** Reads the unread part of the partitions that may contain the stream. */
  async #find(stream: string, signal: AbortSignal): Promise<KnownStream | null> {
    const marks = await this.#reader.watermarks(this.#topic);
    const hashed = hashedPartition(stream, marks.length);
    // If partitions were added later, its name may have mapped to another one before.
    const candidates = new Set(marks.length === this.#partitionsMade ? [hashed] : [hashed, ...marks.keys()]);
    const spans = Array.from(candidates, (partition) => {
      const { low, high } = marks[partition] as Watermarks;
      return { partition, from: Math.max(low, this.#scanned(partition).next), until: high };
    });
    for await (const { partition, records, next } of this.#reader.read(this.#topic, spans, signal)) {
      const scanned = this.#scanned(partition);
      for (const record of records) {
        const event = eventOf(record);
        if (typeof event !== 'string') scanned.streams.add(event, partition, Number(record.offset));
      }
      scanned.next = next;
    }
    for (const partition of candidates) {
      const known = this.#scanned(partition).streams.get(stream);
      if (known !== null) return known;
    }
    for (const partition of candidates) requireInside(this.#topic, partition, 0, marks[partition]);
    return null;
  }

  countStranded(range: Pick<AttemptRange, 'stream' | 'from' | 'to'>): number {
    return this.#partitions.values().reduce((sum, { streams }) => sum + streams.countStranded(range), 0);
  }

  #scanned(partition: number): { readonly streams: SeenStreams; next: number } {
    return getOrCreate(this.#partitions, partition, () => ({ streams: new SeenStreams(), next: 0 }));
  }
}
