// Which brokers there are, and which of them leads a partition.
import { KafkaAway } from '../errors.ts';
import { patiently, Waits } from '../patience.ts';
import { Stumble } from '../stumble.ts';
import type { TransportOptions } from '../transport.ts';
import { Connections } from './connections.ts';
import { codes, faultOf } from './faults.ts';
import { type Exchange, exchange } from './parts.ts';

export interface TopicMetadata {
  readonly topicErrorCode: number;
  readonly topic: string;
  readonly partitionMetadata: readonly PartitionMetadata[];
}

export interface PartitionMetadata {
  readonly partitionErrorCode: number;
  readonly partitionId: number;
  /** -1: none at present. */
  readonly leader: number;
  readonly replicas: readonly number[];
}

interface Metadata {
  readonly brokers: readonly { readonly nodeId: number; readonly host: string; readonly port: number }[];
  readonly controllerId: number;
  readonly topicMetadata: readonly TopicMetadata[];
}

export class Cluster {
  readonly connections: Connections;
  readonly #options: TransportOptions;
  readonly #waits: Waits;
  readonly #topics = new Map<string, Promise<readonly PartitionMetadata[]>>();
  #addresses: ReadonlyMap<number, string> = new Map();
  #controller = -1;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#waits = new Waits(options.onAway);
    this.connections = new Connections(options);
  }

  /** Tries until the patience is over, which `givenUp` puts into words. */
  patiently<Result>(attempt: () => Promise<Result>, givenUp?: (last: Stumble) => Error): Promise<Result> {
    const away = (last: Stumble): Error => new KafkaAway(this.#options.brokers, last.message, last.cause);
    const patience = { ms: this.#options.patienceMs, waits: this.#waits, signal: this.connections.closing };
    return patiently(patience, attempt, givenUp ?? away);
  }

  /** As the brokers know it now, topics that are not there with the error that says so. */
  async metadata(topics: readonly string[]): Promise<readonly TopicMetadata[]> {
    const asked = exchange<Metadata>('Metadata', 6, { topics, allowAutoTopicCreation: false });
    const { brokers, controllerId, topicMetadata } = await this.askAny(asked);
    this.#addresses = new Map(brokers.map(({ nodeId, host, port }) => [nodeId, `${host}:${port}`]));
    this.#controller = controllerId;
    return topicMetadata;
  }

  /**
   * Asks one broker after the other until one answers, those that are known by now first: for questions, which may be
   * asked twice.
   */
  async askAny<Answer>(asked: Exchange<Answer>): Promise<Answer> {
    const addresses = new Set([...shuffled([...this.#addresses.values()]), ...shuffled(this.#options.brokers)]);
    let last = new Stumble('no broker is known', { maybeDone: false });
    for (const address of addresses) {
      try {
        return await this.connections.ask(address, asked);
      } catch (error) {
        if (!(error instanceof Stumble)) throw error;
        last = new Stumble(error.message, { maybeDone: false, cause: error });
      }
    }
    throw last;
  }

  /** Asks the broker that makes and removes topics. */
  askController<Answer>(asked: Exchange<Answer>): Promise<Answer> {
    const address = this.#addresses.get(this.#controller);
    return address === undefined ? this.askAny(asked) : this.connections.ask(address, asked);
  }

  /** Of all partitions of a topic, by their numbers. */
  partitions(topic: string): Promise<readonly PartitionMetadata[]> {
    const known = this.#topics.get(topic);
    if (known !== undefined) return known;
    const asked = this.#partitionsNow(topic);
    this.#topics.set(topic, asked);
    asked.catch(() => this.forget(topic));
    return asked;
  }

  /** Asks the leader of a partition. After a stumble, it may be another one. */
  async askLeader<Answer>(topic: string, partition: number, asked: Exchange<Answer>): Promise<Answer> {
    try {
      const { leader = -1 } = (await this.partitions(topic)).find((each) => each.partitionId === partition) ?? {};
      const address = this.#addresses.get(leader);
      if (address === undefined) throw new Stumble(`${topic}/${partition} has no leader`, { maybeDone: false });
      return await this.connections.ask(address, asked);
    } catch (error) {
      this.forget(topic);
      throw error;
    }
  }

  /** Asks again who leads its partitions before the next request. */
  forget(topic: string): void {
    this.#topics.delete(topic);
  }

  async #partitionsNow(topic: string): Promise<readonly PartitionMetadata[]> {
    const [found] = await this.metadata([topic]);
    if (found === undefined) throw new Stumble(`no broker tells of the topic ${topic}`, { maybeDone: false });
    if (found.topicErrorCode !== codes.none) throw faultOf(found.topicErrorCode, topic, topic);
    return found.partitionMetadata.toSorted((one, other) => one.partitionId - other.partitionId);
  }
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);
}
