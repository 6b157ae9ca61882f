// The worker thread of bulk appends: it hashes and inserts the events that the main thread has prepared, while that prepares the
// next ones. It has its own connection and blocks while it waits for orders.
import { type MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { PreparedEvent } from '../event.ts';
import { isBusy, retryBlocking } from './access.ts';
import { type Answer, giveUp, type Order, toFailure, unpack } from './bulk-messages.ts';
import { connectWriter, type Identity } from './connection.ts';
import { Writing, type Written } from './writing.ts';

export interface WorkerSetup {
  readonly identity: Identity;
  readonly orders: MessagePort;
  readonly answers: MessagePort;
  /** First, the number of orders sent, on which this thread can sleep; then, whether to give up. */
  readonly shared: Int32Array<SharedArrayBuffer>;
}

const { identity, orders, answers, shared } = workerData as WorkerSetup;
const { path } = identity;

class Aborted extends Error {}

/** Whether all orders of the current append were taken, so that they cannot be mistaken for those of the next. */
let ended = true;

let writing: Writing | null = null;

async function obey(stream: string): Promise<Answer> {
  ended = false;
  try {
    writing ??= new Writing(await connectWriter(identity), identity);
    const opened = writing;
    return { kind: 'written', written: retryBlocking(path, () => tryOnce(opened, stream)) };
  } catch (error) {
    skipTheRest();
    return error instanceof Aborted ? { kind: 'aborted' } : { kind: 'failed', failure: toFailure(error) };
  }
}

/** Events can be taken only once, so a lock may be waited for only before the first of them. */
function tryOnce(opened: Writing, stream: string): Written {
  if (Atomics.load(shared, giveUp) !== 0) throw new Aborted();
  let taken = false;
  function* batches(): Generator<readonly PreparedEvent[]> {
    taken = true;
    yield* batchesUntilTheEnd();
  }
  try {
    return opened.append(stream, batches(), 'any');
  } catch (error) {
    if (taken && isBusy(error)) throw new Error('the database was locked in the middle of an append', { cause: error });
    throw error;
  }
}

function* batchesUntilTheEnd(): Generator<readonly PreparedEvent[]> {
  for (;;) {
    const order = nextOrder();
    if (order.kind === 'events') {
      yield unpack(order.packed);
      continue;
    }
    ended = true;
    if (order.kind === 'abort') throw new Aborted();
    return;
  }
}

function skipTheRest(): void {
  while (!ended) {
    const { kind } = nextOrder();
    ended = kind === 'commit' || kind === 'abort';
  }
}

function nextOrder(): Order {
  for (;;) {
    const seen = Atomics.load(shared, 0);
    const received = receiveMessageOnPort(orders) as { message: Order } | undefined;
    if (received !== undefined) return received.message;
    Atomics.wait(shared, 0, seen);
  }
}

for (;;) {
  const order = nextOrder();
  if (order.kind === 'begin') answers.postMessage(await obey(order.stream));
}
