// Topics: what they are, made and removed, and where their partitions begin and end.

import { Stumble } from '../stumble.ts';
import type { PartitionEnds, TopicFound, TopicWanted } from '../transport.ts';
import type { Cluster, PartitionMetadata, TopicMetadata } from './cluster.ts';
import { codes, faultOf } from './faults.ts';
import { exchange } from './parts.ts';

interface Configs {
  readonly resources: readonly {
    readonly errorCode: number;
    readonly resourceName: string;
    readonly configEntries: readonly { readonly configName: string; readonly configValue: string | null }[];
  }[];
}

interface TopicErrors {
  readonly topicErrors: readonly {
    readonly topic: string;
    readonly errorCode: number;
    readonly errorMessage?: string;
  }[];
}

interface Offsets {
  readonly responses: readonly {
    readonly partitions: readonly { readonly partition: number; readonly errorCode: number; readonly offset: string }[];
  }[];
}

const answerMs = 30_000;
const topicResource = 2;
const readCommitted = 1;
const noReplica = -1;
const earliest = -2;
const latest = -1;

export function describeTopics(cluster: Cluster, topics: readonly string[]): Promise<readonly (TopicFound | null)[]> {
  if (topics.length === 0) return Promise.resolve([]);
  return cluster.patiently(async () => {
    const found = new Map((await cluster.metadata(topics)).map((each) => [each.topic, each]));
    const there = topics.filter((topic) => isThere(found.get(topic), topic));
    const settings = await settingsOf(cluster, there);
    return topics.map((topic) => topicFound(found.get(topic), settings.get(topic)));
  });
}

/** Waits until each partition has a leader. */
export async function createTopics(cluster: Cluster, wanted: readonly TopicWanted[]): Promise<void> {
  if (wanted.length === 0) return;
  const names = wanted.map(({ name }) => name);
  const topics = wanted.map(({ name, partitions, replicas, settings }) => ({
    topic: name,
    numPartitions: partitions,
    replicationFactor: replicas,
    configEntries: Object.entries(settings).map(([setting, value]) => ({ name: setting, value })),
  }));
  await cluster.patiently(async () => {
    await cluster.metadata(names);
    const asked = exchange<TopicErrors>('CreateTopics', 3, { topics, validateOnly: false, timeout: answerMs });
    requireDone(await cluster.askController(asked), codes.topicAlreadyExists);
  });
  await cluster.patiently(async () => {
    for (const topic of await cluster.metadata(names)) requireLed(topic);
  });
}

/** Waits until the brokers no longer know them. */
export async function removeTopics(cluster: Cluster, topics: readonly string[]): Promise<void> {
  if (topics.length === 0) return;
  await cluster.patiently(async () => {
    await cluster.metadata(topics);
    const asked = exchange<TopicErrors>('DeleteTopics', 1, { topics, timeout: answerMs });
    requireDone(await cluster.askController(asked), codes.unknownTopicOrPartition);
  });
  await cluster.patiently(async () => {
    const left = (await cluster.metadata(topics)).find(({ topicErrorCode }) => topicErrorCode === codes.none);
    if (left !== undefined) throw new Stumble(`${left.topic} is still there`, { maybeDone: true });
  });
  for (const topic of topics) cluster.forget(topic);
}

export function endsOf(cluster: Cluster, topic: string): Promise<readonly PartitionEnds[]> {
  return cluster.patiently(async () => {
    const partitions = await cluster.partitions(topic);
    const led = [...Map.groupBy(partitions, ({ leader }) => leader).values()];
    try {
      const ends = await Promise.all(led.map((each) => endsOfLed(cluster, topic, each)));
      return ends.flat().sort((one, other) => one.partition - other.partition);
    } catch (error) {
      cluster.forget(topic);
      throw error;
    }
  });
}

/** Of partitions that have the same leader. */
async function endsOfLed(
  cluster: Cluster,
  topic: string,
  partitions: readonly PartitionMetadata[],
): Promise<PartitionEnds[]> {
  const numbers = partitions.map(({ partitionId }) => partitionId);
  const [starts, ends] = await Promise.all([
    offsetsAt(cluster, topic, numbers, earliest),
    offsetsAt(cluster, topic, numbers, latest),
  ]);
  return numbers.map((partition) => ({ partition, start: starts.get(partition) ?? 0, end: ends.get(partition) ?? 0 }));
}

async function offsetsAt(
  cluster: Cluster,
  topic: string,
  partitions: readonly number[],
  timestamp: number,
): Promise<ReadonlyMap<number, number>> {
  const topics = [{ topic, partitions: partitions.map((partition) => ({ partition, timestamp })) }];
  const asked = { replicaId: noReplica, isolationLevel: readCommitted, topics };
  const answer = await cluster.askLeader(topic, partitions[0] ?? 0, exchange<Offsets>('ListOffsets', 3, asked));
  const found = answer.responses.flatMap((response) => response.partitions);
  for (const { errorCode, partition } of found)
    if (errorCode !== codes.none) throw faultOf(errorCode, topic, `${topic}/${partition}`);
  return new Map(found.map(({ partition, offset }) => [partition, Number(offset)]));
}

async function settingsOf(cluster: Cluster, topics: readonly string[]): Promise<Map<string, Map<string, string>>> {
  if (topics.length === 0) return new Map();
  const resources = topics.map((name) => ({ type: topicResource, name }));
  const answer = await cluster.askAny(exchange<Configs>('DescribeConfigs', 2, { resources }));
  return new Map(
    answer.resources.map(({ errorCode, resourceName, configEntries }) => {
      if (errorCode !== codes.none) throw faultOf(errorCode, resourceName, `the settings of ${resourceName}`);
      const entries = configEntries.map(({ configName, configValue }) => [configName, configValue ?? ''] as const);
      return [resourceName, new Map(entries)];
    }),
  );
}

function isThere(found: TopicMetadata | undefined, topic: string): found is TopicMetadata {
  if (found === undefined || found.topicErrorCode === codes.unknownTopicOrPartition) return false;
  if (found.topicErrorCode !== codes.none) throw faultOf(found.topicErrorCode, topic, topic);
  return true;
}

function topicFound(
  found: TopicMetadata | undefined,
  settings: ReadonlyMap<string, string> | undefined,
): TopicFound | null {
  if (found === undefined || settings === undefined) return null;
  const { topic: name, partitionMetadata } = found;
  const replicas = Math.min(...partitionMetadata.map((partition) => partition.replicas.length));
  return { name, partitions: partitionMetadata.length, replicas, settings };
}

function requireDone({ topicErrors }: TopicErrors, doneAlready: number): void {
  for (const { topic, errorCode, errorMessage } of topicErrors)
    if (errorCode !== codes.none && errorCode !== doneAlready)
      throw faultOf(errorCode, topic, [topic, errorMessage].filter(Boolean).join(': '));
}

function requireLed({ topic, topicErrorCode, partitionMetadata }: TopicMetadata): void {
  const isLed = partitionMetadata.every(({ leader, partitionErrorCode }) => leader >= 0 && partitionErrorCode === 0);
  if (topicErrorCode !== codes.none || !isLed) throw new Stumble(`${topic} has no leaders yet`, { maybeDone: true });
}
