// The generator: from a configuration and a seed to instances, one after the other, and in the end what could not be met.
import type { LakeConfiguration } from '../configuration.ts';
import { Filling, type Wanted } from './filling.ts';
import type { Kind, Order } from './kind.ts';
import type { Made } from './maker.ts';
import { ordersOf, slotsOf } from './orders.ts';
import type { LakeShortage } from './shortage.ts';

export type Instances = Generator<Made, readonly LakeShortage[], undefined>;

/** What is to be made. */
export interface Batch {
  readonly orders: readonly Order[];
  readonly wanted: Wanted;
}

export function generate(configuration: LakeConfiguration, count: number, wanted: Wanted): Instances {
  return fill(batchOf(configuration, count, wanted));
}

/**
 * Training may meet an instance twice, and gets as many as it asks for: those that differ in waiting stand in. In other
 * splits each instance is the only one of its class, and there are fewer where there are no more of a kind.
 */
export function batchOf(configuration: LakeConfiguration, count: number, wanted: Wanted): Batch {
  const orders = ordersOf(configuration, count);
  return { orders, wanted: wanted.split === 'train' ? { standIns: withOtherWaiting, ...wanted } : wanted };
}

function withOtherWaiting(kind: Kind): Kind[] {
  return [{ ...kind, needsWait: !kind.needsWait }];
}

export function* fill({ orders, wanted }: Batch): Instances {
  const filling = new Filling(wanted);
  for (const slot of slotsOf(orders)) {
    const made = filling.take(slot);
    if (made !== null) yield made;
  }
  return filling.shortages();
}
