// Topics in memory, for tests of the rule by which records count, thousands of logs at a time: the same offsets, batches,
// gaps and ends as a broker's. What a network or a broker may do meanwhile is left to the tests on a real one.
import { gzipSync } from 'node:zlib';
import { BatchTooLarge, OffsetsGone, TopicMissing, TransportClosed } from '../transport/errors.ts';
import type {
  Compression,
  Fetched,
  FetchOptions,
  FoundRecord,
  Headers,
  Membership,
  OutgoingRecord,
  PartitionEnds,
  TopicFound,
  TopicWanted,
  Transport,
} from '../transport/transport.ts';
import { PartitionInMemory } from './partition-in-memory.ts';

type Call = 'ends' | 'fetch' | 'produce';

interface Options {
  readonly compression?: Compression;
  /** At most, whatever is asked for. */
  readonly answerBytes?: number;
}

interface Topic {
  readonly partitions: readonly PartitionInMemory[];
  readonly settings: ReadonlyMap<string, string>;
}

/** What all who open it have in common. */
export class TopicsInMemory {
  readonly #topics = new Map<string, Topic>();

  find(name: string): Topic | null {
    return this.#topics.get(name) ?? null;
  }

  make({ name, partitions, settings, wished }: TopicWanted): void {
    if (this.#topics.has(name)) return;
    this.#topics.set(name, {
      partitions: Array.from({ length: partitions }, () => new PartitionInMemory()),
      settings: new Map([
        ...Object.entries({ 'cleanup.policy': 'delete' }),
        ...Object.entries({ ...settings, ...wished }),
      ]),
    });
  }

  remove(name: string): void {
    this.#topics.delete(name);
  }

  /** Throws TopicMissing. */
  partition(topic: string, partition: number): PartitionInMemory {
    const found = this.find(topic)?.partitions[partition];
    if (found === undefined) throw new TopicMissing(topic);
    return found;
  }
}

export class LogInMemory implements Transport {
  readonly client = 'memory';
  readonly #topics: TopicsInMemory;
  readonly #compression: Compression;
  readonly #answerBytes: number;
  readonly #sending = new Map<PartitionInMemory, Promise<number>>();
  readonly #interruptions = new Map<Call, () => Promise<unknown>>();
  readonly #end = new AbortController();

  constructor(topics: TopicsInMemory, { compression = 'none', answerBytes = Number.POSITIVE_INFINITY }: Options = {}) {
    this.#topics = topics;
    this.#compression = compression;
    this.#answerBytes = answerBytes;
  }

  /** What others do while the next such call is on its way: to be stored, or back with its answer. */
  during(call: Call, work: () => Promise<unknown>): void {
    this.#interruptions.set(call, work);
  }

  async describe(topics: readonly string[]): Promise<readonly (TopicFound | null)[]> {
    return topics.map((name) => {
      const found = this.#topics.find(name);
      if (found === null) return null;
      return { name, partitions: found.partitions.length, replicas: 1, settings: found.settings };
    });
  }

  async create(topics: readonly TopicWanted[]): Promise<void> {
    for (const topic of topics) this.#topics.make(topic);
  }

  async remove(topics: readonly string[]): Promise<void> {
    for (const topic of topics) this.#topics.remove(topic);
  }

  async ends(topic: string): Promise<readonly PartitionEnds[]> {
    this.#end.signal.throwIfAborted();
    const found = this.#topics.find(topic);
    if (found === null) throw new TopicMissing(topic);
    const answer = found.partitions.map(({ start, end }, partition) => ({ partition, start, end }));
    await this.#interrupted('ends');
    return answer;
  }

  async fetch(topic: string, partition: number, from: number, options: FetchOptions): Promise<Fetched> {
    const signals = options.signal === undefined ? [this.#end.signal] : [this.#end.signal, options.signal];
    const signal = AbortSignal.any(signals);
    signal.throwIfAborted();
    const found = this.#topics.partition(topic, partition);
    if (from < found.start || from > found.written) throw new OffsetsGone(topic, partition, from);
    if (from >= found.end) await found.news(options.maxWaitMs, signal);
    const answer = found.from(from, Math.min(options.maxBytes, this.#answerBytes));
    await this.#interrupted('fetch');
    return answer;
  }

  produce(topic: string, partition: number, records: readonly OutgoingRecord[]): Promise<number> {
    if (this.#end.signal.aborted) return Promise.reject(this.#end.signal.reason);
    const found = this.#topics.find(topic)?.partitions[partition];
    if (found === undefined) return Promise.reject(new TopicMissing(topic));
    const before = this.#sending.get(found) ?? Promise.resolve(0);
    const sent = before.then(async () => {
      await this.#interrupted('produce');
      this.#requireTaken(topic, records);
      return found.add(records.map(recordFound));
    });
    this.#sending.set(found, sent);
    // What is called later begins anew, once nothing waits behind what failed.
    sent.catch(() => this.#sending.get(found) === sent && this.#sending.delete(found));
    return sent;
  }

  async join(): Promise<Membership> {
    throw new Error('a log in memory has no groups');
  }

  async close(): Promise<void> {
    this.#end.abort(new TransportClosed(['memory']));
  }

  async #interrupted(call: Call): Promise<void> {
    const work = this.#interruptions.get(call);
    this.#interruptions.delete(call);
    await work?.();
  }

  /** What is limited is what arrives. Throws BatchTooLarge. */
  #requireTaken(topic: string, records: readonly OutgoingRecord[]): void {
    const limit = Number(this.#topics.find(topic)?.settings.get('max.message.bytes') ?? Number.POSITIVE_INFINITY);
    const text = JSON.stringify(records);
    if (text.length <= limit) return;
    const bytes = this.#compression === 'none' ? text.length : gzipSync(text).length;
    if (bytes > limit) throw new BatchTooLarge(topic, bytes);
  }
}

/** The offset is given when it is stored. */
function recordFound({ key, value, headers, timestamp }: OutgoingRecord): FoundRecord {
  const named = Object.entries(headers).map(([name, text]) => [name, Buffer.from(text)] as const);
  return {
    offset: -1,
    timestamp,
    key: Buffer.from(key),
    value: Buffer.from(value),
    headers: new HeadersInMemory(named),
  };
}

export class HeadersInMemory extends Map<string, Buffer> implements Headers {
  ascii(name: string): string | undefined {
    return this.get(name)?.toString('latin1');
  }
}
