// Makes instances for the slots of a batch, ahead of their turn: what is taken already is not known here.
import { kindName } from '../generator/kind.ts';
import { type Made, Maker } from '../generator/maker.ts';
import type { Slot } from '../generator/orders.ts';
import type { Answered, MakingDuty } from './duty.ts';

/** Undefined: it was not even tried, because there are none of the kind. Whoever fills the slot knows that by then. */
export type Ahead = Made | null | undefined;

export class Making {
  readonly #maker: Maker;
  readonly #hopeless = new Set<string>();

  constructor({ seed, split }: MakingDuty) {
    this.#maker = new Maker(seed, split);
  }

  answer(slots: readonly Slot[]): Answered<Ahead> {
    const begun = performance.now();
    const replies = slots.map((slot) => this.#made(slot));
    return { replies, ms: performance.now() - begun };
  }

  #made(slot: Slot): Ahead {
    const name = kindName(slot.kind);
    if (this.#hopeless.has(name)) return undefined;
    const made = this.#maker.make(slot);
    if (made === null) this.#hopeless.add(name);
    return made;
  }
}
