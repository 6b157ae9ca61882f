// Shared by the event stores of this comparison: appends rollouts from a file in batches. Only appending is timed, not reading the file; each
// batch is durable when its append returns.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { NewEvent } from '../../schemas/envelope.ts';

const ways = { batches: 1000, single: 1 } as const;

/** In batches, or one by one. */
export type Way = keyof typeof ways;

export interface Recorded {
  readonly tool: string;
  readonly version: string;
  readonly events: number;
  readonly seconds: number;
  readonly perSecond: number;
  /** What is durable when a call returns. */
  readonly note: string;
}

/** The arguments of a child process that records: WAY ROLLOUTS.ndjson COUNT FOLDER. */
export interface Task {
  readonly way: Way;
  readonly file: string;
  readonly count: number;
  readonly folder: string;
}

export function taskFrom([way, file, count, folder]: readonly string[]): Task {
  if ((way !== 'batches' && way !== 'single') || file === undefined || folder === undefined) {
    throw new Error('Expected: batches|single ROLLOUTS.ndjson COUNT FOLDER');
  }
  return { way, file, count: Number(count), folder };
}

export async function recordWith(
  { way, file, count }: Task,
  { tool, version }: { readonly tool: string; readonly version: string },
  append: (events: readonly NewEvent[]) => Promise<unknown>,
): Promise<Recorded> {
  let events = 0;
  let milliseconds = 0;
  for await (const batch of batches(file, count, ways[way])) {
    const start = performance.now();
    await append(batch);
    milliseconds += performance.now() - start;
    events += batch.length;
  }
  const seconds = Math.round(milliseconds) / 1000;
  const perSecond = Math.round((events / milliseconds) * 10_000) / 10;
  return { tool, version, events, seconds, perSecond, note: 'durable when each append returns' };
}

async function* batches(file: string, count: number, size: number): AsyncGenerator<NewEvent[]> {
  const batch: NewEvent[] = [];
  let read = 0;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    batch.push(JSON.parse(line));
    read += 1;
    if (batch.length === size || read === count) yield batch.splice(0);
    if (read === count) return;
  }
  if (batch.length > 0) yield batch;
}
