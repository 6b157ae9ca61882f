// Reads ranges of partitions with a kafkajs consumer. Only members of a group may read, so each reader is the only member of a
// private group with a random name, which is assigned all partitions and commits nothing. It fetches only from the partitions of
// the current ranges; all others are paused.
import { randomBytes } from 'node:crypto';
import type { Consumer, EachBatchPayload, KafkaMessage } from 'kafkajs';
import { TransientError } from '../remote/errors.ts';
import type { KafkaClient } from './client.ts';
import { meaningOf, offsetGone } from './errors.ts';

export interface Span {
  readonly topic: string;
  readonly partition: number;
  /** The first offset. */
  readonly from: number;
  /** The offset after the last one; null: no end. */
  readonly until: number | null;
}

/** A result for a span. Offsets without records, such as transaction markers and compacted records, count as read. */
export interface Fetched {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly KafkaMessage[];
  /** The offset to read next. */
  readonly next: number;
  /** The end of the partition at the time of the fetch. */
  readonly high: number;
}

/** The size of one answer of a broker, compressed; a larger batch comes anyway. A reader of a small attempt may fetch as much in vain. */
const maxBytesPerPartition = 256 * 1024;
const maxBytes = 8 * 1024 * 1024;
/** Bytes that wait to be taken, decompressed: above the first limit, partitions are paused; below the second they are resumed. */
const [pauseAt, resumeAt] = [64 * 1024 * 1024, 32 * 1024 * 1024];
/** The number of records to take at once: about two megabytes of rollouts. */
const recordsOfPage = 2_000;
/** The approximate size of a record without its value. */
const recordBytes = 1_000;

/** The time until a reader notices added partitions. */
const metadataMaxAgeMs = 5_000;
/** The number of idle readers to keep, since joining a group takes some tenths of a second, or three seconds. */
const idleReaders = 2;
/** How long a paused reader takes to notice that it is resumed, and how long a broker waits for new records. */
export const waitMs = { ranges: 25, live: 250 } as const;

/** The progress of a span. */
class SpanReading {
  readonly span: Span;
  next: number;
  high: number;
  readonly queue: Fetched[] = [];
  isPaused = false;
  /** The end of a gap that was seen once. It is trusted when a second fetch from its beginning confirms it. */
  gapTo: number | null = null;

  constructor(span: Span) {
    this.span = span;
    this.next = span.from;
    this.high = span.until ?? span.from;
  }

  get isRead(): boolean {
    return this.span.until !== null && this.next >= this.span.until;
  }
}

export class Reader {
  readonly group: string;
  readonly #client: KafkaClient;
  readonly #consumer: Consumer;
  readonly #readings = new Map<string, SpanReading>();
  /** The partitions of each topic. */
  #assigned: Readonly<Record<string, readonly number[]>> = {};
  #failure: unknown = null;
  #wake = Promise.withResolvers<void>();
  /** The waiting bytes of all spans. */
  #bytes = 0;

  private constructor(client: KafkaClient, prefix: string, maxWaitTimeInMs: number) {
    this.#client = client;
    this.group = `${prefix}.reader-${randomBytes(8).toString('hex')}`;
    this.#consumer = client.consumer({
      groupId: this.group,
      allowAutoTopicCreation: false,
      // Events are verified by digest, so an open transaction of another program must not hide later records.
      readUncommitted: true,
      ...{ metadataMaxAge: metadataMaxAgeMs, maxWaitTimeInMs, maxBytesPerPartition, maxBytes },
    });
  }

  static async open(
    client: KafkaClient,
    prefix: string,
    topics: readonly string[],
    maxWaitMs: number,
  ): Promise<Reader> {
    const reader = new Reader(client, prefix, maxWaitMs);
    try {
      await reader.#join(topics);
      return reader;
    } catch (error) {
      await reader.close();
      throw meaningOf(error, topics.join(', '));
    }
  }

  get isBroken(): boolean {
    return this.#failure !== null;
  }

  /** Whether it knew these partitions when it joined. */
  covers(spans: readonly Span[]): boolean {
    return spans.every(({ topic, partition }) => this.#assigned[topic]?.includes(partition));
  }

  /** Starts reading at most one span per partition. Ends the spans before. */
  start(spans: readonly Span[]): void {
    this.stop();
    for (const span of spans) {
      const reading = new SpanReading(span);
      this.#readings.set(keyOf(span), reading);
      if (reading.isRead) continue;
      this.#seek(reading);
      this.#resume(reading);
    }
    this.#requireAllFollowed();
  }

  stop(): void {
    for (const reading of this.#readings.values()) this.#pause(reading);
    this.#readings.clear();
    this.#bytes = 0;
  }

  /** The next result of any span; null: all have been read. */
  async take(signal: AbortSignal): Promise<Fetched | null> {
    const readings = [...this.#readings.values()];
    for (;;) {
      signal.throwIfAborted();
      if (this.#failure !== null) throw this.#failure;
      const reading = readings.find(({ queue }) => queue.length > 0);
      if (reading !== undefined) return this.#takeFrom(reading);
      if (readings.every(({ isRead }) => isRead)) return null;
      // Nothing is waiting, so there is room.
      this.#resumeAll();
      await this.#news(readings, signal);
    }
  }

  /** Leaves and deletes the group, unless the brokers do not answer. */
  async close(): Promise<void> {
    this.stop();
    this.#failure ??= new Error('the reader was closed');
    const { promise: patience, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#client.answerMs / 3);
    const leaving = this.#consumer
      .disconnect()
      .then(() => this.#client.deleteGroup(this.group))
      .catch(() => {});
    await Promise.race([leaving, patience]);
    clearTimeout(timer);
  }

  async #join(topics: readonly string[]): Promise<void> {
    const { events } = this.#consumer;
    this.#consumer.on(events.CRASH, ({ payload }) => this.#fail(meaningOf(payload.error, topics.join(', '))));
    this.#consumer.on(events.GROUP_JOIN, ({ payload }) => this.#joined(payload.memberAssignment));
    this.#consumer.on(events.START_BATCH_PROCESS, ({ payload }) => {
      // For a fetch with only transaction markers, kafkajs reports nothing else.
      const { topic, partition, batchSize, firstOffset, lastOffset, highWatermark } = payload;
      const reading = this.#readings.get(keyOf({ topic, partition }));
      if (batchSize > 0 || reading === undefined) return;
      const first = Number(firstOffset ?? reading.next);
      this.#arrived(reading, { first, next: Number(lastOffset) + 1, high: Number(highWatermark), records: [] }).catch(
        (error) => this.#fail(error),
      );
    });
    await this.#consumer.connect();
    await this.#consumer.subscribe({ topics: [...topics], fromBeginning: true });
    await this.#consumer.run({ autoCommit: false, eachBatch: (payload) => this.#received(payload) });
    if (this.#failure !== null) throw this.#failure;
  }

  /** Seeks again if the coordinator has lost the group, after which kafkajs would begin anywhere. */
  #joined(assignment: Readonly<Record<string, readonly number[]>>): void {
    this.#assigned = assignment;
    for (const [topic, partitions] of Object.entries(assignment)) {
      this.#consumer.pause([{ topic, partitions: [...partitions] }]);
    }
    this.#requireAllFollowed();
    for (const reading of this.#readings.values()) {
      if (reading.isRead || reading.isPaused) continue;
      this.#seek(reading);
      this.#resume(reading);
    }
  }

  /** A reader that follows a topic must be restarted to include added partitions. */
  #requireAllFollowed(): void {
    for (const [topic, partitions] of Object.entries(this.#assigned)) {
      const isFollowed = [...this.#readings.values()].some(({ span }) => span.topic === topic && span.until === null);
      const added = partitions.find((partition) => !this.#readings.has(keyOf({ topic, partition })));
      if (isFollowed && added !== undefined) this.#fail(new TransientError(`${topic}/${added} was added`));
    }
  }

  async #received({ batch, isStale }: EachBatchPayload): Promise<void> {
    const reading = this.#readings.get(keyOf(batch));
    if (reading === undefined || isStale()) return;
    const [first, next] = [Number(batch.firstOffset()), Number(batch.lastOffset()) + 1];
    try {
      await this.#arrived(reading, { first, next, high: Number(batch.highWatermark), records: batch.messages });
    } catch (error) {
      this.#fail(error);
    }
  }

  async #arrived(reading: SpanReading, { first, next, high, records }: Arrived): Promise<void> {
    const isBehind = next <= reading.next;
    const isAhead = first > reading.next && reading.gapTo !== first;
    if (isBehind || isAhead) {
      await this.#requireInside(reading);
      if (isAhead) reading.gapTo = first;
      if (this.#readings.get(keyOf(reading.span)) === reading) this.#seek(reading);
      return;
    }
    const [from, until] = [reading.next, reading.span.until ?? Number.POSITIVE_INFINITY];
    const isWithin = first >= from && next <= until;
    const fresh = isWithin ? records : records.filter(({ offset }) => Number(offset) >= from && Number(offset) < until);
    reading.next = next;
    reading.high = high;
    reading.gapTo = null;
    reading.queue.push({ ...reading.span, records: fresh, next: Math.min(next, until), high });
    this.#bytes += bytesOf(fresh);
    if (reading.isRead || this.#bytes > pauseAt) this.#pause(reading);
    this.#wake.resolve();
  }

  /** Checks this itself, since kafkajs silently starts elsewhere if an offset does not exist. */
  async #requireInside({ span: { topic, partition }, next }: SpanReading): Promise<void> {
    const { low, high } = (await this.#client.watermarks(topic))[partition] ?? { low: 0, high: 0 };
    if (next < low || next > high) throw offsetGone(topic, partition, next, { low, high });
  }

  /** A fetch has up to tens of thousands of small records, which are returned in pages. */
  #takeFrom(reading: SpanReading): Fetched {
    const fetched = reading.queue.shift() as Fetched;
    const rest = fetched.records.slice(recordsOfPage);
    const taken = rest.length === 0 ? fetched : { ...fetched, records: fetched.records.slice(0, recordsOfPage) };
    if (rest.length > 0) reading.queue.unshift({ ...fetched, records: rest });
    this.#bytes -= bytesOf(taken.records);
    if (this.#bytes < resumeAt) this.#resumeAll();
    return rest.length === 0 ? taken : { ...taken, next: Number(rest[0]?.offset) };
  }

  /** Throws if no records arrive although there are some. */
  async #news(readings: readonly SpanReading[], signal: AbortSignal): Promise<void> {
    this.#wake = Promise.withResolvers();
    const { promise, resolve, reject } = this.#wake;
    const isExpected = readings.some((reading) => !reading.isRead && reading.next < reading.high);
    const giveUp = (): void => {
      const [reading] = readings;
      const what = `no records arrived from ${reading?.span.topic}/${reading?.span.partition} from offset ${reading?.next} on`;
      reject(new TransientError(what));
    };
    const timer = isExpected ? setTimeout(giveUp, this.#client.answerMs * 4) : undefined;
    const stop = (): void => resolve();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
  }

  #seek({ span: { topic, partition }, next }: SpanReading): void {
    if (this.#failure === null) this.#consumer.seek({ topic, partition, offset: String(next) });
  }

  #pause(reading: SpanReading): void {
    reading.isPaused = true;
    const { topic, partition } = reading.span;
    if (this.#failure === null) this.#consumer.pause([{ topic, partitions: [partition] }]);
  }

  #resume(reading: SpanReading): void {
    reading.isPaused = false;
    const { topic, partition } = reading.span;
    if (this.#failure === null) this.#consumer.resume([{ topic, partitions: [partition] }]);
  }

  #resumeAll(): void {
    for (const reading of this.#readings.values()) if (reading.isPaused && !reading.isRead) this.#resume(reading);
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#wake.resolve();
  }
}

interface Arrived {
  readonly first: number;
  readonly next: number;
  readonly high: number;
  readonly records: readonly KafkaMessage[];
}

function keyOf({ topic, partition }: Pick<Span, 'topic' | 'partition'>): string {
  return `${topic}/${partition}`;
}

function bytesOf(records: readonly KafkaMessage[]): number {
  let bytes = 0;
  for (const { value } of records) bytes += (value?.length ?? 0) + recordBytes;
  return bytes;
}

/** The readers of one ledger, usually one. Nested reads get another reader, since waiting for the first would deadlock. */
export class Readers {
  readonly #client: KafkaClient;
  readonly #prefix: string;
  readonly #topics: readonly string[];
  readonly #idle: Reader[] = [];
  readonly #all = new Set<Reader>();
  readonly #leaving: Promise<void>[] = [];

  constructor(client: KafkaClient, prefix: string, topics: readonly string[]) {
    this.#client = client;
    this.#prefix = prefix;
    this.#topics = topics;
  }

  /** Reads the spans in parallel. */
  async *read(spans: readonly Span[], signal: AbortSignal, maxWaitMs: number = waitMs.ranges): AsyncGenerator<Fetched> {
    const reader = await this.#take(spans, maxWaitMs);
    try {
      for (let next = await reader.take(signal); next !== null; next = await reader.take(signal)) yield next;
    } finally {
      reader.stop();
      if (!reader.isBroken && maxWaitMs === waitMs.ranges && this.#idle.length < idleReaders) this.#idle.push(reader);
      else this.#discard(reader);
    }
  }

  /** A reader that has started to read these spans. */
  async #take(spans: readonly Span[], maxWaitMs: number): Promise<Reader> {
    const idle = maxWaitMs === waitMs.ranges ? this.#idle.pop() : undefined;
    const reader = idle ?? (await this.#open(maxWaitMs));
    if (reader.isBroken || !reader.covers(spans)) {
      this.#discard(reader);
      if (idle !== undefined) return await this.#take(spans, maxWaitMs);
      throw new TransientError(`a partition of ${spans[0]?.topic} was just added`);
    }
    reader.start(spans);
    return reader;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#leaving, ...[...this.#all].map((reader) => reader.close())]);
  }

  async #open(maxWaitMs: number): Promise<Reader> {
    const reader = await Reader.open(this.#client, this.#prefix, this.#topics, maxWaitMs);
    this.#all.add(reader);
    return reader;
  }

  #discard(reader: Reader): void {
    this.#all.delete(reader);
    this.#leaving.push(reader.close());
  }
}
