// The transport on @platformatic/kafka: its connections and its protocol, without its producer and consumer.
import type {
  Fetched,
  FetchOptions,
  Membership,
  OutgoingRecord,
  PartitionEnds,
  TopicFound,
  TopicWanted,
  Transport,
  TransportOptions,
} from '../transport.ts';
import { Appender } from './appending.ts';
import { Cluster } from './cluster.ts';
import { endsOf } from './ends.ts';
import { fetchRecords } from './fetching.ts';
import { GroupMember } from './membership.ts';
import { createTopics, describeTopics, removeTopics } from './topics.ts';

export class PlatformaticTransport implements Transport {
  readonly client = 'platformatic';
  readonly #options: TransportOptions;
  readonly #cluster: Cluster;
  readonly #appenders = new Map<string, Appender>();
  readonly #members: GroupMember[] = [];

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#cluster = new Cluster(options);
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
    const { brokers, compression } = this.#options;
    const appender = this.#appenders.get(name) ?? new Appender(this.#cluster, topic, partition, brokers);
    this.#appenders.set(name, appender);
    return appender.append(records, compression);
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
