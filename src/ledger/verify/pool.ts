// Several threads that look at pieces of the ledger, each with connections of its own. Pieces are handed out as threads
// come free; what came of them is given back in the order of the pieces, and only so many are under way at once.
import { IcecoreError } from '../../../schemas/errors.ts';
import { sibling } from '../../base/sibling.ts';
import { Threads } from '../../base/threads.ts';
import type { Crew } from './crew.ts';
import type { Job, Outcome } from './jobs.ts';
import type { Answer, ScanSetup } from './scan-worker.ts';

/**
 * What a thread makes lives for one page of events. A bound on the rest, far above what a piece takes, keeps V8 from letting
 * garbage lie as long as the machine has room for it.
 */
const room = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 256 };

export class Pool implements Crew {
  readonly #threads: Threads<Job, Answer>;

  constructor(setup: ScanSetup, threads: number) {
    this.#threads = new Threads(sibling('scan-worker', import.meta.url), setup, threads, room);
  }

  async *run(jobs: AsyncIterable<Job>): AsyncGenerator<readonly [Job, Outcome]> {
    const underWay: { readonly job: Job; readonly outcome: Promise<Outcome> }[] = [];
    for await (const job of jobs) {
      const outcome = this.do(job);
      // Whoever awaits it later meets the fault; until then it is no unhandled one.
      outcome.catch(() => {});
      underWay.push({ job, outcome });
      if (underWay.length < 2 * this.#threads.count) continue;
      const first = underWay.shift();
      if (first !== undefined) yield [first.job, await first.outcome];
    }
    for (const { job, outcome } of underWay) yield [job, await outcome];
  }

  /** As soon as a thread is free. */
  async do(job: Job): Promise<Outcome> {
    const answer = await this.#threads.do(job);
    if ('outcome' in answer) return answer.outcome;
    const { kind, message, ...told } = answer.refusal;
    throw new IcecoreError(kind, message, told);
  }

  async close(): Promise<void> {
    await this.#threads.close(new Error('verification is over'));
  }
}
