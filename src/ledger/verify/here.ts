// Looks at pieces in this very thread: for a ledger so small that starting others would take longer.
import type { Crew } from './crew.ts';
import type { Job, Outcome } from './jobs.ts';
import type { Scan } from './scan.ts';

export class Here implements Crew {
  readonly #scan: Scan;

  constructor(scan: Scan) {
    this.#scan = scan;
  }

  do(job: Job): Promise<Outcome> {
    return this.#scan.look(job);
  }

  async *run(jobs: AsyncIterable<Job>): AsyncGenerator<readonly [Job, Outcome]> {
    for await (const job of jobs) yield [job, await this.do(job)];
  }

  async close(): Promise<void> {}
}
