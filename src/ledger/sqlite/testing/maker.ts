// A thread that creates one ledger after another, each at the same moment as all other threads.
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { create } from '../connection.ts';

export interface Making {
  readonly folder: string;
  readonly makers: number;
  /** The number of threads that have reached each ledger. */
  readonly come: Int32Array;
}

const { folder, makers, come } = workerData as Making;

for (let ledger = 0; ledger < come.length; ledger++) {
  meet(ledger);
  await create(join(folder, `${ledger}.db`));
}

function meet(ledger: number): void {
  Atomics.add(come, ledger, 1);
  Atomics.notify(come, ledger);
  for (let there = Atomics.load(come, ledger); there < makers; there = Atomics.load(come, ledger)) {
    Atomics.wait(come, ledger, there);
  }
}
