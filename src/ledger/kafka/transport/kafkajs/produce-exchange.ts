// The request that appends one batch to one partition, and its answer: the offset of the first record.
import type { TopicPartition } from '../transport.ts';
import { requireNone } from './faults.ts';
import { Encoder, type Exchange } from './parts.ts';

const apiKey = 0;
/** The first that may carry zstd. */
const apiVersion = 7;
const byAllInSync = -1;
const one = 1;

export function produceExchange(
  { topic, partition }: TopicPartition,
  batch: Buffer,
  replicasMs: number,
): Exchange<number> {
  const encode = async (): Promise<Encoder> =>
    new Encoder(batch.length + 512)
      .writeString(null)
      .writeInt16(byAllInSync)
      .writeInt32(replicasMs)
      .writeInt32(one)
      .writeString(topic)
      .writeInt32(one)
      .writeInt32(partition)
      .writeInt32(batch.length)
      .writeBuffer(batch);
  return {
    request: { apiKey, apiVersion, apiName: 'Produce', encode },
    response: { decode: async (raw) => answerIn(raw), parse: async (answer) => answer },
  };
}

function answerIn(raw: Buffer): number {
  // The number of topics, the topic's name, the number of partitions, the partition.
  const at = 4 + 2 + raw.readInt16BE(4) + 4 + 4;
  requireNone(raw.readInt16BE(at));
  return Number(raw.readBigInt64BE(at + 2));
}
