// Looks at pieces in this very thread: for a ledger so small that starting others would take longer.
import { setImmediate } from 'node:timers/promises';
import type { Blobs } from '../blobs/blobs.ts';
import type { Crew } from './crew.ts';
import type { Job, Outcome } from './jobs.ts';
import type { Scan } from './scan.ts';

export class Here implements Crew {
  readonly #scan: Scan;
  readonly #blobs: Blobs | null;

  constructor(scan: Scan, blobs: Blobs | null) {
    this.#scan = scan;
    this.#blobs = blobs;
  }

  do(job: Job): Promise<Outcome> {
    return this.#scan.look(job);
  }

  async *run(jobs: AsyncIterable<Job>): AsyncGenerator<readonly [Job, Outcome]> {
    for await (const job of jobs) {
      yield [job, await this.do(job)];
      // So that somebody who wants it to stop is heard.
      await setImmediate();
    }
  }

  async close(): Promise<void> {
    await this.#blobs?.close();
  }
}
