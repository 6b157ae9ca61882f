// Reads attempts by their places. Attempts that are near each other in one partition are read as one range, including the
// records in between, because starting a range costs as much as reading a thousand records.
import type { KafkaMessage } from 'kafkajs';
import type { EvidencePlace } from '../ledger.ts';
import type { FoundEvent } from '../remote/log.ts';
import type { AttemptRange } from '../split/evidence.ts';
import type { Watermarks } from './reader.ts';
import { type KnownStream, statusOf } from './streams.ts';
import { eventIn } from './wire.ts';

/** The maximum number of records between two attempts that are read and dropped instead of skipped. */
const smallGap = 2_000;

interface WholeSpan {
  readonly partition: number;
  readonly from: number;
  readonly until: number;
}

/**
 * Groups these places into ranges; the ranges of one partition are separated by more than a small gap. Ranges of different
 * partitions are read concurrently, those of one partition in sequence, so they come in rounds.
 */
export function roundsOf(places: readonly EvidencePlace[], gap: number = smallGap): readonly (readonly WholeSpan[])[] {
  const rounds: WholeSpan[][] = [];
  const inOrder = [...places].sort((a, b) => a.from - b.from);
  for (const [partition, own] of Map.groupBy(inOrder, (place) => place.partition)) {
    const spans: WholeSpan[] = [];
    for (const { from, to } of own) {
      const last = spans.at(-1);
      if (last === undefined || from > last.until + gap) spans.push({ partition, from, until: to + 1 });
      else spans[spans.length - 1] = { ...last, until: Math.max(last.until, to + 1) };
    }
    for (const [round, span] of spans.entries()) rounds[round] = [...(rounds[round] ?? []), span];
  }
  return rounds;
}

/** Whether a topic with these watermarks can contain the place. */
export function isWithin({ partition, from, to }: EvidencePlace, marks: readonly Watermarks[]): boolean {
  const { low, high } = marks[partition] ?? { low: 0, high: 0 };
  return low <= from && from <= to && to < high;
}

/** The offsets of revisions of a stream; exact if no other records are among its events. */
export function placeOfRange(
  { from, to }: Pick<AttemptRange, 'from' | 'to'>,
  { count, place }: KnownStream,
): EvidencePlace {
  if (place.to - place.from + 1 !== count) return place;
  return { partition: place.partition, from: place.from + from, to: place.from + Math.min(to, count - 1) };
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
    if (typeof event === 'string' || statusOf(event.revision, this.revision) !== 'counts') return;
    this.revision = event.revision;
    this.#waiting.push(event);
  }

  takeAll(): readonly FoundEvent[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }
}
