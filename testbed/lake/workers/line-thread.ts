// A thread of a pool: processes several items at a time.
import { parentPort, workerData } from 'node:worker_threads';
import { type Job, LineProcessor, Making, type Replies } from './jobs.ts';

const member = of(workerData as Job);

parentPort?.on('message', (items: readonly never[]) => parentPort?.postMessage(member.answer(items)));

function of(job: Job): { answer(items: readonly never[]): Replies<unknown> } {
  return job.verb === 'make' ? new Making(job) : new LineProcessor(job);
}
