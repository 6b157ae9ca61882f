// The worker thread of bulk appends: it hashes and inserts the events that the main thread has prepared, while that prepares the
// next ones. It has its own connection.
import { parentPort, workerData } from 'node:worker_threads';
import { retry } from './access.ts';
import { type Answer, type Order, toFailure, unpack } from './bulk-messages.ts';
import { connectWriter, type Identity } from './connection.ts';
import { Writing } from './writing.ts';

const identity = workerData as Identity;

let writing: Writing | null = null;
/** False from the order to begin until the append is answered; the rest of an append that failed is skipped. */
let isAnswered = true;
let waiting = new AbortController();
let work: Promise<void> = Promise.resolve();

parentPort?.on('message', (order: Order) => {
  if (order.kind === 'begin') waiting = new AbortController();
  if (order.kind === 'stop') return waiting.abort();
  const { signal } = waiting;
  work = work.then(() => obey(order, signal));
});

async function obey(order: Exclude<Order, { kind: 'stop' }>, signal: AbortSignal): Promise<void> {
  if (order.kind === 'begin') isAnswered = false;
  if (isAnswered) return;
  try {
    writing ??= new Writing(await connectWriter(identity), identity);
    const writer = writing;
    if (order.kind === 'begin') await retry(identity.path, () => writer.begin(order.stream), signal);
    else if (order.kind === 'events') writer.add(unpack(order.packed), 'any');
    else if (order.kind === 'commit') answer({ kind: 'written', written: writer.commit() });
    else {
      writer.rollBack();
      answer({ kind: 'aborted' });
    }
  } catch (error) {
    answer(error === signal.reason ? { kind: 'aborted' } : { kind: 'failed', failure: toFailure(error) });
  }
}

function answer(message: Answer): void {
  isAnswered = true;
  parentPort?.postMessage(message);
}
