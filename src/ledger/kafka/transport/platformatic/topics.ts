// Topics: what they are, and how they are made and removed.
import { createTopicsV7, deleteTopicsV6, describeConfigsV4 } from '@platformatic/kafka';
import { Stumble } from '../stumble.ts';
import type { TopicFound, TopicWanted } from '../transport.ts';
import { type Cluster, metadata } from './cluster.ts';
import { answerTo } from './faults.ts';

const ofTopics = 2;

export function describeTopics(cluster: Cluster, names: readonly string[]): Promise<readonly (TopicFound | null)[]> {
  return cluster.patiently(async () => {
    const found = await cluster.topics(names);
    const settings = await settingsOf(
      cluster,
      found.map(({ name }) => name ?? ''),
    );
    return names.map((name) => {
      const topic = found.find((one) => one.name === name);
      if (topic === undefined) return null;
      const replicas = Math.min(...topic.partitions.map(({ replicaNodes }) => replicaNodes.length));
      return { name, partitions: topic.partitions.length, replicas, settings: settings.get(name) ?? new Map() };
    });
  });
}

export function createTopics(cluster: Cluster, wanted: readonly TopicWanted[]): Promise<void> {
  const names = wanted.map(({ name }) => name);
  return cluster.patiently(async () => {
    const found = await cluster.topics(names);
    const missing = wanted.filter(({ name }) => found.every((one) => one.name !== name));
    if (missing.length > 0) await make(cluster, missing);
    await requireKnown(cluster, names);
  });
}

export function removeTopics(cluster: Cluster, names: readonly string[]): Promise<void> {
  return cluster.patiently(async () => {
    for (const name of names) cluster.forget(name);
    const found = await cluster.topics(names);
    if (found.length === 0) return;
    const topics = found.map((topic) => ({ name: topic.name ?? '' }));
    const { answerMs } = cluster.connections;
    const said = topics.map(({ name }) => name).join(', ');
    await answerTo(
      `remove ${said}`,
      cluster.askController((connection) => deleteTopicsV6.api.async(connection, topics, answerMs)),
    );
    throw new Stumble(`${said} are being removed`, { maybeDone: true });
  });
}

async function settingsOf(
  cluster: Cluster,
  names: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  if (names.length === 0) return new Map();
  const resources = names.map((resourceName) => ({ resourceType: ofTopics, resourceName }) as const);
  const { results } = await answerTo(
    `the settings of ${names.join(', ')}`,
    cluster.askAny((connection) => describeConfigsV4.api.async(connection, resources, false, false)),
  );
  return new Map(results.map(({ resourceName, configs }) => [resourceName, valuesOf(configs)]));
}

/** Without those that are kept secret. */
function valuesOf(configs: readonly describeConfigsV4.DescribeConfigsResponseConfig[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const { name, value } of configs) if (value != null) values.set(name, value);
  return values;
}

async function make(cluster: Cluster, wanted: readonly TopicWanted[]): Promise<void> {
  const topics = wanted.map(({ name, partitions, replicas, settings }) => ({
    name,
    numPartitions: partitions,
    replicationFactor: replicas,
    assignments: [],
    configs: Object.entries(settings).map(([setting, value]) => ({ name: setting, value })),
  }));
  const { answerMs } = cluster.connections;
  await answerTo(
    `make ${wanted.map(({ name }) => name).join(', ')}`,
    cluster.askController((connection) => createTopicsV7.api.async(connection, topics, answerMs, false)),
  );
}

/** A topic can be written to when every broker that is there knows who leads its partitions. */
async function requireKnown(cluster: Cluster, names: readonly string[]): Promise<void> {
  for (const broker of cluster.brokers) {
    const answer = cluster.connections.ask(broker, (connection) => metadata(connection, names));
    const { topics } = await answer.catch((error) => {
      if (error instanceof Stumble) return { topics: [] };
      throw error;
    });
    const lacking = topics.find(({ errorCode, partitions }) => {
      return errorCode !== 0 || partitions.length === 0 || partitions.some(({ leaderId }) => leaderId < 0);
    });
    if (lacking !== undefined) throw new Stumble(`${lacking.name} is being made`, { maybeDone: true });
  }
}
