// What the parts of the contract work with: transports that are closed after each test, topics that are removed in the end,
// and records.
import { randomUUID } from 'node:crypto';
import type { Kafka } from '../../testing/broker.ts';
import type { Fetched, FetchOptions, FoundRecord, OutgoingRecord, Transport, TransportOptions } from '../transport.ts';
import { RawClient } from './raw.ts';

export type OpenTransport = (options: TransportOptions) => Transport;

/** Longer than any test: what waits so long waits for something else to end it. */
export const forever = 600_000;

export class TransportBench {
  readonly kafka: Kafka;
  readonly raw: RawClient;
  readonly #open: OpenTransport;
  readonly #opened: Transport[] = [];
  readonly #topics: string[] = [];

  constructor(kafka: Kafka, open: OpenTransport) {
    this.kafka = kafka;
    this.raw = new RawClient(kafka.brokers);
    this.#open = open;
  }

  open(options: Partial<TransportOptions> = {}): Transport {
    const usual = { compression: 'none', tls: null, login: null, patienceMs: 30_000, onAway: () => {} } as const;
    const transport = this.#open({ brokers: this.kafka.brokers, ...usual, ...options });
    this.#opened.push(transport);
    return transport;
  }

  name(): string {
    const name = `contract-${randomUUID()}`;
    this.#topics.push(name);
    return name;
  }

  /** A new topic of one partition, or as many as are wanted. */
  async topic(settings: Readonly<Record<string, string>> = {}, partitions = 1): Promise<string> {
    const name = this.name();
    await this.open().create([{ name, partitions, replicas: -1, settings }]);
    return name;
  }

  async closeTransports(): Promise<void> {
    for (const transport of this.#opened.splice(0)) await transport.close();
  }

  async dispose(): Promise<void> {
    await this.open().remove(this.#topics);
    await this.closeTransports();
    await this.raw.close();
  }
}

export const atOnce: FetchOptions = { maxBytes: 4 * 1024 * 1024, maxWaitMs: 100 };

/** Everything from an offset to the end, and the answers it came in. */
export async function readOn(
  transport: Transport,
  topic: string,
  from = 0,
  maxBytes = atOnce.maxBytes,
): Promise<{ readonly records: readonly FoundRecord[]; readonly answers: readonly Fetched[] }> {
  const answers: Fetched[] = [];
  for (let at = from; ; ) {
    const fetched = await transport.fetch(topic, 0, at, { ...atOnce, maxBytes });
    answers.push(fetched);
    if (fetched.next >= fetched.end) return { records: answers.flatMap(({ records }) => records), answers };
    if (fetched.next <= at)
      throw new Error(`an answer from ${at} goes on at ${fetched.next} and not at ${fetched.end}`);
    at = fetched.next;
  }
}

const begun = Date.UTC(2026, 0, 1);

export function record(value: string, others: Partial<OutgoingRecord> = {}): OutgoingRecord {
  return { key: 'key', value, headers: {}, timestamp: begun, ...others };
}

/** So many records, each with its number in its value. */
export function records(count: number, first = 0, padding = ''): OutgoingRecord[] {
  return Array.from({ length: count }, (_, index) => record(`${first + index}${padding}`));
}

export function valuesOf(found: readonly FoundRecord[]): string[] {
  return found.map(({ value }) => value?.toString() ?? 'null');
}

export function offsetsOf(found: readonly FoundRecord[]): number[] {
  return found.map(({ offset }) => offset);
}

/** `[first, first + 1, …]` up to `end`, which is left out. */
export function range(first: number, end: number): number[] {
  return Array.from({ length: end - first }, (_, index) => first + index);
}
