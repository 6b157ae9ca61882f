// The identity of the topics of a ledger: the first record of the topic `<prefix>.ledger`. Several processes that create the
// ledger at the same time all write a record; the first one counts.
import { isObject, jsonOrUndefined } from '../../../schemas/json-text.ts';
import { LedgerMissing, NotALedger, newerLedger } from '../errors.ts';
import { type Ledger, partIn } from '../ledger.ts';
import { ServerRejected } from '../remote/errors.ts';
import type { KafkaClient } from './client.ts';
import type { KafkaPlace } from './place.ts';
import type { Readers } from './reader.ts';
import { newTopics, requireKeeping, type Topics, topicLost } from './topics.ts';

/** The version of the layout of evidence in Kafka. */
const formatVersion = 2;

export interface KafkaIdentity {
  readonly ledger: string;
  readonly part: Ledger['part'];
  /** The number of partitions at creation: unknown streams are searched there first. */
  readonly partitions: number;
}

export interface CreateOptions {
  readonly client: KafkaClient;
  readonly readers: Readers;
  readonly topics: Topics;
  readonly place: KafkaPlace;
  readonly url: string;
  readonly signal: AbortSignal;
}

/** Throws LedgerMissing, NotALedger, TopicLost, NewerLedger, WouldLoseHistory. */
export async function readIdentity(making: CreateOptions): Promise<KafkaIdentity> {
  const { client, topics, url } = making;
  const [events = null, sealed = null, ledger = null] = await client.describe(namesOf(topics));
  if (ledger === null) throw new LedgerMissing(url);
  if (events === null || sealed === null) {
    const missing = events === null ? topics.events : topics.sealed;
    // Creating a ledger writes this record last, when all its topics exist.
    const [{ low, high } = { low: 0, high: 0 }] = await client.watermarks(topics.ledger);
    throw low < high ? topicLost(url, topics, missing) : new NotALedger(url, `there is no topic ${missing}`);
  }
  const identity = await firstIdentity(making);
  if (identity === null) throw new LedgerMissing(url);
  requireKeeping(events);
  return identity;
}

/** Does nothing if it already exists. */
export async function makeEvidence(making: CreateOptions, ledger: string, part: Ledger['part']): Promise<void> {
  const { client, topics, place } = making;
  const found = await client.describe(namesOf(topics), false);
  if (!found.includes(null) && (await firstIdentity(making)) !== null) return;
  const { partitions, replicas } = place;
  const size = { brokers: await client.countBrokers(), partitions, replicas };
  await client.create(newTopics(topics, size)).catch((error) => {
    if (!(error instanceof ServerRejected)) throw error;
    // Brokers before 3.6 refuse the settings for times, which they do not need.
    return client.create(newTopics(topics, size, {}));
  });
  // Existing topics are left unchanged, whichever process created them.
  const [events = null] = await client.describe([topics.events], false);
  const value = JSON.stringify({ format: formatVersion, ledger, part, partitions: events?.partitions });
  await client.publish(topics.ledger, [{ key: 'ledger', value, partition: 0 }]);
}

function namesOf({ events, sealed, ledger }: Topics): readonly string[] {
  return [events, sealed, ledger];
}

async function firstIdentity({
  client,
  readers,
  topics: { ledger },
  url,
  signal,
}: CreateOptions): Promise<KafkaIdentity | null> {
  const [{ low, high } = { low: 0, high: 0 }] = await client.watermarks(ledger);
  if (low === high) return null;
  for await (const { records } of readers.read([{ topic: ledger, partition: 0, from: low, until: high }], signal)) {
    const [first] = records;
    if (first !== undefined) return identityIn(first.value?.toString('utf8') ?? '', url);
  }
  return null;
}

function identityIn(text: string, url: string): KafkaIdentity {
  const fields = jsonOrUndefined(text);
  const { format, ledger, part, partitions } = isObject(fields) ? fields : {};
  if (typeof format === 'number' && format > formatVersion) throw newerLedger(url, format, formatVersion);
  const isMade = format === formatVersion && typeof ledger === 'string';
  if (!isMade || !Number.isInteger(partitions)) {
    throw new NotALedger(url, `its first record is ${text.slice(0, 80)}`);
  }
  return { ledger, part: partIn(part), partitions: Number(partitions) };
}
