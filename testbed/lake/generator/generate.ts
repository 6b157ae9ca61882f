// The generator: from a configuration and a seed to instances, one after the other, and in the end what could not be met.

import type { Split } from '../../../src/library/plugins/tools.ts';
import type { LakeConfiguration } from '../configuration.ts';
import { type Made, Maker, mostDraws } from './maker.ts';
import { type Kind, kindName, type Order, ordersOf, type Slot, slotsOf, whyNone } from './orders.ts';

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

// Fills slots one after the other: none with an instance that another has, where each may come only once, and none of a
// kind of which there are no more. What a slot is filled with can be made ahead, by anybody and in any order.

export interface Wanted {
  readonly split: Split;
  readonly seed: string;
  /** Kinds to take instead of one of which there are no more, the best first. */
  readonly standIns?: (kind: Kind) => readonly Kind[];
}

export class Filling {
  readonly #maker: Maker;
  readonly #standIns: (kind: Kind) => readonly Kind[];
  readonly #shortages: Shortages;
  /** Kinds of which there are no more. */
  readonly #exhausted = new Set<string>();
  /** Symmetry digests; undefined where an instance may come twice. */
  readonly #taken: Set<string> | undefined;

  constructor({ split, seed, standIns = () => [] }: Wanted) {
    this.#maker = new Maker(seed, split);
    this.#standIns = standIns;
    this.#shortages = new Shortages(split);
    this.#taken = split === 'train' ? undefined : new Set();
  }

  /**
   * Slots are to be handed in in their order. `first` is what a Maker of the same seed and split makes for the slot when
   * nothing is taken, where that was done ahead. Null where the slot stays empty.
   */
  take(slot: Slot, first?: Made | null): Made | null {
    let made = this.#make(slot, first);
    if (made === null) {
      for (const kind of this.#standIns(slot.kind)) made ??= this.#make({ ...slot, kind, standsIn: true });
    }
    this.#shortages.count(slot.kind, made);
    if (made !== null) this.#taken?.add(made.symmetryDigest);
    return made;
  }

  /** Of all slots so far. */
  shortages(): readonly LakeShortage[] {
    return this.#shortages.list();
  }

  #make(slot: Slot, first?: Made | null): Made | null {
    const name = kindName(slot.kind);
    if (this.#exhausted.has(name)) return null;
    const isGood = first !== undefined && (first === null || this.#taken?.has(first.symmetryDigest) !== true);
    const made = isGood ? first : this.#maker.make(slot, this.#taken);
    if (made === null) this.#exhausted.add(name);
    return made;
  }
}

// What could not be met, kind by kind: never silently fewer.

export interface LakeShortage {
  readonly kind: Kind;
  readonly asked: number;
  readonly achieved: number;
  /** How many of another kind stand in for it. */
  readonly replaced: number;
  readonly says: string;
}

export class Shortages {
  readonly #split: Split;
  readonly #tallies = new Map<string, { readonly kind: Kind; asked: number; achieved: number; replaced: number }>();

  constructor(split: Split) {
    this.#split = split;
  }

  /** For a slot of this kind, this was made. */
  count(kind: Kind, made: Made | null): void {
    const name = kindName(kind);
    const tally = this.#tallies.get(name) ?? { kind, asked: 0, achieved: 0, replaced: 0 };
    this.#tallies.set(name, tally);
    tally.asked++;
    if (made === null) return;
    if (kindName(made.kind) === name) tally.achieved++;
    else tally.replaced++;
  }

  list(): LakeShortage[] {
    return [...this.#tallies.values()]
      .filter(({ asked, achieved }) => achieved < asked)
      .map((tally) => ({ ...tally, says: words(tally, mostDraws(this.#split)) }));
  }
}

function words({ kind, achieved, replaced }: Omit<LakeShortage, 'says'>, draws: number): string {
  const found = `${achieved > 0 ? 'no further one' : 'none'} was found in ${draws.toLocaleString('en')} draws`;
  const why = whyNone(kind) ?? found;
  return replaced === 0 ? why : `${why}; ${replaced} of another kind ${replaced === 1 ? 'stands' : 'stand'} in`;
}
