// The topics of a ledger's evidence: the events, what of them is sealed, and whose they are. Nothing is ever removed from the
// first; of the second, Kafka keeps the last record of each key.
import { IcecoreError } from '../../../schemas/errors.ts';
import { WouldLoseHistory } from '../remote/errors.ts';
import type { NewTopic, TopicFound } from './client.ts';
import { anyTime } from './errors.ts';

/** Records of one append go as one batch up to this; the brokers' usual limit of 1 MB is less than one event may have. */
export const largestBatchBytes = 8 * 1024 * 1024;

export interface Topics {
  readonly events: string;
  readonly sealed: string;
  readonly ledger: string;
}

export function topicsOf(prefix: string): Topics {
  return { events: `${prefix}.events`, sealed: `${prefix}.sealed`, ledger: `${prefix}.ledger` };
}

/** What makes a topic keep all that was ever written. */
const keeping: Readonly<Record<string, string>> = {
  'cleanup.policy': 'delete',
  'retention.ms': '-1',
  'retention.bytes': '-1',
};
/** In the codec of whoever wrote it: a broker may pack it anew, in one that nothing here knows. */
const readable: Readonly<Record<string, string>> = { 'compression.type': 'producer' };
const otherReadable = new Set(['uncompressed', 'gzip', 'zstd']);

const common: Readonly<Record<string, string>> = {
  ...readable,
  'max.message.bytes': String(largestBatchBytes),
  'message.timestamp.type': 'CreateTime',
};

/** An event keeps the time at which it was recorded, also where that clock was wrong; known to Kafka from 3.6 on. */
export const anyTimes: Readonly<Record<string, string>> = {
  'message.timestamp.after.max.ms': anyTime,
  'message.timestamp.before.max.ms': anyTime,
};

/** So many brokers keep three copies, of which two have what is acknowledged: any one of them may be lost. */
const safeBrokers = 3;

/** The last one says that the others are there. */
export function newTopics(
  topics: Topics,
  { brokers, partitions, replicas }: { brokers: number; partitions: number; replicas: number },
  times: Readonly<Record<string, string>> = anyTimes,
): readonly NewTopic[] {
  const copies = replicas < 0 && brokers >= safeBrokers ? safeBrokers : replicas;
  const safe: Readonly<Record<string, string>> = copies >= safeBrokers ? { 'min.insync.replicas': '2' } : {};
  const all = { ...common, ...safe };
  return [
    { name: topics.events, partitions, replicas: copies, settings: { ...all, ...times, ...keeping } },
    { name: topics.sealed, partitions: 1, replicas: copies, settings: { ...all, 'cleanup.policy': 'compact' } },
    { name: topics.ledger, partitions: 1, replicas: copies, settings: { ...all, ...keeping } },
  ];
}

/** A setting that loses history, how it does, and what it must be. */
export interface LosingSetting {
  readonly topic: string;
  readonly setting: string;
  readonly found: string;
  readonly does: string;
  readonly required: string;
}

export function losingSettings({ name, settings: found }: TopicFound): readonly LosingSetting[] {
  const others = (right: Readonly<Record<string, string>>, does: string): readonly LosingSetting[] =>
    Object.entries(right).flatMap(([setting, required]) => {
      const value = found.get(setting);
      return value === undefined || value === required ? [] : [{ topic: name, setting, found: value, does, required }];
    });
  const packed = others(readable, 'which makes it unreadable');
  return [
    ...others(keeping, 'which removes history'),
    ...packed.filter((setting) => !otherReadable.has(setting.found)),
  ];
}

/** Throws WouldLoseHistory. */
export function requireKeeping(found: TopicFound): void {
  const losing = losingSettings(found);
  const [first] = losing;
  if (first === undefined) return;
  const config = losing.map(({ setting, required }) => `${setting}=${required}`).join(',');
  const remedy = `kafka-configs.sh --bootstrap-server HOST:PORT --alter --topic ${found.name} --add-config ${config}`;
  throw new WouldLoseHistory(`topic ${found.name}`, `${first.setting} is ${first.found}, ${first.does}`, remedy);
}

export class TopicLost extends IcecoreError {
  override readonly name = 'TopicLost';

  constructor(url: string, { sealed }: Topics, topic: string) {
    const made = `kafka-topics.sh --bootstrap-server HOST:PORT --create --topic ${sealed} --partitions 1 --config cleanup.policy=compact`;
    super('damaged', `the topic ${topic} of the ledger at ${url} is gone`, {
      facts: { url, topic },
      remedy:
        topic === sealed
          ? `No evidence is lost with it. Make it anew, and whoever writes next fills it: ${made}`
          : 'Bring the topic back, or copy a back-up of the ledger to two new places.',
    });
  }
}
