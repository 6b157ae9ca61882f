// Reads partitions from any offset. Brokers answer in whole batches, with those of aborted transactions among them, of which
// the library's own consumer lets some through: of several transactions of one producer all but the last, and one whose
// mark is not in the same answer.
import type { Connection } from '@platformatic/kafka';
import { batchesIn, type FoundBatch, isAbort, isControl, isTransactional, recordsOf } from '../batch/decode.ts';
import { OffsetsGone } from '../errors.ts';
import type { Fetched, FetchOptions, FoundRecord } from '../transport.ts';
import type { Cluster } from './cluster.ts';
import { faultIn, meaningOf } from './faults.ts';
import { type AbortedTransaction, askForRecords, type FetchAnswer, type Wanted } from './fetch-request.ts';

export async function fetchRecords(cluster: Cluster, wanted: Wanted, options: FetchOptions): Promise<Fetched> {
  options.signal?.throwIfAborted();
  const answer = cluster.patiently(async () => {
    options.signal?.throwIfAborted();
    return await fetchedFrom(await fetchOnce(cluster, wanted, options), wanted);
  });
  return await unlessAborted(answer, options.signal);
}

async function fetchOnce(cluster: Cluster, wanted: Wanted, options: FetchOptions): Promise<FetchAnswer> {
  const { topic, partition, from } = wanted;
  const send = (connection: Connection): Promise<FetchAnswer> => askForRecords(connection, wanted, options);
  try {
    return await cluster.askLeader(topic, partition, send, options.maxWaitMs + cluster.connections.answerMs);
  } catch (error) {
    if (faultIn(error)?.name === 'OFFSET_OUT_OF_RANGE') throw new OffsetsGone(topic, partition, from);
    throw meaningOf(error, `${topic}/${partition} from ${from}`, topic);
  }
}

async function fetchedFrom({ aborted, bytes, end }: FetchAnswer, wanted: Wanted): Promise<Fetched> {
  const isUndone = undoneAmong(aborted);
  const records: FoundRecord[] = [];
  let next = wanted.from;
  for (const batch of batchesIn(bytes, wanted)) {
    next = Math.max(next, batch.lastOffset + 1);
    if (isUndone(batch)) continue;
    for (const record of await recordsOf(batch, wanted)) if (record.offset >= wanted.from) records.push(record);
  }
  return { records, next, end: Math.max(next, end) };
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

/** The request itself goes on: its connection is used again when the answer has come. */
function unlessAborted<Result>(result: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return result;
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([result, promise]).finally(() => signal.removeEventListener('abort', abort));
}
