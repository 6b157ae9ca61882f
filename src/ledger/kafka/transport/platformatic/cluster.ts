// Which brokers there are, and which of them leads a partition.
import { type Connection, metadataV12, ResponseError } from '@platformatic/kafka';
import { KafkaAway } from '../errors.ts';
import { patiently, Waits } from '../patience.ts';
import { Stumble, TopicUnheardOf } from '../stumble.ts';
import type { TransportOptions } from '../transport.ts';
import { Connections } from './connections.ts';
import { meaningOf } from './faults.ts';

/** A request, made on the connection it is given. */
export type Send<Answer> = (connection: Connection) => Promise<Answer>;

export type Partition = metadataV12.MetadataResponsePartition;
type Topic = metadataV12.MetadataResponseTopic;
type Metadata = metadataV12.MetadataResponse;

/** Codes of topics in the brokers' own numbers. */
const none = 0;
const unknownTopic = 3;

export class Cluster {
  readonly connections: Connections;
  readonly #options: TransportOptions;
  readonly #waits: Waits;
  readonly #topics = new Map<string, Promise<readonly Partition[]>>();
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

  /** As the brokers know them now; those that are not there are left out. */
  async topics(names: readonly string[]): Promise<readonly Topic[]> {
    const { brokers, controllerId, topics } = await this.askAny((connection) => metadata(connection, names));
    this.#addresses = new Map(brokers.map(({ nodeId, host, port }) => [nodeId, `${host}:${port}`]));
    this.#controller = controllerId;
    return topics.filter(({ errorCode }) => errorCode !== unknownTopic);
  }

  /** The addresses of all brokers that are known by now. */
  get brokers(): Iterable<string> {
    return this.#addresses.values();
  }

  /** Asks one broker after the other until one answers, those that are known by now first. Nothing is done by asking. */
  async askAny<Answer>(send: Send<Answer>): Promise<Answer> {
    const addresses = new Set([...shuffled([...this.#addresses.values()]), ...shuffled(this.#options.brokers)]);
    let said = 'none is named';
    let cause: unknown;
    for (const address of addresses) {
      try {
        return await this.connections.ask(address, send);
      } catch (error) {
        if (!(error instanceof Stumble)) throw error;
        [said, cause] = [error.message, error];
      }
    }
    throw new Stumble(said, { maybeDone: false, cause });
  }

  /** Asks the broker that makes and removes topics. */
  askController<Answer>(send: Send<Answer>): Promise<Answer> {
    const address = this.#addresses.get(this.#controller);
    return address === undefined ? this.askAny(send) : this.connections.ask(address, send);
  }

  /** Of all partitions of a topic, in their order. Throws TopicUnheardOf. */
  partitions(topic: string): Promise<readonly Partition[]> {
    const known = this.#topics.get(topic);
    if (known !== undefined) return known;
    const asked = this.#partitionsNow(topic);
    this.#topics.set(topic, asked);
    asked.catch(() => this.forget(topic));
    return asked;
  }

  /** The address of the broker that leads a partition. */
  async leader(topic: string, partition: number): Promise<string> {
    const { leaderId } = (await this.partitions(topic))[partition] ?? { leaderId: -1 };
    const address = this.#addresses.get(leaderId);
    if (address !== undefined) return address;
    this.forget(topic);
    throw new Stumble(`${topic}/${partition} has no leader`, { maybeDone: false });
  }

  /** Asks the leader of a partition. After a stumble, it may be another one. */
  async askLeader<Answer>(topic: string, partition: number, send: Send<Answer>, answerMs?: number): Promise<Answer> {
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

  async #partitionsNow(topic: string): Promise<readonly Partition[]> {
    const [found] = await this.topics([topic]);
    if (found === undefined) throw new TopicUnheardOf(topic);
    return found.partitions.toSorted((one, other) => one.partitionIndex - other.partitionIndex);
  }
}

/** The library throws the whole answer away when one topic in it is not there, or one partition has no leader. */
export async function metadata(connection: Connection, names: readonly string[]): Promise<Metadata> {
  try {
    return await metadataV12.api.async(connection, [...names]);
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    const answer: Metadata = error['response'];
    if (answer.topics.every(({ errorCode }) => errorCode === none || errorCode === unknownTopic)) return answer;
    throw meaningOf(error, names.join(', '));
  }
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);
}
