// Waiting for a lock without blocking the process: try, and while somebody else holds it, try again a random moment
// later. SQLite's own busy timeout would stall the event loop and starve writers.
import { setTimeout as sleep } from 'node:timers/promises';
import { LedgerBusy } from '../errors.ts';
import { isBusy } from './faults.ts';

/** Nobody holds a healthy ledger for so long. */
const patienceMs = 60_000;

/**
 * The longest pause between two tries. It shrinks as the wait grows, so that who has waited longest asks most often:
 * that is what keeps many writers fair.
 */
const longestPauseMs = 12;

/** Runs `attempt` until it does not meet a lock. */
export async function patiently<Result>(path: string, attempt: () => Result, signal?: AbortSignal): Promise<Result> {
  signal?.throwIfAborted();
  const started = performance.now();
  for (;;) {
    let pause: number;
    try {
      return attempt();
    } catch (error) {
      pause = pauseAfter(error, path, started);
    }
    await sleep(pause, undefined, signal === undefined ? {} : { signal }).catch(() => signal?.throwIfAborted());
  }
}

/** The same for a thread of its own, which may block. */
export function patientlyBlocking<Result>(path: string, attempt: () => Result): Result {
  const started = performance.now();
  const nobodyWakes = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    let pause: number;
    try {
      return attempt();
    } catch (error) {
      pause = pauseAfter(error, path, started);
    }
    Atomics.wait(nobodyWakes, 0, 0, pause);
  }
}

/** How long to rest before the next try, in milliseconds. Throws when another try makes no sense. */
function pauseAfter(error: unknown, path: string, started: number): number {
  if (!isBusy(error)) throw error;
  const waited = performance.now() - started;
  if (waited > patienceMs) throw new LedgerBusy(path, Math.round(waited / 1000));
  return Math.random() * Math.max(1, longestPauseMs / (1 + waited / 50));
}
