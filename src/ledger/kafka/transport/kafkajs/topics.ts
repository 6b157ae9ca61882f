// Topics: what they are, made and removed, and where their partitions begin and end.
import type { PartitionEnds, TopicFound, TopicWanted } from '../transport.ts';
import type { Cluster, PartitionMetadata, TopicMetadata } from './cluster.ts';
import { exchange } from './parts.ts';
import { codes, faultOf, Stumble } from './stumble.ts';

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
    try {
      return await Promise.all(partitions.map((partition) => endsOfPartition(cluster, topic, partition)));
    } catch (error) {
      cluster.forget(topic);
      throw error;
    }
  });
}

async function endsOfPartition(
  cluster: Cluster,
  topic: string,
  { partitionId: partition }: PartitionMetadata,
): Promise<PartitionEnds> {
  const offsetAt = async (timestamp: number): Promise<number> => {
    const topics = [{ topic, partitions: [{ partition, timestamp }] }];
    const asked = { replicaId: noReplica, isolationLevel: readCommitted, topics };
    const { responses } = await cluster.askLeader(topic, partition, exchange<Offsets>('ListOffsets', 3, asked));
    const found = responses[0]?.partitions[0];
    if (found === undefined) throw new Stumble(`no ends of ${topic}/${partition}`, { maybeDone: false });
    if (found.errorCode !== codes.none) throw faultOf(found.errorCode, topic, `${topic}/${partition}`);
    return Number(found.offset);
  };
  return { partition, start: await offsetAt(earliest), end: await offsetAt(latest) };
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
