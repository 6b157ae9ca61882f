// Topics: what they are, and how they are made and removed.

import { Stumble } from '../../remote/stumble.ts';
import type { Cluster } from './cluster.ts';
import { answerTo, BrokerFault, codes, meaningOf } from './faults.ts';
import type { TopicFound, TopicWanted } from './transport.ts';

export async function describeTopics<Connection>(
  cluster: Cluster<Connection>,
  names: readonly string[],
): Promise<readonly (TopicFound | null)[]> {
  if (names.length === 0) return [];
  return await cluster.patiently(async () => {
    const found = new Map((await cluster.topics(names)).map((topic) => [topic.name, topic]));
    const settings = await settingsOf(cluster, [...found.keys()]);
    return names.map((name) => {
      const topic = found.get(name);
      if (topic === undefined) return null;
      const replicas = Math.min(...topic.partitions.map((partition) => partition.replicas));
      return { name, partitions: topic.partitions.length, replicas, settings: settings.get(name) ?? new Map() };
    });
  });
}

export async function createTopics<Connection>(
  cluster: Cluster<Connection>,
  wanted: readonly TopicWanted[],
): Promise<void> {
  if (wanted.length === 0) return;
  const names = wanted.map(({ name }) => name);
  await cluster.patiently(async () => {
    const found = new Set((await cluster.topics(names)).map(({ name }) => name));
    const missing = wanted.filter(({ name }) => !found.has(name));
    if (missing.length > 0) await make(cluster, missing);
    await requireKnown(cluster, names);
  });
}

/** Waits until the brokers no longer know them. */
export async function removeTopics<Connection>(cluster: Cluster<Connection>, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await cluster.patiently(async () => {
    for (const name of names) cluster.forget(name);
    const found = (await cluster.topics(names)).map(({ name }) => name);
    if (found.length === 0) return;
    const { client, connections } = cluster;
    const said = found.join(', ');
    await answerTo(
      `remove ${said}`,
      cluster.askController((connection) => client.requests.remove(connection, found, connections.answerMs)),
    );
    throw new Stumble(`${said} are being removed`, { maybeDone: true });
  });
}

async function settingsOf<Connection>(
  cluster: Cluster<Connection>,
  names: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  if (names.length === 0) return new Map();
  const { requests } = cluster.client;
  return await answerTo(
    `the settings of ${names.join(', ')}`,
    cluster.askAny((connection) => requests.settings(connection, names)),
  );
}

/** What some brokers do not know is left out for all topics where one refuses it. */
async function make<Connection>(cluster: Cluster<Connection>, wanted: readonly TopicWanted[]): Promise<void> {
  const all = wanted.map(({ wished = {}, ...topic }) => ({ ...topic, settings: { ...topic.settings, ...wished } }));
  const what = `make ${wanted.map(({ name }) => name).join(', ')}`;
  try {
    await ask(cluster, all);
  } catch (error) {
    const isUnknown = error instanceof BrokerFault && error.code === codes.invalidConfig;
    if (!isUnknown) throw meaningOf(error, what);
    await answerTo(what, ask(cluster, wanted));
  }
}

async function ask<Connection>(cluster: Cluster<Connection>, wanted: readonly TopicWanted[]): Promise<void> {
  const { client, connections } = cluster;
  await cluster.askController((connection) => client.requests.create(connection, wanted, connections.answerMs));
}

/** A topic can be written to when every broker that is there knows who leads its partitions. */
async function requireKnown<Connection>(cluster: Cluster<Connection>, names: readonly string[]): Promise<void> {
  const { client, connections } = cluster;
  for (const broker of cluster.brokers) {
    const answer = connections.ask(broker, (connection) => client.requests.metadata(connection, names));
    const { topics } = await answer.catch((error) => {
      if (error instanceof Stumble) return { topics: [] };
      throw error;
    });
    const lacking = topics.find(({ code, partitions }) => {
      return code !== codes.none || partitions.length === 0 || partitions.some(({ leader }) => leader < 0);
    });
    if (lacking !== undefined) throw new Stumble(`${lacking.name} is being made`, { maybeDone: true });
  }
}
