// The topics of a ledger: one for each category of streams, one that says whose they are, one for copies of what cannot be
// read. A stream lies in one partition, so that its order is kept; nothing is ever removed from any of them.

import { IcecoreError } from '../../../schemas/errors.ts';
import { type Category, categories } from '../../../schemas/streams.ts';
import { anyTime, type TopicFound, type TopicWanted } from './transport/transport.ts';

/** Records of one append go as one batch up to this; the brokers' usual limit of 1 MB is less than one event may have. */
export const largestBatchBytes = 8 * 1024 * 1024;

/** What makes a topic keep all that was ever written, as it was written. */
const keeping: Readonly<Record<string, string>> = {
  'cleanup.policy': 'delete',
  'retention.ms': '-1',
  'retention.bytes': '-1',
};
/** In the codec of whoever wrote it: a broker may pack it anew, in one that nothing here knows. */
const readable: Readonly<Record<string, string>> = { 'compression.type': 'producer' };
const otherReadable = new Set(['uncompressed', 'gzip', 'zstd']);

const settings: Readonly<Record<string, string>> = {
  ...keeping,
  ...readable,
  'max.message.bytes': String(largestBatchBytes),
  'message.timestamp.type': 'CreateTime',
};

/** An event keeps the time at which it was recorded, also where that clock was wrong; known to Kafka from 3.6 on. */
export const anyTimes: Readonly<Record<string, string>> = {
  'message.timestamp.after.max.ms': anyTime,
  'message.timestamp.before.max.ms': anyTime,
};

export function identityTopic(prefix: string): string {
  return `${prefix}.ledger`;
}

export function rejectedTopic(prefix: string): string {
  return `${prefix}.rejected`;
}

export function topicOf(prefix: string, category: Category): string {
  return `${prefix}.${category}`;
}

/** Those that hold events. */
export function topicsOf(prefix: string): readonly string[] {
  return categories.map((category) => topicOf(prefix, category));
}

/** How many partitions each category has. */
export type Partitions = Readonly<Record<Category, number>>;

/** Only evidence is so much that one partition, and so one broker, would be too few. */
export function partitionsOf(evidence: number): Partitions {
  return { run: 1, evidence, work: 1, notes: 1, answer: 1, ablation: 1, x: 1 };
}

export function topicsWanted(prefix: string, partitions: Partitions, replicas: number): readonly TopicWanted[] {
  const wanted = (name: string, count: number): TopicWanted => ({
    ...{ name, partitions: count, replicas },
    ...{ settings, wished: anyTimes },
  });
  return [
    ...categories.map((category) => wanted(topicOf(prefix, category), partitions[category])),
    wanted(rejectedTopic(prefix), 1),
    // The last one, because it says that the others are there.
    wanted(identityTopic(prefix), 1),
  ];
}

/** A setting that loses history, how it does, and what it must be. */
export interface Losing {
  readonly topic: string;
  readonly setting: string;
  readonly found: string;
  readonly does: string;
  readonly wanted: string;
}

/** What is set so that history would be lost. */
export function losing(topic: TopicFound): readonly Losing[] {
  const packed = settingsOtherThan(readable, topic, 'which makes it unreadable');
  return [
    ...settingsOtherThan(keeping, topic, 'which removes history'),
    ...packed.filter(({ found }) => !otherReadable.has(found)),
  ];
}

function settingsOtherThan(
  right: Readonly<Record<string, string>>,
  { name, settings: found }: TopicFound,
  does: string,
): readonly Losing[] {
  return Object.entries(right).flatMap(([setting, wanted]) => {
    const value = found.get(setting);
    return value === undefined || value === wanted ? [] : [{ topic: name, setting, found: value, does, wanted }];
  });
}

/** Throws WouldLoseHistory, PartitionsChanged. */
export function requireAsMade(found: TopicFound, partitions: number): void {
  const [first, ...more] = losing(found);
  if (first !== undefined) throw new WouldLoseHistory([first, ...more]);
  if (found.partitions !== partitions) throw new PartitionsChanged(found.name, partitions, found.partitions);
}

export class WouldLoseHistory extends IcecoreError {
  override readonly name = 'WouldLoseHistory';

  constructor(losing: readonly [Losing, ...Losing[]]) {
    const [{ topic, setting, found, does }] = losing;
    const config = losing.map((one) => `${one.setting}=${one.wanted}`).join(',');
    super('unsupported', `topic ${topic} has ${setting}=${found}, ${does}; a ledger keeps all of it`, {
      facts: { topic, losing },
      remedy: `kafka-configs.sh --bootstrap-server HOST:PORT --alter --topic ${topic} --add-config ${config}`,
    });
  }
}

/** With another number of partitions, a stream's later events would lie in another one, and its order be lost. */
export class PartitionsChanged extends IcecoreError {
  override readonly name = 'PartitionsChanged';

  constructor(topic: string, made: number, found: number) {
    super(
      'unsupported',
      `topic ${topic} was made with ${made} partitions and has ${found}: its streams would be torn`,
      {
        facts: { topic, made, found },
        remedy:
          'Partitions cannot be taken away again: make a ledger with as many as you need (?partitions=N) and `icecore copy` to it.',
      },
    );
  }
}
