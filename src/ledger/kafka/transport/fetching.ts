// Reads partitions from any offset. Brokers answer in whole batches, with those of aborted transactions among them, of which
// a client library may let some through.

import { unlessAborted } from '../../remote/unless-aborted.ts';
import { batchesIn, codecOf, type FoundBatch, isAbort, isControl, isTransactional, recordsOf } from './batch/decode.ts';
import type { AbortedTransaction, FetchAnswer, Wanted } from './client.ts';
import type { Cluster } from './cluster.ts';
import { OffsetsGone } from './errors.ts';
import { BrokerFault, codes, meaningOf } from './faults.ts';
import type { Fetched, FetchOptions, FoundRecord, UnreadableBatch } from './transport.ts';

export async function fetchRecords<Connection>(
  cluster: Cluster<Connection>,
  wanted: Wanted,
  options: FetchOptions,
): Promise<Fetched> {
  options.signal?.throwIfAborted();
  const answer = cluster.patiently(async () => {
    options.signal?.throwIfAborted();
    return await fetchedFrom(await fetchOnce(cluster, wanted, options), wanted);
  });
  // The connection of a request that is no longer waited for is used again when its answer has come.
  return await unlessAborted(answer, options.signal);
}

async function fetchOnce<Connection>(
  cluster: Cluster<Connection>,
  wanted: Wanted,
  options: FetchOptions,
): Promise<FetchAnswer> {
  const { topic, partition, from } = wanted;
  const { client, connections } = cluster;
  const send = (connection: Connection): Promise<FetchAnswer> => client.requests.fetch(connection, wanted, options);
  try {
    return await cluster.askLeader(topic, partition, send, options.maxWaitMs + connections.answerMs);
  } catch (error) {
    const isGone = error instanceof BrokerFault && error.code === codes.offsetOutOfRange;
    throw isGone
      ? new OffsetsGone(topic, partition, from)
      : meaningOf(error, `${topic}/${partition} from ${from}`, topic);
  }
}

async function fetchedFrom({ aborted, bytes, end, written }: FetchAnswer, wanted: Wanted): Promise<Fetched> {
  const isUndone = undoneAmong(aborted);
  const records: FoundRecord[] = [];
  const unreadable: UnreadableBatch[] = [];
  let next = wanted.from;
  for (const batch of batchesIn(bytes, wanted)) {
    next = Math.max(next, batch.lastOffset + 1);
    if (isUndone(batch)) continue;
    const found = await recordsOf(batch, wanted);
    if (found === null) unreadable.push(unreadableFrom(batch, wanted.from));
    else for (const record of found) if (record.offset >= wanted.from) records.push(record);
  }
  return { records, unreadable, next, end: Math.max(next, end), written: Math.max(next, written) };
}

function unreadableFrom(batch: FoundBatch, from: number): UnreadableBatch {
  const first = Math.max(batch.firstOffset, from);
  return { first, count: batch.lastOffset + 1 - first, why: `its batch is compressed with ${codecOf(batch)}` };
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
