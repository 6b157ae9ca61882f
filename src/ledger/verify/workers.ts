// Runs the examination of pieces: in a pool of threads, each with its own connections, or in this thread for a ledger so small
// that starting others would take longer.
import { setImmediate } from 'node:timers/promises';
import { IcecoreError } from '../../../schemas/errors.ts';
import { mapInOrder } from '../../base/in-order.ts';
import { moduleBeside, Threads } from '../../base/threads.ts';
import type { Job, Outcome } from './scan.ts';
import type { Answer, ScanSetup } from './scan-worker.ts';

export interface Workers {
  /** The number of concurrent jobs. */
  readonly ahead: number;
  do(job: Job): Promise<Outcome>;
  close(): Promise<void>;
}

/**
 * Objects of a thread live for one page of events. A bound on the heap, far above the need of a piece, prevents V8 from
 * accumulating garbage as long as the machine has memory.
 */
const room = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 256 };

export function workerPool(setup: ScanSetup, count: number): Workers {
  const threads = new Threads<Job, Answer>(moduleBeside('scan-worker', import.meta.url), setup, count, room);
  return {
    ahead: 2 * count,
    async do(job) {
      const answer = await threads.do(job);
      if ('outcome' in answer) return answer.outcome;
      const { kind, message, ...more } = answer.refusal;
      throw new IcecoreError(kind, message, more);
    },
    close: () => threads.close(new Error('verification is over')),
  };
}

/** Runs all jobs; the outcomes come in the order of the jobs. */
export function runInOrder(
  workers: Workers,
  jobs: AsyncIterable<Job>,
): AsyncGenerator<readonly [job: Job, outcome: Outcome]> {
  return mapInOrder(jobs, workers.ahead, async (job) => {
    const outcome = await workers.do(job);
    // Lets a stop signal be processed even if nothing had to be awaited.
    await setImmediate();
    return [job, outcome] as const;
  });
}
