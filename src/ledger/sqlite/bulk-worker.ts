// The thread that writes bulk appends: it hashes and inserts what the main thread has prepared so far, while that
// prepares the next. It has a connection of its own and waits for orders by blocking.
import { DatabaseSync } from 'node:sqlite';
import { type MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { PreparedEvent } from '../prepare.ts';
import { type Answer, type Order, toFailure, unpack } from './bulk-messages.ts';
import { writerSettings } from './layout.ts';
import { patientlyBlocking } from './patience.ts';
import { Writing } from './writing.ts';

export interface WorkerSetup {
  readonly path: string;
  readonly orders: MessagePort;
  readonly answers: MessagePort;
  /** Counts the orders sent, so that this thread can sleep until there is one. */
  readonly sent: Int32Array<SharedArrayBuffer>;
}

const { path, orders, answers, sent } = workerData as WorkerSetup;

class Aborted extends Error {}

/** Whether all orders of the append under way have been taken: those of the next must not be taken for them. */
let ended = true;

const db = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: false, defensive: true });
patientlyBlocking(path, () => db.exec(writerSettings));
const writing = patientlyBlocking(path, () => new Writing(db, path));

function obey(stream: string): Answer {
  ended = false;
  const batches = batchesUntilTheEnd();
  try {
    return { kind: 'written', written: patientlyBlocking(path, () => writing.append(stream, batches, 'any')) };
  } catch (error) {
    if (error instanceof Aborted) return { kind: 'aborted' };
    skipTheRest();
    return { kind: 'failed', failure: toFailure(error) };
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
    const seen = Atomics.load(sent, 0);
    const received = receiveMessageOnPort(orders) as { message: Order } | undefined;
    if (received !== undefined) return received.message;
    Atomics.wait(sent, 0, seen);
  }
}

for (;;) {
  const order = nextOrder();
  if (order.kind === 'begin') answers.postMessage(obey(order.stream));
}
