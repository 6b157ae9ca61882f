// What others may do to the same topics, with kafkajs's own producer and admin.
import { type Admin, CompressionTypes, Kafka, logLevel, type Message, type Producer, type Transaction } from 'kafkajs';

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
  deleteBefore(topic: string, offset: number): Promise<void> {
    return this.#asAdmin(async (admin) => {
      // Deleting does not find out by itself who leads the partition.
      await admin.fetchTopicOffsets(topic);
      await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: `${offset}` }] });
    });
  }

  /** How many members a group has, as its coordinator counts them. */
  countMembers(group: string): Promise<number> {
    return this.#asAdmin(async (admin) => {
      const { groups } = await admin.describeGroups([group]);
      return groups.flatMap(({ members }) => members).length;
    });
  }

  async close(): Promise<void> {
    for (const producer of this.#producers.splice(0)) await producer.disconnect();
  }

  async #asAdmin<Result>(use: (admin: Admin) => Promise<Result>): Promise<Result> {
    const admin = this.#kafka.admin();
    await admin.connect();
    try {
      return await use(admin);
    } finally {
      await admin.disconnect();
    }
  }

  async #producer(producer: Producer): Promise<Producer> {
    this.#producers.push(producer);
    await producer.connect();
    return producer;
  }
}
