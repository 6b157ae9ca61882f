// The request for records of one partition, and its answer, whose batches are left as they came.
import type { AbortedTransaction, FetchAnswer, Wanted } from '../client.ts';
import type { FetchOptions } from '../transport.ts';
import { requireNone } from './faults.ts';
import { type Exchange, exchange } from './parts.ts';

const readCommitted = 1;
const noReplica = -1;

export function fetchExchange(
  { topic, partition, from }: Wanted,
  { maxBytes, maxWaitMs }: FetchOptions,
): Exchange<FetchAnswer> {
  const partitions = [{ partition, fetchOffset: from, maxBytes }];
  const { request } = exchange('Fetch', 11, {
    replicaId: noReplica,
    maxWaitTime: maxWaitMs,
    minBytes: 1,
    maxBytes,
    isolationLevel: readCommitted,
    topics: [{ topic, partitions }],
  });
  return { request, response: { decode: async (raw) => answerIn(raw), parse: async (answer) => answer } };
}

/** What comes before the one topic: a time to be throttled, the code of the whole, a session, the number of topics. */
const beforeTopic = 4 + 2 + 4 + 4;

function answerIn(raw: Buffer): FetchAnswer {
  requireNone(raw.readInt16BE(4));
  // The topic's name, the number of partitions, the partition.
  let at = beforeTopic + 2 + raw.readInt16BE(beforeTopic) + 4 + 4;
  requireNone(raw.readInt16BE(at));
  // Behind the code.
  const written = Number(raw.readBigInt64BE(at + 2));
  const end = Number(raw.readBigInt64BE(at + 2 + 8));
  // The first offset that is still there comes before the aborted transactions.
  at += 2 + 8 + 8 + 8;
  const aborted = abortedIn(raw, at);
  // Which replica to read from follows them.
  at += 4 + aborted.length * 16 + 4;
  const size = raw.readInt32BE(at);
  return { end, written, aborted, bytes: raw.subarray(at + 4, at + 4 + Math.max(0, size)) };
}

function abortedIn(raw: Buffer, at: number): AbortedTransaction[] {
  return Array.from({ length: Math.max(0, raw.readInt32BE(at)) }, (_, index) => ({
    producerId: raw.readBigInt64BE(at + 4 + index * 16),
    firstOffset: Number(raw.readBigInt64BE(at + 4 + index * 16 + 8)),
  }));
}
