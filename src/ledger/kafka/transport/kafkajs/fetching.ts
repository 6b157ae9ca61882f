// Reads partitions from any offset. Brokers answer in whole batches, with those of aborted transactions among them.

import {
  batchesIn,
  type Found,
  type FoundBatch,
  isAbort,
  isControl,
  isTransactional,
  recordsOf,
} from '../batch/decode.ts';
import { OffsetsGone } from '../errors.ts';
import type { Fetched, FetchOptions, FoundRecord } from '../transport.ts';
import type { Cluster } from './cluster.ts';
import { codes, faultOf } from './faults.ts';
import { type AbortedTransaction, type FetchAnswer, fetchExchange } from './fetch-exchange.ts';
import { unlessAborted } from './unless-aborted.ts';

export async function fetchRecords(
  cluster: Cluster,
  found: Found,
  from: number,
  options: FetchOptions,
): Promise<Fetched> {
  const { signal } = options;
  const answer = cluster.patiently(async () => {
    signal?.throwIfAborted();
    return await fetchOnce(cluster, found, from, options);
  });
  // The connection of a request that is no longer waited for is used again when its answer has come.
  return await (signal === undefined ? answer : unlessAborted(answer, signal));
}

async function fetchOnce(cluster: Cluster, found: Found, from: number, options: FetchOptions): Promise<Fetched> {
  const { topic, partition } = found;
  const asked = fetchExchange(found, from, options, cluster.connections.answerMs);
  const answer = await cluster.askLeader(topic, partition, asked);
  if (answer.errorCode === codes.offsetOutOfRange) throw new OffsetsGone(topic, partition, from);
  if (answer.errorCode !== codes.none) {
    cluster.forget(topic);
    throw faultOf(answer.errorCode, topic, `${topic}/${partition} from ${from}`);
  }
  return await fetchedFrom(answer, found, from);
}

async function fetchedFrom(answer: FetchAnswer, found: Found, from: number): Promise<Fetched> {
  const isUndone = undoneAmong(answer.aborted);
  const records: FoundRecord[] = [];
  let next = from;
  for (const batch of batchesIn(answer.bytes, found)) {
    next = Math.max(next, batch.lastOffset + 1);
    if (isUndone(batch)) continue;
    for (const record of await recordsOf(batch, found)) if (record.offset >= from) records.push(record);
  }
  return { records, next, end: Math.max(next, answer.end) };
}

/**
 * Tells of each batch in turn whether it is to be left out: a mark of transactions, or part of one that was aborted. A
 * transaction is over with its mark, and the same producer may begin another behind it.
 */
function undoneAmong(aborted: readonly AbortedTransaction[]): (batch: FoundBatch) => boolean {
  const ahead = aborted.toSorted((one, other) => one.firstOffset - other.firstOffset);
  const running = new Set<bigint>();
  return (batch) => {
    while (ahead[0] !== undefined && ahead[0].firstOffset <= batch.lastOffset) {
      running.add(ahead[0].producerId);
      ahead.shift();
    }
    if (!isControl(batch)) return isTransactional(batch) && running.has(batch.producerId);
    if (isAbort(batch)) running.delete(batch.producerId);
    return true;
  };
}
