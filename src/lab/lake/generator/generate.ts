// The generator: from a configuration and a seed to instances, one after the other, and in the end what could not be met.
import type { Split } from '../../environments/environment.ts';
import type { LakeConfiguration } from '../configuration.ts';
import { type Kind, kindName, type Order } from './kind.ts';
import { type Made, Maker } from './maker.ts';
import { ordersOf, type Slot, slotsOf } from './orders.ts';
import { type LakeShortage, Shortages } from './shortage.ts';

export interface Wanted {
  readonly split: Split;
  readonly seed: string;
}

/** Training may meet an instance twice; elsewhere each is the only one of its class. */
export function* generate(
  configuration: LakeConfiguration,
  count: number,
  wanted: Wanted,
): Generator<Made, readonly LakeShortage[], undefined> {
  return yield* fill(ordersOf(configuration, count), wanted);
}

export function* fill(
  orders: readonly Order[],
  { seed, split }: Wanted,
): Generator<Made, readonly LakeShortage[], undefined> {
  const maker = new Maker(seed, split);
  const shortages = new Shortages();
  /** Kinds of which there are no more. */
  const exhausted = new Set<string>();
  const taken = split === 'train' ? undefined : new Set<string>();
  const make = (slot: Slot): Made | null => {
    const name = kindName(slot.kind);
    if (exhausted.has(name)) return null;
    const made = maker.make(slot, taken);
    if (made === null) exhausted.add(name);
    return made;
  };
  for (const slot of slotsOf(orders)) {
    const made = make(slot);
    // A trainer gets as many as it asked for: those that differ in waiting stand in. An evaluation gets what it means.
    const instead = made === null && taken === undefined ? make({ ...slot, kind: otherwise(slot.kind) }) : null;
    const filled = made ?? instead;
    shortages.count(slot.kind, made !== null ? 'met' : instead !== null ? 'replaced' : 'empty');
    if (filled === null) continue;
    taken?.add(filled.symmetryDigest);
    yield filled;
  }
  return shortages.list();
}

function otherwise(kind: Kind): Kind {
  return { ...kind, needsWait: !kind.needsWait };
}
