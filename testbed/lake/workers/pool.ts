// Threads with the same job, for more work than one thread can do quickly.
import { mapInOrder, moduleBeside, type Split, Threads } from '../../../src/library/plugins/tools.ts';
import type { LakeConfiguration } from '../configuration.ts';
import { type Batch, batchOf, Filling, type LakeShortage } from '../generator/generate.ts';
import type { Made } from '../generator/maker.ts';
import { type Slot, slotsOf } from '../generator/orders.ts';
import { probeBatch, type SuiteLayout, suiteBatch } from '../generator/suites.ts';
import type { Ahead, Job, Replies } from './jobs.ts';

/** Objects live for one line, so a small young generation is enough. */
const room = { maxYoungGenerationSizeMb: 16 };

export class WorkerPool<Item, Reply> extends Threads<readonly Item[], Replies<Reply>> {
  constructor(job: Job, threads: number) {
    super(moduleBeside('line-thread', import.meta.url), job, threads, room);
  }
}

// Fills the slots of a batch with instances that a pool made ahead: the same instances in the same order as without a pool, but faster.

/** Slots per message: some milliseconds of work for easy instances. */
const slotsInPart = 8;
const partsPerThread = 4;

export async function* fillAhead(
  { orders, wanted }: Batch,
  threads: number,
): AsyncGenerator<Made, readonly LakeShortage[], undefined> {
  const { split, seed } = wanted;
  const filling = new Filling(wanted);
  const pool = new WorkerPool<Slot, Ahead>({ verb: 'make', split, seed }, threads);
  const make = async (slots: readonly Slot[]) => ({ slots, replies: (await pool.do(slots)).replies });
  try {
    for await (const { slots, replies } of mapInOrder(partsOf(slotsOf(orders)), partsPerThread * threads, make)) {
      for (const [i, slot] of slots.entries()) {
        const made = filling.take(slot, replies[i]);
        if (made !== null) yield made;
      }
    }
    return filling.shortages();
  } finally {
    await pool.close(new Error('the batch is complete'));
  }
}

function* partsOf(slots: Iterable<Slot>): Generator<readonly Slot[]> {
  let part: Slot[] = [];
  for (const slot of slots) {
    part.push(slot);
    if (part.length < slotsInPart) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

// A generation request in a form that can be sent to a thread.

export type GenerateRequest =
  | {
      readonly kind: 'configuration';
      readonly configuration: LakeConfiguration;
      readonly count: number;
      readonly split: Split;
      readonly seed: string;
    }
  | {
      readonly kind: 'probe';
      readonly agents: number;
      readonly perKind: number;
      readonly split: Split;
      readonly seed: string;
    }
  | { readonly kind: 'suite'; readonly suite: SuiteLayout };

export function batchFor(request: GenerateRequest): Batch {
  switch (request.kind) {
    case 'configuration':
      return batchOf(request.configuration, request.count, request);
    case 'probe':
      return probeBatch(request.agents, request.perKind, request);
    case 'suite':
      return suiteBatch(request.suite);
  }
}

/** The requested number of instances. */
export function countOf(request: GenerateRequest): number {
  return batchFor(request).orders.reduce((sum, { count }) => sum + count, 0);
}

/** Instances are numbered after this name. */
export function nameOf(request: GenerateRequest): string {
  return request.kind === 'suite' ? request.suite.name : request.split;
}
