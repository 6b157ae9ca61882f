// The transport, whichever client library it goes over.
import { Appender } from './appending.ts';
import type { Client } from './client.ts';
import { Cluster } from './cluster.ts';
import { endsOf } from './ends.ts';
import { fetchRecords } from './fetching.ts';
import { GroupMember } from './membership.ts';
import { createTopics, describeTopics, removeTopics } from './topics.ts';
import type {
  Compression,
  Fetched,
  FetchOptions,
  Membership,
  OutgoingRecord,
  PartitionEnds,
  TopicFound,
  TopicWanted,
  Transport,
  TransportOptions,
} from './transport.ts';

export class TransportOverClient<Connection> implements Transport {
  readonly client: Transport['client'];
  readonly #compression: Compression;
  readonly #cluster: Cluster<Connection>;
  readonly #appenders = new Map<string, Appender<Connection>>();
  readonly #members: GroupMember<Connection>[] = [];

  constructor(client: Client<Connection>, options: TransportOptions) {
    this.client = client.name;
    this.#compression = options.compression;
    this.#cluster = new Cluster(client, options);
  }

  describe(topics: readonly string[]): Promise<readonly (TopicFound | null)[]> {
    return describeTopics(this.#cluster, topics);
  }

  create(topics: readonly TopicWanted[]): Promise<void> {
    return createTopics(this.#cluster, topics);
  }

  remove(topics: readonly string[]): Promise<void> {
    return removeTopics(this.#cluster, topics);
  }

  ends(topic: string): Promise<readonly PartitionEnds[]> {
    return endsOf(this.#cluster, topic);
  }

  fetch(topic: string, partition: number, from: number, options: FetchOptions): Promise<Fetched> {
    return fetchRecords(this.#cluster, { topic, partition, from }, options);
  }

  produce(topic: string, partition: number, records: readonly OutgoingRecord[]): Promise<number> {
    const name = `${topic}/${partition}`;
    const appender = this.#appenders.get(name) ?? new Appender(this.#cluster, { topic, partition });
    this.#appenders.set(name, appender);
    return appender.append(records, this.#compression);
  }

  async join(group: string, topics: readonly string[]): Promise<Membership> {
    const member = await GroupMember.join(this.#cluster, group, topics);
    this.#members.push(member);
    return member;
  }

  async close(): Promise<void> {
    await Promise.all(this.#members.map((member) => member.leave()));
    this.#cluster.connections.close();
  }
}
