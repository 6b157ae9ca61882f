// The request that appends one batch to one partition. The library's own takes records, and packs them again each time.
import { type Connection, ProduceAcks, produceV9, Writer } from '@platformatic/kafka';
import type { TopicPartition } from '../transport.ts';

export function sendBatch(
  connection: Connection,
  where: TopicPartition,
  batch: Buffer,
  replicasMs: number,
): Promise<number> {
  const { key, version } = produceV9.api;
  const request = (): Writer => requestOf(where, batch, replicasMs);
  return new Promise((resolve, reject) => {
    connection.send(key, version, request, produceV9.parseResponse, true, true, (error, answer) => {
      const [stored] = answer?.responses[0]?.partitionResponses ?? [];
      if (stored !== undefined) resolve(Number(stored.baseOffset));
      else reject(error ?? new Error('the answer is empty'));
    });
  });
}

function requestOf({ topic, partition }: TopicPartition, batch: Buffer, replicasMs: number): Writer {
  const ofPartition = (writer: Writer): void => {
    writer.appendInt32(partition).appendBytes(batch);
  };
  const ofTopic = (writer: Writer): void => {
    writer.appendString(topic).appendArray([partition], ofPartition);
  };
  const noTransaction = null;
  return Writer.create()
    .appendString(noTransaction)
    .appendInt16(ProduceAcks.ALL)
    .appendInt32(replicasMs)
    .appendArray([topic], ofTopic)
    .appendTaggedFields();
}
