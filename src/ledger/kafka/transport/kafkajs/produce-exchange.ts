// The request that appends one batch to one partition, and its answer.
import { Encoder, type Exchange } from './parts.ts';

export interface ProduceAnswer {
  readonly errorCode: number;
  readonly baseOffset: number;
}

const apiKey = 0;
/** The first that may carry zstd. */
const apiVersion = 7;
const byAllInSync = -1;
const one = 1;

export function produceExchange(
  topic: string,
  partition: number,
  batch: Buffer,
  answerMs: number,
): Exchange<ProduceAnswer> {
  const encode = async (): Promise<Encoder> =>
    new Encoder(batch.length + 512)
      .writeString(null)
      .writeInt16(byAllInSync)
      .writeInt32(answerMs)
      .writeInt32(one)
      .writeString(topic)
      .writeInt32(one)
      .writeInt32(partition)
      .writeInt32(batch.length)
      .writeBuffer(batch);
  return {
    request: { apiKey, apiVersion, apiName: 'Produce', encode },
    response: { decode: async (raw) => answerIn(raw), parse: async (answer) => answer },
    // The broker's own time for its replicas, and one for the way.
    requestTimeout: 2 * answerMs,
  };
}

function answerIn(raw: Buffer): ProduceAnswer {
  // The number of topics, the topic's name, the number of partitions, the partition.
  const at = 4 + 2 + raw.readInt16BE(4) + 4 + 4;
  return { errorCode: raw.readInt16BE(at), baseOffset: Number(raw.readBigInt64BE(at + 2)) };
}
