// Reads ranges of partitions from their leaders, with the requests that kafkajs's consumer sends, but not as a member of a group:
// joining one takes tenths of a second, or three seconds, and serves only to assign partitions, which are known here.
import kafkajs, { type Cluster, type Kafka, type KafkaMessage } from 'kafkajs';
import { TransientError } from '../remote/errors.ts';
import { merged } from '../turns.ts';
import { meaningOf, requireInside } from './errors.ts';

/** The first offset of a partition, and the one after the last. */
export interface Watermarks {
  readonly low: number;
  readonly high: number;
}

export interface Span {
  readonly partition: number;
  /** The first offset. */
  readonly from: number;
  /** The offset after the last one; infinity: no end. */
  readonly until: number;
}

/** A result for a span. Offsets without records, such as transaction markers and compacted records, count as read. */
export interface Fetched {
  readonly partition: number;
  readonly records: readonly KafkaMessage[];
  /** The offset to read next. */
  readonly next: number;
  /** The end of the partition at the time of the fetch. */
  readonly high: number;
}

/** The size of one answer of a broker, compressed; a larger batch comes anyway. A reader of a small attempt may fetch as much in vain. */
const maxBytesPerPartition = 256 * 1024;
const maxBytes = 2 * 1024 * 1024;
/** The number of records in one result: about two megabytes of rollouts. */
const recordsOfPage = 2_000;
/** Events are verified by digest, so an open transaction of another program must not hide later records. */
const isolationLevel = 0;
/** How long a broker waits for new records. */
const waitMs = { ranges: 25, live: 250 };
/** The time until a reader notices added partitions. */
const metadataMaxAge = 5_000;

/** The progress in a partition. */
interface Reading {
  readonly partition: number;
  /** Those that are not read, by their first offset. */
  spans: readonly Span[];
  /** The offset after the last one of all spans. */
  readonly until: number;
  next: number;
  high: number;
}

/** What kafkajs answers to a fetch, as far as it is used here. */
interface FetchAnswer {
  readonly responses: readonly {
    readonly partitions: readonly {
      readonly partition: number;
      readonly highWatermark: string;
      readonly messages: readonly (KafkaMessage & { readonly isControlRecord?: boolean })[];
    }[];
  }[];
}

interface Connected {
  readonly cluster: Cluster;
  disconnect(): Promise<void>;
}

export class Reader {
  readonly #kafka: Kafka;
  /** How long to wait for records that exist. */
  readonly #patienceMs: number;
  #common: Promise<Connected> | null = null;

  constructor(kafka: Kafka, patienceMs: number) {
    this.#kafka = kafka;
    this.#patienceMs = patienceMs;
  }

  /** By partition. The admin client of kafkajs omits records after an open transaction, so it is not used here. */
  async watermarks(topic: string): Promise<readonly Watermarks[]> {
    const connecting = this.#shared();
    try {
      const { cluster } = await connecting;
      await cluster.addTargetTopic(topic);
      // Includes partitions that were just added.
      await cluster.refreshMetadata();
      const partitions = Array.from(cluster.findTopicPartitionMetadata(topic).keys(), (partition) => ({ partition }));
      const offsetsAt = async (fromBeginning: boolean): Promise<ReadonlyMap<number, number>> => {
        const [found] = await cluster.fetchTopicsOffset([{ topic, partitions, fromBeginning }]);
        return new Map(found?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
      };
      const [lows, highs] = await Promise.all([offsetsAt(true), offsetsAt(false)]);
      return partitions.map(({ partition }) => ({ low: lows.get(partition) ?? 0, high: highs.get(partition) ?? 0 }));
    } catch (error) {
      throw this.#failure(error, topic, connecting);
    }
  }

  /**
   * Reads partitions in parallel, the spans of each in the order of their offsets, with some of the records in between. Spans
   * without an end are those of all partitions.
   */
  async *read(topic: string, spans: readonly Span[], signal: AbortSignal): AsyncGenerator<Fetched> {
    const isLive = spans.some(({ until }) => until === Number.POSITIVE_INFINITY);
    // A broker answers the requests of a connection in sequence, and those for new records wait.
    const connecting = isLive ? this.#connect() : this.#shared();
    let sources: readonly AsyncGenerator<Fetched>[] = [];
    try {
      const { cluster } = await connecting;
      await cluster.addTargetTopic(topic);
      const partitions = cluster.findTopicPartitionMetadata(topic);
      const some = spans.filter(({ from, until }) => from < until);
      const leaders = Map.groupBy(some, ({ partition }) => {
        const leader = partitions.find(({ partitionId }) => partitionId === partition)?.leader ?? -1;
        if (leader < 0) throw new TransientError(`${topic}/${partition} has no leader`);
        return leader;
      });
      const check = async (): Promise<void> => (isLive ? await requireAll(cluster, topic, spans) : undefined);
      sources = Array.from(leaders, ([leader, own]) => this.#readFrom(leader, cluster, topic, own, check));
      yield* merged(sources, signal);
    } catch (error) {
      throw this.#failure(error, topic, connecting);
    } finally {
      // A source that still waits for an answer could connect again.
      const ended = Promise.allSettled(sources.map((source) => source.return(undefined)));
      if (isLive) ended.then(() => this.#drop(connecting));
    }
  }

  /** All records of the only partition of a topic. */
  async *readWhole(topic: string, signal: AbortSignal): AsyncGenerator<Fetched> {
    const [{ low, high } = { low: 0, high: 0 }] = await this.watermarks(topic);
    yield* this.read(topic, [{ partition: 0, from: low, until: high }], signal);
  }

  async close(): Promise<void> {
    if (this.#common !== null) await this.#drop(this.#common);
  }

  /** If the leader changes, it fails, and the caller begins again. */
  async *#readFrom(
    leader: number,
    cluster: Cluster,
    topic: string,
    spans: readonly Span[],
    check: () => Promise<void>,
  ): AsyncGenerator<Fetched> {
    const readings = Array.from(
      Map.groupBy(spans, ({ partition }) => partition),
      ([partition, own]): Reading => {
        const until = Math.max(...own.map((span) => span.until));
        const reading = { partition, spans: own.toSorted((a, b) => a.from - b.from), until, next: 0, high: 0 };
        skip(reading);
        return reading;
      },
    );
    let fruitlessSince: number | null = null;
    for (;;) {
      const unread = readings.filter((reading) => reading.spans.length > 0);
      if (unread.length === 0) return;
      await check();
      const { responses } = await this.fetch(leader, cluster, topic, unread);
      let isFruitless = true;
      for (const { partition, highWatermark, messages } of responses.flatMap((response) => response.partitions)) {
        const reading = unread.find((one) => one.partition === partition) as Reading;
        const { next: from, until } = reading;
        const high = Number(highWatermark);
        reading.high = high;
        const last = messages.at(-1);
        if (last === undefined) continue;
        isFruitless = false;
        // A batch begins before the wanted offset, and ends before it if compaction has removed its end.
        const next = Math.min(Math.max(from, Number(last.offset)) + 1, until);
        const records = messages.filter(({ offset, isControlRecord }) => {
          return isControlRecord !== true && Number(offset) >= from && Number(offset) < next;
        });
        reading.next = next;
        skip(reading);
        yield* pagesOf({ partition, records, next, high });
      }
      const late = unread.find(({ next, until, high }) => next < (Number.isFinite(until) ? until : high));
      fruitlessSince = isFruitless && late !== undefined ? (fruitlessSince ?? performance.now()) : null;
      if (fruitlessSince !== null && performance.now() - fruitlessSince > this.#patienceMs) {
        throw new TransientError(`no records arrived from ${topic}/${late?.partition} from offset ${late?.next} on`);
      }
    }
  }

  async fetch(leader: number, cluster: Cluster, topic: string, readings: readonly Reading[]): Promise<FetchAnswer> {
    const broker = await cluster.findBroker({ nodeId: String(leader) });
    const isLive = readings.some(({ until }) => until === Number.POSITIVE_INFINITY);
    const partitions = readings.map(({ partition, next }) => {
      return { partition, fetchOffset: String(next), maxBytes: maxBytesPerPartition };
    });
    const maxWaitTime = isLive ? waitMs.live : waitMs.ranges;
    try {
      return await broker.fetch({ isolationLevel, maxWaitTime, maxBytes, topics: [{ topic, partitions }] });
    } catch (error) {
      if (error instanceof kafkajs.KafkaJSOffsetOutOfRange) {
        const marks = await this.watermarks(topic);
        for (const { partition, next } of readings) requireInside(topic, partition, next, marks[partition]);
      }
      throw error;
    }
  }

  #shared(): Promise<Connected> {
    this.#common ??= this.#connect();
    return this.#common;
  }

  /** kafkajs gives access to its cluster only through a partition assigner; this consumer joins no group. */
  async #connect(): Promise<Connected> {
    let cluster: Cluster | undefined;
    const bystander = this.#kafka.consumer({
      groupId: 'icecore',
      allowAutoTopicCreation: false,
      readUncommitted: true,
      metadataMaxAge,
      partitionAssigners: [
        (config) => {
          cluster = config.cluster;
          return kafkajs.PartitionAssigners.roundRobin(config);
        },
      ],
    });
    await bystander.connect();
    return { cluster: cluster as Cluster, disconnect: () => bystander.disconnect() };
  }

  /** New connections find new leaders, and replace those that no longer answer. */
  #failure(error: unknown, topic: string, connecting: Promise<Connected>): unknown {
    const meaning = meaningOf(error, topic);
    if (meaning instanceof TransientError) this.#drop(connecting);
    return meaning;
  }

  async #drop(connecting: Promise<Connected>): Promise<void> {
    if (this.#common === connecting) this.#common = null;
    await connecting.then((connected) => connected.disconnect()).catch(() => {});
  }
}

/** Drops the spans that are read, and continues at the next one. */
function skip(reading: Reading): void {
  reading.spans = reading.spans.filter(({ until }) => until > reading.next);
  reading.next = Math.max(reading.next, reading.spans[0]?.from ?? 0);
}

/** Throws TransientError if partitions were added: the caller begins again, with all of them. */
async function requireAll(cluster: Cluster, topic: string, spans: readonly Span[]): Promise<void> {
  await cluster.refreshMetadataIfNecessary();
  const { length } = cluster.findTopicPartitionMetadata(topic);
  if (length > spans.length) throw new TransientError(`${topic}/${length - 1} was added`);
}

/** An answer has up to tens of thousands of small records. */
function* pagesOf(fetched: Fetched): Generator<Fetched> {
  let rest = fetched.records;
  for (; rest.length > recordsOfPage; rest = rest.slice(recordsOfPage)) {
    yield { ...fetched, records: rest.slice(0, recordsOfPage), next: Number(rest[recordsOfPage]?.offset) };
  }
  yield { ...fetched, records: rest };
}
