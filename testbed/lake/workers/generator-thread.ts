// A thread that generates a batch, so that the main thread can react to signals. It stays only a limited number of lines ahead of the
// consumer.
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { type Batch, fill, type LakeShortage } from '../generator/generate.ts';
import type { Made } from '../generator/maker.ts';
import { lineOf } from '../line.ts';
import { batchFor, fillAhead, type GenerateRequest, nameOf } from './pool.ts';

export interface GeneratorOrder {
  readonly request: GenerateRequest;
  /** Number of threads that make instances. */
  readonly jobs: number;
}

/** Its messages: lines repeatedly, and finally the shortages. */
export type GeneratorMessage = { readonly lines: readonly string[] } | { readonly shortages: readonly LakeShortage[] };

/** Lines are sent after this number, or after this time in milliseconds. */
const maxLines = 64;
const longestSilence = 20;

const { request, jobs } = workerData as GeneratorOrder;
const batch: Batch = batchFor(request);
const instances = jobs === 1 ? fill(batch) : fillAhead(batch, jobs);
const name = nameOf(request);

let taken: Promise<unknown> = Promise.resolve();
let lines: string[] = [];
let sentAt = performance.now();
for (let index = 0; ; index++) {
  const next = await instances.next();
  if (next.done === true) {
    await tell({ lines });
    await tell({ shortages: next.value });
    break;
  }
  lines.push(lineFor(next.value, `${name}-${index}`));
  if (lines.length < maxLines && performance.now() - sentAt < longestSilence) continue;
  await tell({ lines });
  lines = [];
  sentAt = performance.now();
}

function lineFor({ instance, digest, cost, kind }: Made, id: string): string {
  return JSON.stringify({ ...lineOf({ ...instance, id }), digest, cost, needsWait: kind.needsWait });
}

/** Waits until earlier messages are taken. */
async function tell(news: GeneratorMessage): Promise<void> {
  if (parentPort === null) return;
  await taken;
  taken = once(parentPort, 'message');
  parentPort.postMessage(news);
}
