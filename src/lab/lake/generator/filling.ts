// Fills slots one after the other: none with an instance that another has, where each may come only once, and none of a
// kind of which there are no more. What a slot is filled with can be made ahead, by anybody and in any order.
import type { Split } from '../../environments/environment.ts';
import { type Kind, kindName } from './kind.ts';
import { type Made, Maker } from './maker.ts';
import type { Slot } from './orders.ts';
import { type LakeShortage, Shortages } from './shortage.ts';

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
