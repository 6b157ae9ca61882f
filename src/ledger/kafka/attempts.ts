// Reads attempts by their places. Attempts that are near each other in one partition are read as one range, including the
// records in between, because starting a range costs as much as reading a thousand records.
import type { KafkaMessage } from 'kafkajs';
import type { EvidencePlace } from '../ledger.ts';
import type { FoundEvent } from '../remote/log.ts';
import type { AttemptRange } from '../split/evidence.ts';
import type { Watermarks } from './client.ts';
import type { Span } from './reader.ts';
import { type KnownStream, statusOf } from './streams.ts';
import { eventIn } from './wire.ts';

/** The maximum number of records between two attempts that are read and dropped instead of skipped. */
const smallGap = 2_000;

/**
 * Groups these places into ranges; the ranges of one partition are separated by more than a small gap. Ranges of different
 * partitions are read concurrently, those of one partition in sequence, so they come in rounds.
 */
export function roundsOf(
  topic: string,
  places: readonly EvidencePlace[],
  gap: number = smallGap,
): readonly (readonly Span[])[] {
  const rounds: Span[][] = [];
  const inOrder = [...places].sort((a, b) => a.from - b.from);
  for (const [, own] of Map.groupBy(inOrder, ({ partition }) => partition)) {
    let round = -1;
    let end = Number.NEGATIVE_INFINITY;
    for (const { partition, from, to } of own) {
      if (from > end + gap) {
        round += 1;
        end = to + 1;
        rounds[round] = [...(rounds[round] ?? []), { topic, partition, from, until: end }];
        continue;
      }
      end = Math.max(end, to + 1);
      const spans = rounds[round] as Span[];
      spans[spans.length - 1] = { ...(spans.at(-1) as Span), until: end };
    }
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
  known: KnownStream | null,
): EvidencePlace | null {
  const { count = 0, place = null } = known ?? {};
  if (place === null || place.to - place.from + 1 !== count) return place;
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
