// The generator: yields instances for a configuration and a seed, and finally returns what could not be met.

import type { Split } from '../../../src/library/plugins/tools.ts';
import type { LakeConfiguration } from '../configuration.ts';
import { type Made, Maker, maxDraws } from './maker.ts';
import { type Kind, kindName, type Order, ordersOf, type Slot, slotsOf, whyNone } from './orders.ts';

export type Instances = Generator<Made, readonly LakeShortage[], undefined>;

/** What to generate. */
export interface Batch {
  readonly orders: readonly Order[];
  readonly wanted: BatchOptions;
}

export function generate(configuration: LakeConfiguration, count: number, wanted: BatchOptions): Instances {
  return fill(batchOf(configuration, count, wanted));
}

/**
 * Training may repeat an instance and always gets the requested number: instances that differ in waiting replace missing ones. In other
 * splits each instance is unique in its class, and there are fewer if a kind is exhausted.
 */
export function batchOf(configuration: LakeConfiguration, count: number, wanted: BatchOptions): Batch {
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

// Fills slots in order: without repeats where instances must be unique, and without exhausted kinds. The instance of a slot can be made
// ahead, in any order.

export interface BatchOptions {
  readonly split: Split;
  readonly seed: string;
  /** Kinds to use instead of an exhausted one, in order of preference. */
  readonly standIns?: (kind: Kind) => readonly Kind[];
}

export class Filling {
  readonly #maker: Maker;
  readonly #standIns: (kind: Kind) => readonly Kind[];
  readonly #shortages: Shortages;
  /** Exhausted kinds. */
  readonly #exhausted = new Set<string>();
  /** Symmetry digests; undefined if instances may repeat. */
  readonly #taken: Set<string> | undefined;

  constructor({ split, seed, standIns = () => [] }: BatchOptions) {
    this.#maker = new Maker(seed, split);
    this.#standIns = standIns;
    this.#shortages = new Shortages(split);
    this.#taken = split === 'train' ? undefined : new Set();
  }

  /**
   * Slots must be passed in order. `first` is what a Maker of the same seed and split makes for the slot when nothing is taken, if that was
   * done ahead. Null if the slot stays empty.
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

// Reports what could not be met, kind by kind: there are never silently fewer instances.

export interface LakeShortage {
  readonly kind: Kind;
  readonly asked: number;
  readonly achieved: number;
  /** Number of instances of another kind that replace it. */
  readonly replaced: number;
  readonly says: string;
}

export class Shortages {
  readonly #split: Split;
  readonly #tallies = new Map<string, { readonly kind: Kind; asked: number; achieved: number; replaced: number }>();

  constructor(split: Split) {
    this.#split = split;
  }

  /** Records what was made for a slot of this kind. */
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
      .map((tally) => ({ ...tally, says: words(tally, maxDraws(this.#split)) }));
  }
}

function words({ kind, achieved, replaced }: Omit<LakeShortage, 'says'>, draws: number): string {
  const found = `${achieved > 0 ? 'no further one' : 'none'} was found in ${draws.toLocaleString('en')} draws`;
  const why = whyNone(kind) ?? found;
  return replaced === 0 ? why : `${why}; replaced by ${replaced} of another kind`;
}
