// A thread in which a clerk answers lines, several at a time as they are handed to it.
import { parentPort, workerData } from 'node:worker_threads';
import { Clerk } from './clerk.ts';
import type { Duty } from './duty.ts';

const clerk = new Clerk(workerData as Duty);

parentPort?.on('message', (lines: readonly string[]) => parentPort?.postMessage(clerk.answer(lines)));
