// What others may do to the same topics, with kafkajs's own producer and admin.
import { CompressionTypes, Kafka, logLevel, type Message, type Producer, type Transaction } from 'kafkajs';

export class RawClient {
  readonly #kafka: Kafka;
  readonly #producers: Producer[] = [];

  constructor(brokers: readonly string[]) {
    this.#kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  }

  async send(topic: string, messages: Message[], compression = CompressionTypes.None): Promise<void> {
    const producer = await this.#producer(this.#kafka.producer({ allowAutoTopicCreation: false }));
    await producer.send({ topic, messages, compression });
  }

  /** A producer of transactions: call it for each. */
  async transactions(id: string): Promise<() => Promise<Transaction>> {
    const settings = { transactionalId: id, idempotent: true, maxInFlightRequests: 1, allowAutoTopicCreation: false };
    const producer = await this.#producer(this.#kafka.producer(settings));
    return () => producer.transaction();
  }

  /** Removes what lies before an offset. */
  async deleteBefore(topic: string, offset: number): Promise<void> {
    const admin = this.#kafka.admin();
    await admin.connect();
    // Deleting does not find out by itself who leads the partition.
    await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: `${offset}` }] });
    await admin.disconnect();
  }

  async close(): Promise<void> {
    for (const producer of this.#producers.splice(0)) await producer.disconnect();
  }

  async #producer(producer: Producer): Promise<Producer> {
    this.#producers.push(producer);
    await producer.connect();
    return producer;
  }
}
