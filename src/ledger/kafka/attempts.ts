// Reading attempts by their places. Attempts that are near each other in one partition are read as one range, neighbours
// included, because to begin a range costs as much as to read a thousand records.
import type { KafkaMessage } from 'kafkajs';
import type { EvidencePlace } from '../ledger.ts';
import type { FoundEvent, Position } from '../remote/log.ts';
import type { AttemptToRead } from '../split/attempt-store.ts';
import type { Watermarks } from './client.ts';
import type { Span } from './reader.ts';
import { standingOf } from './streams.ts';
import { eventIn } from './wire.ts';

/** Records between two attempts that are read and dropped rather than passed over. */
const smallGap = 2_000;
/** Events of the attempts of one group, which may have to wait in memory for those of an attempt before them. */
const eventsOfGroup = 40_000;

/** Cuts attempts, in their order, into groups that are read together. One that is larger than a group is one by itself. */
export function groupsOf<Attempt extends Pick<AttemptToRead, 'count'>>(
  attempts: readonly Attempt[],
  most: number = eventsOfGroup,
): readonly (readonly Attempt[])[] {
  const groups: Attempt[][] = [];
  let events = Number.POSITIVE_INFINITY;
  for (const attempt of attempts) {
    if (events + attempt.count > most) {
      groups.push([]);
      events = 0;
    }
    groups.at(-1)?.push(attempt);
    events += attempt.count;
  }
  return groups;
}

/**
 * The ranges that hold these places, those of one partition apart from each other by more than a small gap. Ranges of several
 * partitions are read at once, those of one partition after each other: so they come in rounds.
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

/** A place that a topic with these watermarks cannot hold is wrong. */
export function isWithin({ partition, from, to }: EvidencePlace, marks: readonly Watermarks[]): boolean {
  const { low, high } = marks[partition] ?? { low: 0, high: 0 };
  return low <= from && from <= to && to < high;
}

/** Collects the events of one stream out of records that may be of any. */
export class AttemptEvents {
  readonly stream: string;
  /** The last revision that was found, and its offset; -1 where none was. */
  revision = -1;
  offset = -1;
  readonly #count: number;
  #waiting: FoundEvent[] = [];

  constructor({ stream, count }: Pick<AttemptToRead, 'stream' | 'count'>) {
    this.stream = stream;
    this.#count = count;
  }

  get isComplete(): boolean {
    return this.revision + 1 >= this.#count;
  }

  /** Takes what counts and drops the rest. `positionAfter` says where the log goes on after an offset. */
  add(record: KafkaMessage, positionAfter: (offset: number) => Position): void {
    if (this.isComplete) return;
    const event = eventIn(this.stream, record, positionAfter);
    if (typeof event === 'string' || standingOf(event.revision, this.revision) !== 'counts') return;
    this.revision = event.revision;
    this.offset = Number(record.offset);
    this.#waiting.push(event);
  }

  takeAll(): readonly FoundEvent[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }
}
