// The log of evidence in Kafka: attempts are appended each by one producer session, and read by the place where they were
// written. Kafka has no index of streams: one of which no place is known is looked for by a scan of its partition.
import { UnsupportedByStore } from '../errors.ts';
import { maxEventBytes } from '../event.ts';
import type { EvidencePlace } from '../ledger.ts';
import { BadPosition } from '../remote/errors.ts';
import type {
  FoundEvent,
  LogAppended,
  LogEnd,
  LogStream,
  LogTraits,
  OutgoingEvent,
  Page,
  Position,
  Rejected,
  ServerLog,
  StreamRange,
} from '../remote/log.ts';
import type { Waits } from '../remote/retry.ts';
import type { AttemptToRead } from '../split/attempt-store.ts';
import { AttemptEvents, groupsOf, isWithin, roundsOf } from './attempts.ts';
import { hashedPartition, type KafkaClient, recordsOfSend, type Watermarks } from './client.ts';
import { evidenceMissingIn } from './errors.ts';
import type { KafkaIdentity } from './identity.ts';
import { compareOffsets, type Offsets, offsetsOf, positionOf, positionsIn } from './positions.ts';
import { type Fetched, type Readers, type Span, waitMs } from './reader.ts';
import { Sealed, type SealedAttempt } from './sealed.ts';
import { Sending } from './sending.ts';
import { Deliveries, type KnownStream, remember, Scan } from './streams.ts';
import { largestBatchBytes, losingSettings, type Topics } from './topics.ts';
import { eventIn, messageOf, streamOfKey } from './wire.ts';

/** Events of an attempt, in order; the attempts come in the order in which they were asked for. */
export interface AttemptPage {
  readonly stream: string;
  readonly events: readonly FoundEvent[];
  /** No more of this attempt follow. */
  readonly isLast: boolean;
}

/** Of its headers beside what its canonical text holds, at most. */
const eventOverheadBytes = 1_000;

interface Hint {
  readonly count: number;
  readonly place: EvidencePlace;
}

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
    maxEventBytes,
    // The broker's limit is of compressed records with their headers; these do not always compress.
    maxAppendBytes: largestBatchBytes / 2,
    maxAppendEvents: recordsOfSend,
    eventOverheadBytes,
    backwards: true,
    indexedStreams: false,
    totalOrder: false,
    attempts: 'reported',
  };
  readonly #client: KafkaClient;
  readonly #readers: Readers;
  readonly #topics: Topics;
  readonly #partitionsMade: number;
  readonly #sending: Sending;
  readonly #sealed: Sealed;
  readonly #scan: Scan;
  /** Streams that this session has written. */
  readonly #own = new Map<string, KnownStream>();
  readonly #hints = new Map<string, Hint>();
  /** Partitions as they were last seen. */
  #ends: number[] = [];

  constructor({ client, readers, topics, identity, url, waits, patience }: LogParts) {
    this.#sending = new Sending(client, topics.events, waits, patience);
    this.#client = client;
    this.#readers = readers;
    this.#topics = topics;
    this.#partitionsMade = identity.partitions;
    this.ledger = identity.ledger;
    this.part = identity.part;
    this.url = url;
    this.#sealed = new Sealed(client, readers, topics.sealed);
    this.#scan = new Scan(readers, topics.events);
  }

  async append(
    stream: string,
    events: readonly OutgoingEvent[],
    { isNew, signal }: { readonly isNew: boolean; readonly signal: AbortSignal },
  ): Promise<LogAppended> {
    if (!stream.startsWith('evidence-'))
      throw new UnsupportedByStore(this.url, `hold ${stream}: it holds evidence only`);
    this.#sending.requireWhole(stream);
    const known = this.#own.get(stream) ?? (isNew ? null : await this.#findByScan(stream, signal));
    const end = known?.revision ?? -1;
    const [first, last] = [events[0], events.at(-1)];
    if (first === undefined || last === undefined || first.revision !== end + 1) {
      return { kind: 'wrong-end', revision: end };
    }
    const partition = known?.place.partition ?? (await this.#partitionOf(stream));
    const messages = events.map((event) => messageOf(stream, event, partition));
    const from = await this.#sending.send(stream, messages, known?.place.to ?? -1);
    const to = from + events.length - 1;
    const place = { partition, from: known?.place.from ?? from, to };
    remember(this.#own, stream, { place, revision: last.revision, digest: last.digest });
    this.#ends[partition] = Math.max(this.#ends[partition] ?? 0, to + 1);
    return { kind: 'appended', position: positionOf(this.#knownEnds()), place };
  }

  /** Where a caller knows so many events of a stream to be. */
  learnPlace(stream: string, count: number, place: EvidencePlace): void {
    remember(this.#hints, stream, { count, place });
  }

  async *readStream(
    stream: string,
    { from = 0, to = Number.POSITIVE_INFINITY, backwards = false, limit = Number.POSITIVE_INFINITY }: StreamRange,
    signal: AbortSignal,
  ): AsyncGenerator<readonly FoundEvent[]> {
    const isMeant = ({ revision }: FoundEvent): boolean => revision >= from && revision <= to;
    if (backwards) {
      const found: FoundEvent[] = [];
      for await (const events of this.#eventsOf(stream, to, signal)) found.push(...events.filter(isMeant));
      const last = found.reverse().slice(0, limit);
      for (let at = 0; at < last.length; at += recordsOfSend) yield last.slice(at, at + recordsOfSend);
      return;
    }
    let left = limit;
    for await (const events of this.#eventsOf(stream, to, signal)) {
      const page = events.filter(isMeant).slice(0, left);
      left -= page.length;
      if (page.length > 0) yield page;
      if (left <= 0) return;
    }
  }

  /** From its first event on: where its place is known, it is read there, otherwise it is looked for. */
  async *#eventsOf(stream: string, to: number, signal: AbortSignal): AsyncGenerator<readonly FoundEvent[]> {
    const events = new AttemptEvents({ stream, count: to + 1 });
    const hint = await this.#hintFor(stream, signal);
    if (hint !== null && isWithin(hint.place, await this.#watermarks())) {
      yield* this.#fill(events, hint.place, signal);
      if (events.isComplete || events.revision + 1 >= hint.count) return;
    }
    const known = await this.#findByScan(stream, signal);
    if (known !== null) yield* this.#fill(events, known.place, signal);
    const [found, count] = [events.revision + 1, hint?.count ?? 0];
    if (!events.isComplete && found < count) throw this.#missing({ stream, count, place: hint?.place }, found);
  }

  async *#fill(
    events: AttemptEvents,
    place: EvidencePlace,
    signal: AbortSignal,
  ): AsyncGenerator<readonly FoundEvent[]> {
    for await (const fetched of this.#readers.read([this.#spanOf(place)], signal)) {
      this.#distribute(fetched, new Map([[events.stream, events]]));
      const page = events.takeAll();
      if (page.length > 0) yield page;
      if (events.isComplete) return;
    }
  }

  /**
   * The events of attempts, attempt after attempt, in the order in which they are asked for. Attempts near each other in one
   * partition are read as one range; those of about forty thousand events may be in memory at once. Throws EvidenceMissing
   * where an attempt does not have as many events as it should.
   */
  async *readAttempts(attempts: readonly AttemptToRead[], signal: AbortSignal): AsyncGenerator<AttemptPage> {
    for (const group of groupsOf(attempts)) yield* this.#readGroup(group, signal);
  }

  async *#readGroup(group: readonly AttemptToRead[], signal: AbortSignal): AsyncGenerator<AttemptPage> {
    const filling = new Map(group.map((attempt) => [attempt.stream, new AttemptEvents(attempt)]));
    const inOrder = [...filling.values()];
    const drain = function* (): Generator<AttemptPage> {
      for (let first = inOrder[0]; first !== undefined; first = inOrder[0]) {
        const { stream, isComplete: isLast } = first;
        const events = first.takeAll();
        if (isLast || events.length > 0) yield { stream, events, isLast };
        if (!isLast) return;
        inOrder.shift();
      }
    };

    const marks = await this.#watermarks();
    const places: EvidencePlace[] = [];
    for (const { stream, place } of group) {
      const hint = this.#own.get(stream)?.place ?? place ?? (await this.#hintFor(stream, signal))?.place;
      if (hint !== undefined && isWithin(hint, marks)) places.push(hint);
    }
    for (const spans of roundsOf(this.#topics.events, places)) {
      for await (const fetched of this.#readers.read(spans, signal)) {
        this.#distribute(fetched, filling);
        yield* drain();
      }
    }
    yield* drain();
    for (let first = inOrder[0]; first !== undefined; first = inOrder[0]) {
      yield* this.#completeByScan(first, group, signal);
      yield* drain();
    }
  }

  /** Its place was wrong, or not known. */
  async *#completeByScan(
    events: AttemptEvents,
    group: readonly AttemptToRead[],
    signal: AbortSignal,
  ): AsyncGenerator<AttemptPage> {
    const { stream } = events;
    const known = await this.#findByScan(stream, signal);
    if (known !== null) {
      for await (const page of this.#fill(events, known.place, signal)) yield { stream, events: page, isLast: false };
    }
    const attempt = group.find((one) => one.stream === stream);
    if (!events.isComplete && attempt !== undefined) throw this.#missing(attempt, events.revision + 1);
  }

  async endOf(stream: string, signal: AbortSignal): Promise<LogEnd | null> {
    const known = this.#own.get(stream) ?? (await this.#findByScan(stream, signal));
    return known === null ? null : { revision: known.revision, digest: known.digest };
  }

  /** Kafka has no index of streams: this reads everything. */
  async *streams(prefix: string, signal: AbortSignal): AsyncGenerator<readonly LogStream[]> {
    const marks = await this.#watermarks();
    await this.#scan.extend([...marks.keys()], marks, signal);
    const candidates = [...marks.keys()];
    const none = marks.map(() => 0);
    const names = this.#scan.names(prefix);
    for (let at = 0; at < names.length; at += recordsOfSend) {
      yield names.slice(at, at + recordsOfSend).flatMap((stream) => {
        const known = this.#scan.find(stream, candidates);
        if (known === null) return [];
        const { revision, digest, place } = known;
        return [{ stream, revision, digest, position: positionsIn(none, place.partition)(place.to) }];
      });
    }
  }

  async *follow(
    options: {
      readonly after: Position | null;
      readonly until?: Position;
      readonly live: boolean;
      readonly types?: readonly string[];
    },
    signal: AbortSignal,
  ): AsyncGenerator<Page> {
    const { after, until, live, types } = options;
    const marks = await this.#watermarks();
    const start = after === null ? [] : this.#offsetsOf(after);
    const end = until === undefined ? null : this.#offsetsOf(until);
    const offsets = marks.map((_, partition) => start[partition] ?? 0);
    const spans = marks.map(({ low, high }, partition): Span => {
      const from = offsets[partition] ?? 0;
      if (from < low || from > high) throw this.#gone(partition, from, { low, high });
      const to = Math.min(high, end?.[partition] ?? (end === null ? high : 0));
      return { topic: this.#topics.events, partition, from, until: live ? null : to };
    });
    const highs = spans.map(({ until: to }, partition) => to ?? marks[partition]?.high ?? 0);
    const isCaughtUp = (): boolean => highs.every((high, partition) => (offsets[partition] ?? 0) >= high);
    if (isCaughtUp()) yield { events: [], rejected: [], position: positionOf(offsets), isCaughtUp: true };
    if (!live && isCaughtUp()) return;
    const deliveries = new Deliveries(after === null);
    for await (const fetched of this.#readers.read(spans, signal, live ? waitMs.live : waitMs.ranges)) {
      const { partition, next, high } = fetched;
      const page = pageOf(fetched, positionsIn(offsets, partition), deliveries, types);
      offsets[partition] = next;
      if (live) highs[partition] = Math.max(next, high);
      yield { ...page, position: positionOf(offsets), isCaughtUp: isCaughtUp() };
    }
  }

  /** `events` counts records, whoever wrote them, and whatever else has an offset: it is an upper bound. */
  async head(): Promise<{ readonly position: Position | null; readonly events: number }> {
    const marks = await this.#watermarks();
    const events = marks.reduce((sum, { low, high }) => sum + high - low, 0);
    return { position: events === 0 ? null : positionOf(marks.map(({ high }) => high)), events };
  }

  comparePositions(a: Position, b: Position): 'before' | 'equal' | 'after' | 'concurrent' {
    return compareOffsets(this.#offsetsOf(a), this.#offsetsOf(b));
  }

  /** Records that are no events are found by whoever follows the log. */
  async *faults(): AsyncGenerator<{ readonly where: string; readonly what: string }> {
    const [found = null] = await this.#client.describe([this.#topics.events]);
    for (const { topic, setting, found: value, does, required } of found === null ? [] : losingSettings(found)) {
      yield { where: topic, what: `${setting} is ${value}, ${does}: it must be ${required}` };
    }
    const marks = await this.#watermarks();
    for (const [partition, { low }] of marks.entries()) {
      const where = `${this.#topics.events}/${partition}`;
      if (low > 0) yield { where, what: `it begins at offset ${low}: what was before is gone` };
    }
  }

  /** Tells consumers that know nothing of icecore what is sealed, up to a cursor of the run events. */
  publishSealed(attempts: readonly SealedAttempt[], checkpoint: string): Promise<void> {
    return this.#sealed.publish(attempts, checkpoint);
  }

  /** The cursor of the run events that was published last; null where none was. */
  publishedUpTo(signal: AbortSignal): Promise<string | null> {
    return this.#sealed.publishedUpTo(signal);
  }

  /** How many records this session has fetched: those it read, and what came with them. */
  get fetched(): number {
    return this.#readers.fetched;
  }

  async close(): Promise<void> {
    await this.#readers.close();
    await this.#client.close();
  }

  #offsetsOf(position: Position): Offsets {
    const offsets = offsetsOf(position);
    if (offsets === null) throw new BadPosition(position, 'it is no list of offsets');
    return offsets;
  }

  /** As much as this session knows of the partitions it did not look at lately. */
  #knownEnds(): Offsets {
    return Array.from(this.#ends, (end) => end ?? 0);
  }

  async #watermarks(): Promise<readonly Watermarks[]> {
    const marks = await this.#client.watermarks(this.#topics.events);
    this.#ends = marks.map(({ high }, partition) => Math.max(high, this.#ends[partition] ?? 0));
    return marks;
  }

  async #hintFor(stream: string, signal: AbortSignal): Promise<Hint | null> {
    const own = this.#own.get(stream);
    if (own !== undefined) return { count: own.revision + 1, place: own.place };
    const learned = this.#hints.get(stream);
    if (learned !== undefined) return learned;
    const { count = 0, place } = (await this.#sealed.find(stream, signal)) ?? {};
    return place === undefined ? null : { count, place };
  }

  /** As standard producers place a key, as long as nobody adds partitions. */
  async #partitionOf(stream: string): Promise<number> {
    if (this.#ends.length === 0) await this.#watermarks();
    return hashedPartition(stream, this.#ends.length);
  }

  /** Reads what it has not read of the partitions where the stream may be. */
  async #findByScan(stream: string, signal: AbortSignal): Promise<KnownStream | null> {
    const marks = await this.#watermarks();
    const hashed = hashedPartition(stream, marks.length);
    // With partitions that were added later, it may be where its name led before.
    const isAsMade = marks.length === this.#partitionsMade;
    const others = isAsMade ? [] : [...marks.keys()].filter((partition) => partition !== hashed);
    const candidates = [hashed, ...others];
    await this.#scan.extend(candidates, marks, signal);
    const known = this.#scan.find(stream, candidates);
    if (known !== null) return known;
    const shrunk = candidates.find((partition) => (marks[partition]?.low ?? 0) > 0);
    if (shrunk !== undefined) throw this.#gone(shrunk, 0, marks[shrunk] as Watermarks);
    return null;
  }

  #gone(partition: number, offset: number, { low, high }: Watermarks): Error {
    const has = offset < low ? `begins at offset ${low}` : `ends at offset ${high}`;
    const what = `partition ${partition} ${has}: offset ${offset} is gone`;
    return evidenceMissingIn(this.#topics.events, what, { partition, offset, low, high });
  }

  #missing({ stream, count, place }: AttemptToRead, found: number): Error {
    const facts = { stream, count, found, place };
    return evidenceMissingIn(this.#topics.events, `${stream} has ${found} events, and should have ${count}`, facts);
  }

  #spanOf({ partition, from, to }: EvidencePlace): Span {
    return { topic: this.#topics.events, partition, from, until: to + 1 };
  }

  #distribute({ partition, records }: Fetched, filling: ReadonlyMap<string, AttemptEvents>): void {
    const positionAfter = positionsIn(
      this.#ends.map(() => 0),
      partition,
    );
    let [key, events]: [Buffer | null, AttemptEvents | undefined] = [null, undefined];
    for (const record of records) {
      // Records of one stream mostly come together.
      if (key === null || record.key === null || !key.equals(record.key)) {
        key = record.key;
        events = filling.get(key?.toString('utf8') ?? '');
      }
      events?.add(record, positionAfter);
    }
  }
}

function pageOf(
  { topic, partition, records }: Fetched,
  positionAfter: (offset: number) => Position,
  deliveries: Deliveries,
  types: readonly string[] | undefined,
): Pick<Page, 'events' | 'rejected'> {
  const events: FoundEvent[] = [];
  const rejected: Rejected[] = [];
  for (const record of records) {
    const where = `${topic}/${partition}@${record.offset}`;
    const stream = streamOfKey(record.key);
    const event = stream === null ? 'its key is no evidence stream' : eventIn(stream, record, positionAfter);
    if (typeof event === 'string') {
      rejected.push({ where, why: event });
      continue;
    }
    const standing = deliveries.standingOf(event);
    if (standing === 'after a gap') {
      rejected.push({ where, why: `events of ${event.stream} before revision ${event.revision} are missing` });
    }
    if (standing !== 'counts' || types?.includes(event.type) === false) continue;
    events.push(event);
  }
  return { events, rejected };
}
