// The topics of a ledger's evidence: the events, the sealed attempts, and the ledger's identity. Nothing is ever removed from
// the first; in the second, Kafka keeps the last record of each key.
import type { ITopicConfig } from 'kafkajs';
import { IcecoreError } from '../../../schemas/errors.ts';
import { WouldLoseHistory } from '../remote/errors.ts';
import { anyTime } from './errors.ts';
import type { KafkaPlace } from './place.ts';

/** The maximum batch size, up to which an append is one batch. The brokers' default limit of 1 MB is smaller than some events. */
export const largestBatchBytes = 8 * 1024 * 1024;

export interface TopicFound {
  readonly name: string;
  /** The replicas of the partition that has the fewest. */
  readonly replicas: number;
  readonly settings: ReadonlyMap<string, string>;
}

export type Topics = ReturnType<typeof topicsOf>;

export function topicsOf(prefix: string) {
  return { events: `${prefix}.events`, sealed: `${prefix}.sealed`, ledger: `${prefix}.ledger` };
}

/** The settings with which a topic keeps all records. */
const keeping = { 'cleanup.policy': 'delete', 'retention.ms': '-1', 'retention.bytes': '-1' };
/** The codec of the producer; otherwise a broker may recompress batches with a codec that icecore cannot read. */
const readable = { 'compression.type': 'producer' };
const otherReadable = new Set(['uncompressed', 'gzip', 'zstd']);

const common = {
  ...readable,
  'max.message.bytes': String(largestBatchBytes),
  'message.timestamp.type': 'CreateTime',
};

/** An event keeps its recording time, even if that clock was wrong; supported from Kafka 3.6 on. */
export const anyTimes = {
  'message.timestamp.after.max.ms': anyTime,
  'message.timestamp.before.max.ms': anyTime,
};

/** With this many brokers, there are three copies, two of which have acknowledged events, so any one broker may be lost. */
const safeBrokers = 3;

/** The last topic marks that the others exist. */
export function newTopics(
  topics: Topics,
  { partitions, replicas }: Pick<KafkaPlace, 'partitions' | 'replicas'>,
  brokers: number,
  times: object = anyTimes,
): ITopicConfig[] {
  const replicationFactor = replicas < 0 && brokers >= safeBrokers ? safeBrokers : replicas;
  const safe = replicationFactor >= safeBrokers ? { 'min.insync.replicas': '2' } : {};
  const topic = (name: string, numPartitions: number, settings: object): ITopicConfig => ({
    topic: name,
    numPartitions,
    replicationFactor,
    configEntries: Object.entries({ ...common, ...safe, ...settings }).map(([setting, value]) => ({
      name: setting,
      value,
    })),
  });
  return [
    topic(topics.events, partitions, { ...times, ...keeping }),
    topic(topics.sealed, 1, { 'cleanup.policy': 'compact' }),
    topic(topics.ledger, 1, keeping),
  ];
}

/** The settings that lose history: their effect, and the required value. */
export function losingSettings({ settings: found }: TopicFound) {
  const others = (right: Readonly<Record<string, string>>, does: string) =>
    Object.entries(right).flatMap(([setting, required]) => {
      const value = found.get(setting);
      const what = `${setting} is ${value}, ${does}`;
      return value === undefined || value === required ? [] : [{ setting, value, what, required }];
    });
  return [
    ...others(keeping, 'which removes history'),
    ...others(readable, 'which makes it unreadable').filter(({ value }) => !otherReadable.has(value)),
  ];
}

/** Throws WouldLoseHistory. */
export function requireKeeping(found: TopicFound): void {
  const losing = losingSettings(found);
  const [first] = losing;
  if (first === undefined) return;
  const config = losing.map(({ setting, required }) => `${setting}=${required}`).join(',');
  const remedy = `kafka-configs.sh --bootstrap-server HOST:PORT --alter --topic ${found.name} --add-config ${config}`;
  throw new WouldLoseHistory(`topic ${found.name}`, first.what, remedy);
}

export function topicLost(url: string, { sealed }: Topics, topic: string): IcecoreError {
  const made = `kafka-topics.sh --bootstrap-server HOST:PORT --create --topic ${sealed} --partitions 1 --config cleanup.policy=compact`;
  return new IcecoreError('damaged', `the topic ${topic} of the ledger at ${url} is gone`, {
    name: 'TopicLost',
    facts: { url, topic },
    remedy:
      topic === sealed
        ? `No evidence is lost with it. Create it again, and the next writer fills it: ${made}`
        : 'Restore the topic, or copy a backup of the ledger to two new places.',
  });
}
