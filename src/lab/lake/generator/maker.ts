// Makes instances of a kind: draws until one is solvable, needs a wait or does not, as asked, and lies in the pool. All
// that fit are equally likely, save those on which the solver gives up: with up to five agents, hardly any. What is drawn for a slot depends on the seed and the slot alone, so that slots can be
// filled in any order, and one configuration's instances of a kind are those of another.
import type { Split } from '../../environments/environment.ts';
import { Random } from '../../random.ts';
import { digestOf, symmetryDigestOf } from '../digest.ts';
import type { Instance } from '../instance.ts';
import { Solver } from '../solver/solver.ts';
import { Draw } from './draw.ts';
import { type Kind, whyNone } from './kind.ts';
import type { Slot } from './orders.ts';
import { poolOf, shareOf } from './pools.ts';

export interface Made {
  readonly instance: Instance;
  readonly kind: Kind;
  readonly digest: string;
  /** Equal for instances that are the same turned, mirrored or with agents renumbered. */
  readonly symmetryDigest: string;
  /** Of an optimal plan. */
  readonly cost: number;
}

/**
 * A slot is given up when so many draws brought nothing: there is none of the kind left, or hardly any. In a small pool it
 * takes more draws to come by as many that belong to it.
 */
export function mostDraws(split: Split): number {
  return Math.round(5000 / shareOf(split));
}

/** Nor may all its draws together take the solver longer: lakes that are nearly full are hard, and hardly ever solvable. */
const mostWork = 100_000_000;

export class Maker {
  readonly #solver = new Solver();
  readonly #seed: string;
  readonly #split: Split;

  constructor(seed: string, split: Split) {
    this.#seed = seed;
    this.#split = split;
  }

  /** Null where none was found that is not among `taken` (symmetry digests). */
  make({ kind, ordinal, standsIn }: Slot, taken?: ReadonlySet<string>): Made | null {
    if (whyNone(kind) !== null) return null;
    const { size, agents, holes, needsWait } = kind;
    const purpose = [this.#split, size, agents, holes, needsWait ? 'wait' : 'no wait', ordinal];
    const random = new Random(this.#seed, 'lake', ...purpose, ...(standsIn === true ? ['stands in'] : []));
    const draw = new Draw(kind);
    const limit = this.#solver.work + mostWork;
    for (let left = mostDraws(this.#split); left > 0 && this.#solver.work < limit; left--) {
      const made = this.#judged(draw.instance(random), kind, taken);
      if (made !== null) return made;
    }
    return null;
  }

  #judged(instance: Instance, kind: Kind, taken?: ReadonlySet<string>): Made | null {
    // This is told sooner than whether an instance is of the kind, and most draws end here.
    const symmetryDigest = symmetryDigestOf(instance);
    if (poolOf(symmetryDigest) !== this.#split || taken?.has(symmetryDigest) === true) return null;
    const cost = this.#fittingCost(instance, kind);
    return cost === null ? null : { instance, kind, digest: digestOf(instance), symmetryDigest, cost };
  }

  /** The cost of an optimal plan; null where there is none, where it is not of the kind, or where the solver gave up. */
  #fittingCost(instance: Instance, { needsWait }: Kind): number | null {
    const solution = this.#solver.solve(instance);
    if (solution.solvable !== true) return null;
    return this.#solver.needsWait(instance, solution.cost) === needsWait ? solution.cost : null;
  }
}
