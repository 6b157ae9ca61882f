// A thread of a crew: does what is handed to it, several things at a time.
import { parentPort, workerData } from 'node:worker_threads';
import { type Answered, Clerk, type Duty, Making } from './jobs.ts';

const member = of(workerData as Duty);

parentPort?.on('message', (items: readonly never[]) => parentPort?.postMessage(member.answer(items)));

function of(duty: Duty): { answer(items: readonly never[]): Answered<unknown> } {
  return duty.verb === 'make' ? new Making(duty) : new Clerk(duty);
}
