// Fills the slots of a batch with what a crew made for them ahead of their turn: the same instances in the same order as
// without one, sooner.
import { inOrder } from '../../environments/command/judging.ts';
import { Filling } from '../generator/filling.ts';
import type { Batch } from '../generator/generate.ts';
import type { Made } from '../generator/maker.ts';
import { type Slot, slotsOf } from '../generator/orders.ts';
import type { LakeShortage } from '../generator/shortage.ts';
import { Crew } from './crew.ts';
import type { Ahead } from './making.ts';

/** Handed over at once: some milliseconds of work where instances come easily. */
const slotsInPart = 8;
const partsPerThread = 4;

export async function* fillAhead(
  { orders, wanted }: Batch,
  threads: number,
): AsyncGenerator<Made, readonly LakeShortage[], undefined> {
  const { split, seed } = wanted;
  const filling = new Filling(wanted);
  const crew = new Crew<Slot, Ahead>({ verb: 'make', split, seed }, threads);
  const make = async (slots: readonly Slot[]) => ({ slots, replies: (await crew.do(slots)).replies });
  try {
    for await (const { slots, replies } of inOrder(partsOf(slotsOf(orders)), partsPerThread * threads, make)) {
      for (const [i, slot] of slots.entries()) {
        const made = filling.take(slot, replies[i]);
        if (made !== null) yield made;
      }
    }
    return filling.shortages();
  } finally {
    await crew.close(new Error('nothing more is to be made'));
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
