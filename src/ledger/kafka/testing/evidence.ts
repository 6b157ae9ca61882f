// Evidence for tests: events as a writer makes them, and ledgers in a test Kafka, each under a unique prefix.
import { randomBytes } from 'node:crypto';
import kafkajs, { type Admin, type Message } from 'kafkajs';
import { canonicalJson } from '../../../../schemas/canonical.ts';
import { sha256 } from '../../identity/ids.ts';
import type { EvidencePlace, OpenOptions } from '../../ledger.ts';
import type { FoundEvent, OutgoingEvent } from '../../remote/log.ts';
import { Waits } from '../../remote/retry.ts';
import type { AttemptRange } from '../../split/evidence.ts';
import type { KafkaLog } from '../log.ts';
import { parseKafkaUrl } from '../place.ts';
import { openKafka, openLog } from '../store.ts';
import { messageOf } from '../wire.ts';
import type { Kafka } from './broker.ts';

export const endless: AbortSignal = new AbortController().signal;

/** The digest of the last event of a stream; null: there is none. */
export async function lastDigest(log: KafkaLog, stream: string): Promise<string | null> {
  return (await digestsOf(log.readStream(stream, { from: 0 }, endless))).at(-1) ?? null;
}

const silent = new Waits('kafka:', 30);
const opened: KafkaLog[] = [];

export async function closeLogs(): Promise<void> {
  for (const log of opened.splice(0)) await log.close();
}

/** A broker that was just started loads its coordinators on first use. */
export async function warmUp({ brokers }: Pick<Kafka, 'brokers'>): Promise<void> {
  const { url } = new Evidence({ brokers });
  for (let group = 0; group < 4; group++) {
    await (await openKafka({ url, place: parseKafkaUrl(url) }, { create: true })).close();
  }
}

export function streamNumber(attempt: number): string {
  return `evidence-0test0test00-1-0-${attempt}`;
}

const hexadecimal = (of: string): string => sha256(of).slice(0, 12);

/** The same `data` gives the same events. */
export function eventsOf(stream: string, from: number, count: number, data: object = {}): OutgoingEvent[] {
  return Array.from({ length: count }, (_, index) => {
    const revision = from + index;
    const body = canonicalJson({
      ...{ actor: 'producer/tests', at: '2026-01-02T03:04:05.678Z', causes: [], data: { ...data, number: revision } },
      ...{ id: `00000000-0000-8000-8000-${hexadecimal(`${stream} ${revision}`)}`, previous: null, revision },
      ...{ run: '0test0test00', stage: 1, stream, type: 'RolloutRecorded', version: 1 },
    });
    return { revision, body, digest: sha256(body), recordedMs: null };
  });
}

export interface Written extends AttemptRange {
  readonly place: EvidencePlace;
  readonly digests: readonly string[];
}

/** Appends an attempt, with this number of events at a time. */
export async function write(
  log: KafkaLog,
  stream: string,
  count: number,
  most = 1_000,
  data?: object,
): Promise<Written> {
  let place: EvidencePlace | undefined;
  const digests: string[] = [];
  for (let from = 0; from < count; from += most) {
    const events = eventsOf(stream, from, Math.min(most, count - from), data);
    const appended = await log.append(stream, events, { isNew: true, signal: endless });
    if (appended.kind !== 'appended') throw new Error(`${stream} ends at ${appended.revision}`);
    place = appended.place;
    digests.push(...events.map(({ digest }) => digest));
  }
  if (place === undefined) throw new Error('nothing was written');
  return { stream, from: 0, to: count - 1, count, place, digests };
}

export async function digestsOf(pages: AsyncIterable<readonly FoundEvent[]>): Promise<string[]> {
  const digests: string[] = [];
  for await (const events of pages) digests.push(...events.map(({ digest }) => digest));
  return digests;
}

/** The digests of each attempt that was read, by its stream, in the order of arrival. */
export async function readBack(
  log: KafkaLog,
  attempts: Parameters<KafkaLog['readAttempts']>[0],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  for await (const { stream, events } of log.readAttempts(attempts, endless)) {
    found.set(stream, [...(found.get(stream) ?? []), ...events.map(({ digest }) => digest)]);
  }
  return found;
}

/** Like the engine above a log: retries after transient errors. */
export function withRetries<Result>(work: () => Promise<Result>): Promise<Result> {
  return silent.retry(work, endless);
}

export function digestsByStream(written: readonly Written[]): ReadonlyMap<string, readonly string[]> {
  return new Map(written.map(({ stream, digests }) => [stream, digests]));
}

/** What other programs may do to the same topics, with their own client. */
export class Evidence {
  readonly prefix: string = `test-${randomBytes(6).toString('hex')}`;
  readonly url: string;
  readonly events: string = `${this.prefix}.events`;
  readonly kafka: kafkajs.Kafka;

  constructor({ brokers }: Pick<Kafka, 'brokers'>, settings = 'partitions=1') {
    this.url = `kafka://${brokers.join(',')}/${this.prefix}?${settings}`;
    this.kafka = new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING });
  }

  async open(options: OpenOptions = {}, url: string = this.url): Promise<KafkaLog> {
    // Under load, brokers may not know for a moment what was just created.
    const log = await withRetries(() => openLog({ url, place: parseKafkaUrl(url) }, options, silent));
    opened.push(log);
    return log;
  }

  make(): Promise<KafkaLog> {
    return this.open({ create: true, part: 'evidence' });
  }

  async send(messages: readonly Message[], topic: string = this.events): Promise<void> {
    const producer = this.kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
    await producer.connect();
    await producer.send({ topic, messages: [...messages] });
    await producer.disconnect();
  }

  async administer<Result>(work: (admin: Admin) => Promise<Result>): Promise<Result> {
    const admin = this.kafka.admin();
    await admin.connect();
    try {
      return await work(admin);
    } finally {
      await admin.disconnect();
    }
  }

  /** Deletes the records of the first partition before this offset. */
  async removeBefore(offset: number): Promise<void> {
    await this.administer(async (admin) => {
      await admin.fetchTopicOffsets(this.events);
      await admin.deleteTopicRecords({ topic: this.events, partitions: [{ partition: 0, offset: `${offset}` }] });
    });
  }

  messages(stream: string, from: number, count: number, data?: object): Message[] {
    return eventsOf(stream, from, count, data).map((event) => messageOf(stream, event, 0));
  }
}
