// A thread that has a batch made, so that the one that asked for it stays free to be asked to stop. It goes only so far
// ahead of whoever takes what is made.
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { type Batch, fill, type LakeShortage } from '../generator/generate.ts';
import type { Made } from '../generator/maker.ts';
import { lineOf } from '../line.ts';
import { batchFor, fillAhead, type GenerateRequest, nameOf } from './pool.ts';

export interface GeneratorOrder {
  readonly request: GenerateRequest;
  /** Threads that make instances. */
  readonly jobs: number;
}

/** What it says: lines, time and again, and in the end what could not be met. */
export type GeneratorMessage = { readonly lines: readonly string[] } | { readonly shortages: readonly LakeShortage[] };

/** Lines are told after so many, or so many milliseconds. */
const mostLines = 64;
const longestSilence = 20;

const { request, jobs } = workerData as GeneratorOrder;
const batch: Batch = batchFor(request);
const instances = jobs === 1 ? fill(batch) : fillAhead(batch, jobs);
const name = nameOf(request);

let taken: Promise<unknown> = Promise.resolve();
let lines: string[] = [];
let told = performance.now();
for (let index = 0; ; index++) {
  const next = await instances.next();
  if (next.done === true) {
    await tell({ lines });
    await tell({ shortages: next.value });
    break;
  }
  lines.push(lineFor(next.value, `${name}-${index}`));
  if (lines.length < mostLines && performance.now() - told < longestSilence) continue;
  await tell({ lines });
  lines = [];
  told = performance.now();
}

function lineFor({ instance, digest, cost, kind }: Made, id: string): string {
  return JSON.stringify({ ...lineOf({ ...instance, id }), digest, cost, needsWait: kind.needsWait });
}

/** Waits until what was told before is taken. */
async function tell(news: GeneratorMessage): Promise<void> {
  if (parentPort === null) return;
  await taken;
  taken = once(parentPort, 'message');
  parentPort.postMessage(news);
}
