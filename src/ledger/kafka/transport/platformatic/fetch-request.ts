// The request for records of one partition, and its answer, whose batches are left as they came: the library unpacks them
// on the spot, by a slower way, and the whole answer fails with one batch that it cannot read.
import { type Connection, fetchV12, type Reader, ResponseError, type Writer } from '@platformatic/kafka';
import type { FetchAnswer, Wanted } from '../client.ts';
import type { FetchOptions } from '../transport.ts';

/** Each request stands alone: the broker keeps nothing of it for the next. */
const noSession = 0;
const lastEpoch = -1;
const unknownEpoch = -1;
const readCommitted = 1;

export function askForRecords(connection: Connection, wanted: Wanted, options: FetchOptions): Promise<FetchAnswer> {
  const { key, version } = fetchV12.api;
  const request = (): Writer => requestFor(wanted, options);
  return new Promise((resolve, reject) => {
    connection.send(key, version, request, answerIn, true, true, (error, answer) => {
      if (answer !== undefined) resolve(answer);
      else reject(error);
    });
  });
}

function requestFor({ topic, partition, from }: Wanted, { maxBytes, maxWaitMs }: FetchOptions): Writer {
  const asked = {
    partition,
    currentLeaderEpoch: unknownEpoch,
    fetchOffset: BigInt(from),
    lastFetchedEpoch: unknownEpoch,
    partitionMaxBytes: maxBytes,
  };
  const topics = [{ topicId: topic, partitions: [asked] }];
  return fetchV12.createRequest(maxWaitMs, 1, maxBytes, readCommitted, noSession, lastEpoch, topics, [], '');
}

function answerIn(_id: number, key: number, version: number, reader: Reader): FetchAnswer {
  reader.readInt32(); // how long it was held back
  requireNone(reader.readInt16(), key, version);
  reader.readInt32(); // the session
  const answers = reader.readArray((ofTopic) => {
    ofTopic.readString();
    return ofTopic.readArray((ofPartition) => partitionIn(ofPartition, key, version));
  });
  const answer = answers[0]?.[0];
  if (answer === undefined) throw new RangeError('the answer is empty');
  return answer;
}

function partitionIn(reader: Reader, key: number, version: number): FetchAnswer {
  reader.readInt32(); // the partition
  requireNone(reader.readInt16(), key, version);
  const written = Number(reader.readInt64());
  const end = Number(reader.readInt64());
  reader.readInt64(); // the first offset that is still there
  const aborted = reader.readArray((each) => {
    return { producerId: each.readInt64(), firstOffset: Number(each.readInt64()) };
  });
  reader.readInt32(); // which replica to read from
  return { end, written, aborted, bytes: reader.readBytes() };
}

function requireNone(code: number, key: number, version: number): void {
  if (code !== 0) throw new ResponseError(key, version, { '/': [code, null] }, undefined);
}
