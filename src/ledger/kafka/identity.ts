// Whose topics they are: a ledger's identity and how many partitions it was made with stand in a topic of their own. Who
// makes it at the same time as somebody else writes that too; the first record there holds for all.
import { randomUUID } from 'node:crypto';
import { parseJson } from '../../../schemas/json-text.ts';
import { categories } from '../../../schemas/streams.ts';
import { LedgerMissing, NewerLedger, NotALedger } from '../errors.ts';
import { type Ledger, partIn } from '../ledger.ts';
import type { KafkaPlace } from './place.ts';
import { identityTopic, type Partitions, partitionsOf, requireAsMade, topicOf, topicsWanted } from './topics.ts';
import { TopicMissing } from './transport/errors.ts';
import type { TopicFound, Transport } from './transport/transport.ts';

/** How icecore lays a ledger out in Kafka. */
const formatVersion = 1;

export interface KafkaIdentity {
  readonly ledger: string;
  /** Of these very topics: others that bear the same ledger, as a copy does, have another. */
  readonly incarnation: string;
  readonly partitions: Partitions;
  readonly part: Ledger['part'];
}

/** Throws LedgerMissing, NotALedger, NewerLedger, WouldLoseHistory, PartitionsChanged. */
export async function readIdentity(transport: Transport, place: KafkaPlace, url: string): Promise<KafkaIdentity> {
  const identity = await firstIdentity(transport, place, url);
  if (identity === null) throw new LedgerMissing(url);
  const { prefix } = place;
  const counts = new Map(categories.map((category) => [topicOf(prefix, category), identity.partitions[category]]));
  counts.set(identityTopic(prefix), 1);
  for (const topic of await described(transport, [...counts.keys()])) requireAsMade(topic, counts.get(topic.name) ?? 0);
  return identity;
}

async function described(transport: Transport, names: readonly string[]): Promise<readonly TopicFound[]> {
  const found = await transport.describe(names);
  return found.map((topic, index) => {
    if (topic === null) throw new TopicMissing(names[index] as string);
    return topic;
  });
}

/** Does nothing where it is made already. */
export async function makeLedger(
  transport: Transport,
  place: KafkaPlace,
  url: string,
  id: string,
  part?: Ledger['part'],
): Promise<void> {
  // Who reads a topic that nobody knows waits a while, as it may have been made a moment ago; who asks for it does not.
  const [known = null] = await transport.describe([identityTopic(place.prefix)]);
  if (known !== null && (await firstIdentity(transport, place, url)) !== null) return;
  await transport.create(topicsWanted(place.prefix, partitionsOf(place.partitions), place.replicas));
  // Who began to make it may have wanted another number, and topics that are there are left as they are.
  const [evidence] = await described(transport, [topicOf(place.prefix, 'evidence')]);
  const partitions = partitionsOf(evidence?.partitions ?? place.partitions);
  const value = JSON.stringify({ format: formatVersion, ledger: id, incarnation: randomUUID(), partitions, part });
  const record = { key: 'ledger', value, headers: {}, timestamp: Date.now() };
  await transport.produce(identityTopic(place.prefix), 0, [record]);
}

async function firstIdentity(transport: Transport, { prefix }: KafkaPlace, url: string): Promise<KafkaIdentity | null> {
  const topic = identityTopic(prefix);
  try {
    for (let from = 0; ; ) {
      const { records, next, end } = await transport.fetch(topic, 0, from, { maxBytes: 65_536, maxWaitMs: 0 });
      const [first] = records;
      if (first !== undefined) return identityIn(String(first.value ?? ''), url);
      if (next >= end) return null;
      from = next;
    }
  } catch (error) {
    if (error instanceof TopicMissing) return null;
    throw error;
  }
}

function identityIn(text: string, url: string): KafkaIdentity {
  const said = parse(text);
  const { format, ledger, incarnation, partitions, part } = said as Readonly<Record<string, unknown>>;
  if (typeof format === 'number' && format > formatVersion) throw new NewerLedger(url, format, formatVersion);
  const isNamed = typeof ledger === 'string' && typeof incarnation === 'string' && /^[0-9a-f-]{36}$/.test(incarnation);
  if (format !== formatVersion || !isNamed || !arePartitions(partitions)) {
    throw new NotALedger(url, `its first record says ${text.slice(0, 80)}`);
  }
  return { ledger, incarnation, partitions, part: partIn(part) };
}

function arePartitions(value: unknown): value is Partitions {
  if (typeof value !== 'object' || value === null) return false;
  const counts = value as Readonly<Record<string, unknown>>;
  return categories.every((category) => Number.isInteger(counts[category]) && Number(counts[category]) > 0);
}

function parse(text: string): object {
  try {
    const value: unknown = parseJson(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
