// The log of evidence in Kafka: each attempt is appended by one producer session and read from the place where it was written.
// Kafka has no index of streams: a stream without a known place is found by scanning its partition.
import type { Message } from 'kafkajs';
import { isObject, jsonOrUndefined } from '../../../schemas/json-text.ts';
import { messageOf as textOfError } from '../../base/folders.ts';
import { RecentMap } from '../../base/recent-map.ts';
import { AttemptBroken, EvidenceMissing, unsupportedByStore } from '../errors.ts';
import type { Cursor, CursorOrder } from '../event.ts';
import type { Ledger, StoreFault } from '../ledger.ts';
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
import type { AttemptRange, CountingAttempt, Published } from '../split/evidence.ts';
import { hashedPartition, type KafkaClient, recordsOfSend } from './client.ts';
import { evidenceMissingIn, isFinal, requireInside } from './errors.ts';
import type { Fetched, Span } from './reader.ts';
import { AttemptEvents, isWithin, type KnownStream, rememberedStreams, Scan, SeenStreams, spanOf } from './streams.ts';
import { largestBatchBytes, losingSettings, type Topics } from './topics.ts';
import { eventOf, messageOf, noPosition } from './wire.ts';

/** Events of an attempt, in order. */
export interface AttemptPage {
  readonly stream: string;
  readonly events: readonly FoundEvent[];
  /** No more pages of this attempt follow. */
  readonly isLast: boolean;
}

/** The maximum size of its headers in addition to its canonical text. */
const eventOverheadBytes = 1_000;
/** Longer sends are reported. */
const reportAfterMs = 1_000;
/** The key of the progress of publishing; not a valid stream name. */
const publishedKey = 'icecore.published';

export interface KafkaIdentity {
  readonly ledger: string;
  readonly part: Ledger['part'];
  /** The number of partitions at creation: unknown streams are searched there first. */
  readonly partitions: number;
}

export class KafkaLog implements ServerLog {
  readonly ledger: string;
  readonly part: Ledger['part'];
  readonly url: string;
  readonly traits: LogTraits = {
    // The broker's limit applies to compressed records with their headers, and these do not always compress.
    maxAppendBytes: largestBatchBytes / 2,
    maxAppendEvents: recordsOfSend,
    eventOverheadBytes,
    attempts: 'reported',
  };
  readonly #client: KafkaClient;
  readonly #topics: Topics;
  readonly #waits: Waits;
  readonly #scan: Scan;
  /** Streams that this session has written. */
  readonly #own = new RecentMap<string, KnownStream>(rememberedStreams);
  /** Streams that accept no more events, with the reason. */
  readonly #broken = new RecentMap<string, string>(rememberedStreams);
  #partitions: number | null = null;

  constructor(client: KafkaClient, url: string, { ledger, part, partitions }: KafkaIdentity, waits: Waits) {
    this.ledger = ledger;
    this.part = part;
    this.url = url;
    this.#client = client;
    this.#topics = client.topics;
    this.#waits = waits;
    this.#scan = new Scan(client.reader, client.topics.events, partitions);
  }

  async append(
    stream: string,
    events: readonly OutgoingEvent[],
    { isNew, signal }: { readonly isNew: boolean; readonly signal: AbortSignal },
  ): Promise<LogAppended> {
    if (!stream.startsWith('evidence-')) throw unsupportedByStore(this.url, `hold ${stream}: it holds evidence only`);
    const why = this.#broken.get(stream);
    if (why !== undefined) throw new AttemptBroken(stream, why, this.#client.place.patience);
    const known = this.#own.get(stream) ?? (isNew ? null : await this.#scan.find(stream, signal));
    const count = known?.count ?? 0;
    if (events[0]?.revision !== count) return { kind: 'wrong-end', revision: count - 1 };
    const partition = known?.place.partition ?? (await this.#partitionOf(stream));
    const messages = events.map((event) => messageOf(stream, event, partition));
    const from = await this.#send(stream, messages, known?.place.to ?? -1);
    const place = { partition, from: known?.place.from ?? from, to: from + events.length - 1 };
    this.#own.set(stream, { place, count: count + events.length });
    return { kind: 'appended', position: noPosition, place };
  }

  /** After a failed send it is unknown which events are stored, so it ends the attempt. */
  async #send(stream: string, messages: Message[], after: number): Promise<number> {
    const producer = await this.#client.takeProducer(this.#topics.events);
    let [isLong, isBack] = [false, false];
    // kafkajs retries unacknowledged sends silently.
    const timer = setTimeout(() => {
      isLong = true;
      this.#waits.begin('records were sent, but are not acknowledged');
    }, reportAfterMs);
    try {
      const from = await this.#client.send(producer, this.#topics.events, messages, after);
      isBack = true;
      return from;
    } catch (error) {
      const why = textOfError(error);
      this.#broken.set(stream, why);
      throw isFinal(error) ? error : new AttemptBroken(stream, why, this.#client.place.patience, error);
    } finally {
      clearTimeout(timer);
      if (isLong) this.#waits.end(isBack);
    }
  }

  /** Only forwards; backwards reads take the last events first. */
  async *readStream(
    stream: string,
    { from, to = Number.POSITIVE_INFINITY, limit = Number.POSITIVE_INFINITY }: StreamRange,
    signal: AbortSignal,
  ): AsyncGenerator<readonly FoundEvent[]> {
    const known = this.#own.get(stream) ?? (await this.#scan.find(stream, signal));
    const range = { stream, from, to: Math.min(to, from + limit - 1, (known?.count ?? 0) - 1) };
    if (known === null || from > range.to) return;
    for await (const { events } of this.readAttempts([{ ...known, ...range }], signal)) {
      if (events.length > 0) yield events;
    }
  }

  /**
   * The events of several attempts, in the order of the request. Each partition is read once from its first attempt to its last,
   * so all their events may be in memory at once. Throws EvidenceMissing if an attempt has fewer events than it should.
   */
  async *readAttempts(attempts: readonly AttemptRange[], signal: AbortSignal): AsyncGenerator<AttemptPage> {
    const { reader } = this.#client;
    const { events: topic } = this.#topics;
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
    const fill = async function* (spans: readonly Span[]): AsyncGenerator<AttemptPage> {
      for await (const fetched of reader.read(topic, spans, signal)) {
        distribute(fetched, filling);
        yield* drain();
      }
    };

    const marks = await reader.watermarks(topic);
    const spans = attempts.flatMap((attempt) => {
      const { stream, count, place: hint } = attempt;
      const known = this.#own.get(stream) ?? (hint && { count, place: hint });
      return known === undefined ? [] : [spanOf(attempt, known)];
    });
    yield* fill(spans.filter((span) => isWithin(span, marks)));
    yield* drain();
    for (let [first] = inOrder; first !== undefined; [first] = inOrder) {
      // Its place was wrong or unknown.
      const known = await this.#scan.find(first.stream, signal).catch((error: unknown) => {
        throw error instanceof EvidenceMissing ? this.#missing(first) : error;
      });
      if (known !== null) yield* fill([spanOf({ from: first.revision + 1, to: first.to }, known)]);
      if (inOrder[0] === first) throw this.#missing(first);
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
    const marks = await this.#client.reader.watermarks(this.#topics.events);
    const start = after === null ? [] : offsetsOf(after);
    const offsets = marks.map((_, partition) => start[partition] ?? 0);
    const spans = marks.map(({ low, high }, partition): Span => {
      const from = offsets[partition] ?? 0;
      requireInside(this.#topics.events, partition, from, { low, high });
      return { partition, from, until: live ? Number.POSITIVE_INFINITY : high };
    });
    const highs = marks.map(({ high }) => high);
    const isCaughtUp = (): boolean => highs.every((high, partition) => (offsets[partition] ?? 0) >= high);
    if (isCaughtUp()) yield { events: [], position: offsets.join('.'), isCaughtUp: true };
    if (!live && isCaughtUp()) return;
    const seen = new SeenStreams({ fromBeginning: after === null, most: rememberedStreams });
    for await (const fetched of this.#client.reader.read(this.#topics.events, spans, signal)) {
      const { partition, next, high } = fetched;
      offsets[partition] = next;
      if (live) highs[partition] = Math.max(next, high);
      yield { ...pageOf(this.#topics.events, fetched, seen), position: offsets.join('.'), isCaughtUp: isCaughtUp() };
    }
  }

  /** `events` counts all records, including those of other programs and control records: it is an upper bound. */
  async head(): Promise<{ readonly position: Position | null; readonly events: number }> {
    const marks = await this.#client.reader.watermarks(this.#topics.events);
    const events = marks.reduce((sum, { low, high }) => sum + high - low, 0);
    return { position: events === 0 ? null : marks.map(({ high }) => high).join('.'), events };
  }

  comparePositions(a: Position, b: Position): CursorOrder {
    return compareOffsets(offsetsOf(a), offsetsOf(b));
  }

  /** Records that are not events are found by following the log. */
  async *faults(): AsyncGenerator<StoreFault> {
    const [found = null] = await this.#client.describe([this.#topics.events]);
    for (const { what, required } of found === null ? [] : losingSettings(found)) {
      yield { where: this.#topics.events, what: `${what}: it must be ${required}` };
    }
    const marks = await this.#client.reader.watermarks(this.#topics.events);
    for (const [partition, { low }] of marks.entries()) {
      const where = `${this.#topics.events}/${partition}`;
      if (low > 0) yield { where, what: `it begins at offset ${low}: earlier records are gone` };
    }
  }

  /**
   * For consumers without icecore: which attempts count, by stream, in a compacted topic. It copies facts of the run events. The
   * checkpoint goes last, so that it is never ahead of the attempts before it.
   */
  async publishSealed(attempts: readonly CountingAttempt[], checkpoint: Cursor): Promise<void> {
    const messages = attempts.map((attempt) => jsonMessage(attempt.stream, attempt));
    await this.#client.publish(this.#topics.sealed, [...messages, jsonMessage(publishedKey, { cursor: checkpoint })]);
  }

  async readPublished(signal: AbortSignal): Promise<Published> {
    let upTo: Cursor | null = null;
    const attempts = new Map<string, string>();
    for await (const { records } of this.#client.reader.readWhole(this.#topics.sealed, signal)) {
      for (const record of records) {
        const [key, text] = [record.key?.toString('utf8') ?? '', record.value?.toString('utf8')];
        if (key === publishedKey) upTo = cursorIn(text ?? '') ?? upTo;
        else if (text === undefined) attempts.delete(key);
        else if (!key.startsWith('icecore.')) attempts.set(key, text);
      }
    }
    return { where: this.#topics.sealed, upTo, attempts };
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  /** Like the key placement of standard producers, as long as no partitions are added. */
  async #partitionOf(stream: string): Promise<number> {
    this.#partitions ??= await this.#client.countPartitions(this.#topics.events);
    return hashedPartition(stream, this.#partitions);
  }

  #missing({ stream, to, revision }: AttemptEvents): Error {
    const [count, found] = [to + 1, revision + 1];
    const what = `${stream} has ${found} events, and should have ${count}`;
    const unread = this.#scan.countStranded({ stream, from: found, to });
    return evidenceMissingIn(this.#topics.events, what, { stream, count, found, unread });
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

function pageOf(topic: string, { partition, records }: Fetched, seen: SeenStreams): Pick<Page, 'events' | 'foreign'> {
  const events: FoundEvent[] = [];
  const foreign: StoreFault[] = [];
  for (const record of records) {
    const where = `${topic}/${partition}@${record.offset}`;
    const event = eventOf(record);
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

function jsonMessage(key: string, value: object): Message {
  return { key, value: JSON.stringify(value), headers: { 'content-type': 'application/json' }, partition: 0 };
}

/** Null: a record of another program. */
function cursorIn(text: string): Cursor | null {
  const value = jsonOrUndefined(text);
  return isObject(value) && typeof value['cursor'] === 'string' ? value['cursor'] : null;
}
