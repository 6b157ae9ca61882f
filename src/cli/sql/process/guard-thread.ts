// The thread of the guard. It sleeps between two looks, for longer where no question runs.
import { workerData } from 'node:worker_threads';
import { endIfOver, type Guarded, guardedEveryMs } from './guard.ts';

const idleMs = 500;

const guarded = workerData as Guarded;
for (;;) {
  endIfOver(guarded);
  const state = Atomics.load(guarded.isBusy, 0);
  Atomics.wait(guarded.isBusy, 0, state, state === 1 ? guardedEveryMs : idleMs);
}
