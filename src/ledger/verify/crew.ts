// Who looks at the pieces of a ledger.
import type { Job, Outcome } from './jobs.ts';

export interface Crew {
  /** Does all jobs; the outcomes come in the order of the jobs. */
  run(jobs: AsyncIterable<Job>): AsyncIterable<readonly [Job, Outcome]>;
  do(job: Job): Promise<Outcome>;
  close(): Promise<void>;
}
