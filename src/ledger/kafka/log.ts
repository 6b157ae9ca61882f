// The log of evidence in Kafka: each attempt is appended by one producer session and read from the place where it was written.
// Kafka has no index of streams: a stream without a known place is found by scanning its partition.
import { RecentMap } from '../../base/recent-map.ts';
import { unsupportedByStore } from '../errors.ts';
import type { CursorOrder } from '../event.ts';
import type { EvidencePlace, StoreFault } from '../ledger.ts';
import { BadPosition } from '../remote/errors.ts';
import type {
  FoundEvent,
  LogAppended,
  LogStream,
  LogTraits,
  OutgoingEvent,
  Page,
  Position,
  ServerLog,
  StreamRange,
} from '../remote/log.ts';
import type { Waits } from '../remote/retry.ts';
import type { AttemptRange } from '../split/evidence.ts';
import { AttemptEvents, isWithin, placeOfRange, roundsOf } from './attempts.ts';
import { hashedPartition, type KafkaClient, recordsOfSend, type Watermarks } from './client.ts';
import { evidenceMissingIn, offsetGone } from './errors.ts';
import type { KafkaIdentity } from './identity.ts';
import { type Fetched, type Readers, type Span, waitMs } from './reader.ts';
import { SealedTopic } from './sealed-topic.ts';
import { Sender } from './sender.ts';
import { type KnownStream, rememberedStreams, Scan, SeenStreams } from './streams.ts';
import { largestBatchBytes, losingSettings, type Topics } from './topics.ts';
import { eventIn, messageOf, noPosition, streamOfKey } from './wire.ts';

/** Events of an attempt, in order. */
export interface AttemptPage {
  readonly stream: string;
  readonly events: readonly FoundEvent[];
  /** No more pages of this attempt follow. */
  readonly isLast: boolean;
}

/** The maximum size of its headers in addition to its canonical text. */
const eventOverheadBytes = 1_000;

export interface LogParts {
  readonly client: KafkaClient;
  readonly readers: Readers;
  readonly topics: Topics;
  readonly identity: KafkaIdentity;
  readonly url: string;
  readonly waits: Waits;
  readonly patience: number;
}

export class KafkaLog implements ServerLog {
  readonly ledger: string;
  readonly part: 'decisions' | 'evidence' | undefined;
  readonly url: string;
  readonly traits: LogTraits = {
    // The broker's limit applies to compressed records with their headers, and these do not always compress.
    maxAppendBytes: largestBatchBytes / 2,
    maxAppendEvents: recordsOfSend,
    eventOverheadBytes,
    attempts: 'reported',
  };
  readonly #client: KafkaClient;
  readonly #readers: Readers;
  readonly #topics: Topics;
  readonly #partitionsMade: number;
  readonly #sending: Sender;
  /** What consumers without icecore know of seals. */
  readonly sealed: SealedTopic;
  readonly #scan: Scan;
  /** Streams that this session has written. */
  readonly #own = new RecentMap<string, KnownStream>(rememberedStreams);
  #partitions: number | null = null;

  constructor({ client, readers, topics, identity, url, waits, patience }: LogParts) {
    this.#sending = new Sender(client, topics.events, waits, patience);
    this.#client = client;
    this.#readers = readers;
    this.#topics = topics;
    this.#partitionsMade = identity.partitions;
    this.ledger = identity.ledger;
    this.part = identity.part;
    this.url = url;
    this.sealed = new SealedTopic(client, readers, topics.sealed);
    this.#scan = new Scan(readers, topics.events);
  }

  async append(
    stream: string,
    events: readonly OutgoingEvent[],
    { isNew, signal }: { readonly isNew: boolean; readonly signal: AbortSignal },
  ): Promise<LogAppended> {
    if (!stream.startsWith('evidence-')) throw unsupportedByStore(this.url, `hold ${stream}: it holds evidence only`);
    this.#sending.requireWhole(stream);
    const known = this.#own.get(stream) ?? (isNew ? null : await this.#findByScan(stream, signal));
    const count = known?.count ?? 0;
    if (events[0]?.revision !== count) return { kind: 'wrong-end', revision: count - 1 };
    const partition = known?.place.partition ?? (await this.#partitionOf(stream));
    const messages = events.map((event) => messageOf(stream, event, partition));
    const from = await this.#sending.send(stream, messages, known?.place.to ?? -1);
    const place = { partition, from: known?.place.from ?? from, to: from + events.length - 1 };
    this.#own.set(stream, { place, count: count + events.length });
    return { kind: 'appended', position: noPosition, place };
  }

  /** Only forwards; backwards reads take the last events first. */
  async *readStream(
    stream: string,
    { from, to = Number.POSITIVE_INFINITY, limit = Number.POSITIVE_INFINITY }: StreamRange,
    signal: AbortSignal,
  ): AsyncGenerator<readonly FoundEvent[]> {
    const known = this.#own.get(stream) ?? (await this.#findByScan(stream, signal));
    const range = { stream, from, to: Math.min(to, from + limit - 1, (known?.count ?? 0) - 1) };
    if (known === null || from > range.to) return;
    for await (const { events } of this.readAttempts([{ ...known, ...range }], signal)) {
      if (events.length > 0) yield events;
    }
  }

  /**
   * The events of several attempts, in the order of the request. Attempts near each other in one partition are read as one
   * range, so all their events may be in memory at once. Throws EvidenceMissing if an attempt has fewer events than it should.
   */
  async *readAttempts(attempts: readonly AttemptRange[], signal: AbortSignal): AsyncGenerator<AttemptPage> {
    const filling = new Map(attempts.map((attempt) => [attempt.stream, new AttemptEvents(attempt)]));
    const inOrder = [...filling.values()];
    const drain = function* (): Generator<AttemptPage> {
      for (let [first] = inOrder; first !== undefined; [first] = inOrder) {
        const { stream, isComplete: isLast } = first;
        const events = first.takeAll();
        if (isLast || events.length > 0) yield { stream, events, isLast };
        if (!isLast) return;
        inOrder.shift();
      }
    };

    const marks = await this.#client.watermarks(this.#topics.events);
    const places: EvidencePlace[] = [];
    for (const attempt of attempts) {
      const { stream, count, place: hint } = attempt;
      const known = this.#own.get(stream) ?? (hint === undefined ? null : { count, place: hint });
      const place = placeOfRange(attempt, known);
      if (place !== null && isWithin(place, marks)) places.push(place);
    }
    for (const spans of roundsOf(this.#topics.events, places)) {
      for await (const fetched of this.#readers.read(spans, signal)) {
        distribute(fetched, filling);
        yield* drain();
      }
    }
    yield* drain();
    for (let [first] = inOrder; first !== undefined; [first] = inOrder) {
      // Its place was wrong or unknown.
      const known = await this.#findByScan(first.stream, signal);
      for await (const fetched of known === null ? [] : this.#readers.read([this.#spanOf(known.place)], signal)) {
        distribute(fetched, filling);
        if (first.isComplete) break;
        yield { stream: first.stream, events: first.takeAll(), isLast: false };
      }
      if (!first.isComplete) throw this.#missing(first);
      yield* drain();
    }
  }

  /** Kafka has no index of streams, so this reads everything. */
  async streams(prefix: string, signal: AbortSignal): Promise<readonly LogStream[]> {
    const last = new Map<string, LogStream>();
    for await (const { events } of this.follow({ after: null, live: false }, signal)) {
      for (const event of events) if (event.stream.startsWith(prefix)) last.set(event.stream, event);
    }
    return [...last.values()].sort((a, b) => (a.stream < b.stream ? -1 : 1));
  }

  async *follow({ after, until, live }: Parameters<ServerLog['follow']>[0], signal: AbortSignal): AsyncGenerator<Page> {
    if (until !== undefined) throw unsupportedByStore(this.url, 'read up to a position');
    const marks = await this.#client.watermarks(this.#topics.events);
    const start = after === null ? [] : offsetsOf(after);
    const offsets = marks.map((_, partition) => start[partition] ?? 0);
    const spans = marks.map(({ low, high }, partition): Span => {
      const from = offsets[partition] ?? 0;
      if (from < low || from > high) throw offsetGone(this.#topics.events, partition, from, { low, high });
      return { topic: this.#topics.events, partition, from, until: live ? null : high };
    });
    const highs = marks.map(({ high }) => high);
    const isCaughtUp = (): boolean => highs.every((high, partition) => (offsets[partition] ?? 0) >= high);
    if (isCaughtUp()) yield { events: [], position: offsets.join('.'), isCaughtUp: true };
    if (!live && isCaughtUp()) return;
    const seen = new SeenStreams({ fromBeginning: after === null, most: rememberedStreams });
    for await (const fetched of this.#readers.read(spans, signal, live ? waitMs.live : waitMs.ranges)) {
      const { partition, next, high } = fetched;
      offsets[partition] = next;
      if (live) highs[partition] = Math.max(next, high);
      yield { ...pageOf(fetched, seen), position: offsets.join('.'), isCaughtUp: isCaughtUp() };
    }
  }

  /** `events` counts all records, including those of other programs and control records: it is an upper bound. */
  async head(): Promise<{ readonly position: Position | null; readonly events: number }> {
    const marks = await this.#client.watermarks(this.#topics.events);
    const events = marks.reduce((sum, { low, high }) => sum + high - low, 0);
    return { position: events === 0 ? null : marks.map(({ high }) => high).join('.'), events };
  }

  comparePositions(a: Position, b: Position): CursorOrder {
    return compareOffsets(offsetsOf(a), offsetsOf(b));
  }

  /** Records that are not events are found by following the log. */
  async *faults(): AsyncGenerator<StoreFault> {
    const [found = null] = await this.#client.describe([this.#topics.events]);
    for (const { topic, setting, found: value, does, required } of found === null ? [] : losingSettings(found)) {
      yield { where: topic, what: `${setting} is ${value}, ${does}: it must be ${required}` };
    }
    const marks = await this.#client.watermarks(this.#topics.events);
    for (const [partition, { low }] of marks.entries()) {
      const where = `${this.#topics.events}/${partition}`;
      if (low > 0) yield { where, what: `it begins at offset ${low}: earlier records are gone` };
    }
  }

  async close(): Promise<void> {
    await this.#readers.close();
    await this.#client.close();
  }

  /** Like the key placement of standard producers, as long as no partitions are added. */
  async #partitionOf(stream: string): Promise<number> {
    this.#partitions ??= (await this.#client.watermarks(this.#topics.events)).length;
    return hashedPartition(stream, this.#partitions);
  }

  /** Reads the unread part of the partitions that may contain the stream. */
  async #findByScan(stream: string, signal: AbortSignal): Promise<KnownStream | null> {
    const marks = await this.#client.watermarks(this.#topics.events);
    const hashed = hashedPartition(stream, marks.length);
    // If partitions were added later, its name may have mapped to another one before.
    const isAsMade = marks.length === this.#partitionsMade;
    const others = isAsMade ? [] : [...marks.keys()].filter((partition) => partition !== hashed);
    const candidates = [hashed, ...others];
    await this.#scan.extend(candidates, marks, signal);
    const known = this.#scan.find(stream, candidates);
    if (known !== null) return known;
    const shrunk = candidates.find((partition) => (marks[partition]?.low ?? 0) > 0);
    if (shrunk !== undefined) throw offsetGone(this.#topics.events, shrunk, 0, marks[shrunk] as Watermarks);
    return null;
  }

  #missing({ stream, to, revision }: AttemptEvents): Error {
    const [count, found] = [to + 1, revision + 1];
    const what = `${stream} has ${found} events, and should have ${count}`;
    return evidenceMissingIn(this.#topics.events, what, { stream, count, found });
  }

  #spanOf({ partition, from, to }: EvidencePlace): Span {
    return { topic: this.#topics.events, partition, from, until: to + 1 };
  }
}

/** For each partition the offset of the next record to read; partitions missing in an older position were added later and are unread. */
export function offsetsOf(position: Position): readonly number[] {
  const isPosition = /^(?:0|[1-9][0-9]{0,15})(?:\.(?:0|[1-9][0-9]{0,15}))*$/.test(position);
  if (!isPosition) throw new BadPosition(position, 'it is no list of offsets');
  return position.split('.').map(Number);
}

/** Two positions are concurrent if each has read something that the other has not. */
export function compareOffsets(a: readonly number[], b: readonly number[]): CursorOrder {
  const differences = Array.from({ length: Math.max(a.length, b.length) }, (_, i) => (a[i] ?? 0) - (b[i] ?? 0));
  const isBefore = differences.some((difference) => difference < 0);
  const isAfter = differences.some((difference) => difference > 0);
  if (isBefore && isAfter) return 'concurrent';
  return isBefore ? 'before' : isAfter ? 'after' : 'equal';
}

function distribute({ records }: Fetched, filling: ReadonlyMap<string, AttemptEvents>): void {
  let [key, events]: [Buffer | null, AttemptEvents | undefined] = [null, undefined];
  for (const record of records) {
    // Records of one stream are usually adjacent.
    if (key === null || record.key === null || !key.equals(record.key)) {
      key = record.key;
      events = filling.get(key?.toString('utf8') ?? '');
    }
    events?.add(record);
  }
}

function pageOf({ topic, partition, records }: Fetched, seen: SeenStreams): Pick<Page, 'events' | 'foreign'> {
  const events: FoundEvent[] = [];
  const foreign: StoreFault[] = [];
  for (const record of records) {
    const where = `${topic}/${partition}@${record.offset}`;
    const stream = streamOfKey(record.key);
    const event = stream === null ? 'its key is no evidence stream' : eventIn(stream, record);
    if (typeof event === 'string') {
      foreign.push({ where, what: event });
      continue;
    }
    const standing = seen.add(event, partition, Number(record.offset));
    if (standing === 'counts') events.push(event);
    if (standing === 'after a gap') {
      foreign.push({ where, what: `events of ${event.stream} before revision ${event.revision} are missing` });
    }
  }
  return { events, foreign };
}
