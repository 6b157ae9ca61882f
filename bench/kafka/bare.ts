// kafkajs alone, doing the same as icecore: sends one after the other with an idempotent producer, and consumes a topic.
import { randomBytes } from 'node:crypto';
import kafkajs, { type Message } from 'kafkajs';

/** With the same codecs as icecore. */
export class BareKafka {
  readonly #kafka: kafkajs.Kafka;

  constructor(brokers: readonly string[]) {
    this.#kafka = new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING });
  }

  async makeTopic(topic: string): Promise<void> {
    const admin = this.#kafka.admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true });
    await admin.disconnect();
  }

  async producer(topic: string): Promise<{ send(messages: Message[]): Promise<void>; close(): Promise<void> }> {
    const createPartitioner = kafkajs.Partitioners.DefaultPartitioner;
    const producer = this.#kafka.producer({ idempotent: true, maxInFlightRequests: 1, createPartitioner });
    await producer.connect();
    return {
      send: async (messages) => {
        await producer.send({ topic, messages, acks: -1, compression: kafkajs.CompressionTypes.ZSTD });
      },
      close: () => producer.disconnect(),
    };
  }

  /** Reads a topic from its beginning until this number of records has arrived. */
  async consume(topic: string, records: number): Promise<number> {
    const { promise: all, resolve } = Promise.withResolvers<void>();
    const consumer = this.#kafka.consumer({ groupId: `bench-${randomBytes(6).toString('hex')}`, maxWaitTimeInMs: 25 });
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    let seen = 0;
    await consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch }) => {
        seen += batch.messages.length;
        if (seen >= records) resolve();
      },
    });
    await all;
    await consumer.disconnect();
    return seen;
  }
}
