// The two Kafka clients by themselves, as their documentation shows them: what a producer sends and a consumer takes in when
// nobody asks what it is.

import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { Consumer, ProduceAcks, Producer, stringSerializers } from '@platformatic/kafka';
import kafkajs from 'kafkajs';
import type { Client } from '../../src/ledger/kafka/place.ts';
import type { OutgoingRecord } from '../../src/ledger/kafka/transport/transport.ts';

const { CompressionCodecs, CompressionTypes, Kafka, logLevel } = kafkajs;

export interface Bare {
  /** As one batch; resolves when it is stored. */
  send(topic: string, partition: number, records: readonly OutgoingRecord[]): Promise<void>;
  /** Takes in so many records of a topic from its beginning. */
  take(topic: string, records: number): Promise<void>;
  close(): Promise<void>;
}

export function bareOf(client: Client, brokers: readonly string[]): Promise<Bare> {
  return client === 'kafkajs' ? bareKafkajs(brokers) : barePlatformatic(brokers);
}

let groups = 0;
const groupId = (): string => `bench-${process.pid}-${groups++}`;

async function bareKafkajs(brokers: readonly string[]): Promise<Bare> {
  CompressionCodecs[CompressionTypes.ZSTD] = () => ({
    compress: async ({ buffer }: { buffer: Buffer }) => zstdCompressSync(buffer),
    decompress: async (buffer: Buffer) => zstdDecompressSync(buffer),
  });
  const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
  await producer.connect();
  return {
    send: async (topic, partition, records) => {
      const messages = records.map(({ key, value, headers, timestamp }) => {
        return { key, value, headers, timestamp: String(timestamp), partition };
      });
      await producer.send({ topic, messages, acks: -1, compression: CompressionTypes.ZSTD });
    },
    take: async (topic, records) => {
      const consumer = kafka.consumer({ groupId: groupId() });
      await consumer.connect();
      await consumer.subscribe({ topic, fromBeginning: true });
      let left = records;
      await new Promise<void>((resolve, reject) => {
        const eachBatch = async ({ batch }: { batch: { messages: readonly unknown[] } }): Promise<void> => {
          left -= batch.messages.length;
          if (left <= 0) resolve();
        };
        consumer.run({ eachBatch, autoCommit: false }).catch(reject);
      });
      await consumer.disconnect();
    },
    close: () => producer.disconnect(),
  };
}

async function barePlatformatic(brokers: readonly string[]): Promise<Bare> {
  const settings = { clientId: 'bench', bootstrapBrokers: [...brokers] };
  const producer = new Producer({
    ...settings,
    idempotent: true,
    acks: ProduceAcks.ALL,
    compression: 'zstd',
    serializers: stringSerializers,
  });
  return {
    send: async (topic, partition, records) => {
      const messages = records.map(({ key, value, headers, timestamp }) => {
        return { topic, partition, key, value, headers, timestamp: BigInt(timestamp) };
      });
      await producer.send({ messages });
    },
    take: async (topic, records) => {
      const consumer = new Consumer({ ...settings, groupId: groupId() });
      const stream = await consumer.consume({ topics: [topic], mode: 'earliest', autocommit: false });
      let left = records;
      for await (const _ of stream) if (--left <= 0) break;
      await consumer.close(true);
    },
    close: () => producer.close(),
  };
}
