// Which brokers there are, and which of them leads a partition.

import { patiently, Waits } from '../../remote/patience.ts';
import { Stumble } from '../../remote/stumble.ts';
import type { Client, PartitionMetadata, TopicMetadata } from './client.ts';
import { Connections, type Send } from './connections.ts';
import { KafkaAway } from './errors.ts';
import { codes, meaningOf } from './faults.ts';
import type { TransportOptions } from './transport.ts';
import { TopicUnheardOf } from './unheard-of.ts';

export class Cluster<Connection> {
  readonly client: Client<Connection>;
  readonly connections: Connections<Connection>;
  readonly #options: TransportOptions;
  readonly #waits: Waits;
  readonly #topics = new Map<string, Promise<readonly PartitionMetadata[]>>();
  #addresses: ReadonlyMap<number, string> = new Map();
  #controller = -1;

  constructor(client: Client<Connection>, options: TransportOptions) {
    this.client = client;
    this.#options = options;
    this.#waits = new Waits(options.onAway);
    this.connections = new Connections(client, options);
  }

  /** Tries until the patience is over, which `givenUp` puts into words. */
  patiently<Result>(attempt: () => Promise<Result>, givenUp?: (last: Stumble) => Error): Promise<Result> {
    const away = (last: Stumble): Error => this.away(last);
    const patience = { ms: this.#options.patienceMs, waits: this.#waits, signal: this.connections.closing };
    return patiently(patience, attempt, givenUp ?? away);
  }

  /** What to say when the patience is over. */
  away({ message, cause }: Stumble): KafkaAway {
    return new KafkaAway(this.#options.brokers, message, cause);
  }

  /** As the brokers know them now; those that are not there are left out. */
  async topics(names: readonly string[]): Promise<readonly TopicMetadata[]> {
    const { requests } = this.client;
    const { brokers, controller, topics } = await this.askAny((connection) => requests.metadata(connection, names));
    this.#addresses = brokers;
    this.#controller = controller;
    const found = topics.filter(({ code }) => code !== codes.unknownTopicOrPartition);
    for (const { name, code } of found) if (code !== codes.none) throw meaningOf(this.client.fault(code), name, name);
    return found;
  }

  /** The addresses of all brokers that are known by now. */
  get brokers(): Iterable<string> {
    return this.#addresses.values();
  }

  /**
   * Asks one broker after the other until one answers, those that are known by now first: for questions, which may be
   * asked twice.
   */
  async askAny<Answer>(send: Send<Connection, Answer>): Promise<Answer> {
    const addresses = new Set([...shuffled([...this.#addresses.values()]), ...shuffled(this.#options.brokers)]);
    let last = new Stumble('no broker is known', { maybeDone: false });
    for (const address of addresses) {
      try {
        return await this.connections.ask(address, send);
      } catch (error) {
        if (!(error instanceof Stumble)) throw error;
        last = new Stumble(error.message, { maybeDone: false, cause: error });
      }
    }
    throw last;
  }

  /** Asks the broker that makes and removes topics. */
  askController<Answer>(send: Send<Connection, Answer>): Promise<Answer> {
    const address = this.#addresses.get(this.#controller);
    return address === undefined ? this.askAny(send) : this.connections.ask(address, send);
  }

  /** Of all partitions of a topic, in their order. Throws TopicUnheardOf. */
  partitions(topic: string): Promise<readonly PartitionMetadata[]> {
    const known = this.#topics.get(topic);
    if (known !== undefined) return known;
    const asked = this.#partitionsNow(topic);
    this.#topics.set(topic, asked);
    asked.catch(() => this.forget(topic));
    return asked;
  }

  /** The address of the broker that leads a partition. */
  async leader(topic: string, partition: number): Promise<string> {
    const { leader } = (await this.partitions(topic))[partition] ?? { leader: -1 };
    const address = this.#addresses.get(leader);
    if (address !== undefined) return address;
    this.forget(topic);
    throw new Stumble(`${topic}/${partition} has no leader`, { maybeDone: false });
  }

  /** Asks the leader of a partition. After a stumble, it may be another one. */
  async askLeader<Answer>(
    topic: string,
    partition: number,
    send: Send<Connection, Answer>,
    answerMs?: number,
  ): Promise<Answer> {
    const address = await this.leader(topic, partition);
    try {
      return await this.connections.ask(address, send, answerMs);
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
    const [found] = await this.topics([topic]);
    if (found === undefined) throw new TopicUnheardOf(topic);
    return found.partitions.toSorted((one, other) => one.partition - other.partition);
  }
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);
}
