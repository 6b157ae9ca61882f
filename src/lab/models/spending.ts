// A cap on what all models together may cost. Nothing is asked that could go beyond it: before a question is sent, as
// much is set aside as its answer can cost at most, and given back when it is known what it did cost.
import { raced } from './aborting.ts';
import type { ModelEntry, Parameters } from './entries.ts';
import type { Place } from './faults/fault.ts';
import { CostUnknown, SpendingCapReached } from './faults/spending.ts';
import { outputLimit } from './prices.ts';

export interface Cap {
  readonly currency: string;
  readonly most: number;
}

export interface SetAside {
  /** What it did cost; null where nobody knows, and all of it has to be taken for spent. */
  settle(cost: number | null): void;
}

export class Spending {
  readonly cap: Cap;
  #spent: number;
  readonly #open = new Set<{ readonly most: number }>();
  #settled = Promise.withResolvers<void>();

  /** `spent`: by earlier runs of the same. */
  constructor(cap: Cap, spent = 0) {
    this.cap = cap;
    this.#spent = spent;
  }

  get spent(): number {
    return this.#spent;
  }

  /** Throws CostUnknown where answers of a model may cost any amount. */
  check({ name, prices }: ModelEntry, parameters: Parameters): void {
    const { currency } = this.cap;
    if (prices === null) {
      const form = `"prices": {"input": 0, "output": 0, "currency": "${currency}"}`;
      throw new CostUnknown(name, 'no prices', `Say what a million tokens cost, also where it is nothing: ${form}.`);
    }
    if (prices.currency !== currency) {
      throw new CostUnknown(name, `prices in ${prices.currency}`, `The cap is in ${currency}: use one currency.`);
    }
    if (prices.output > 0 && outputLimit(parameters) === undefined) {
      throw new CostUnknown(name, 'no limit to its answers', 'Set one: "parameters": {"max_tokens": 8192}.');
    }
  }

  /** Waits while it depends on answers under way whether there is enough. Throws SpendingCapReached where there is not. */
  async setAside(most: number, place: Place, signal: AbortSignal): Promise<SetAside> {
    for (;;) {
      const { currency, most: cap } = this.cap;
      if (this.#spent + most > cap) throw new SpendingCapReached(place, currency, cap, this.#spent, most);
      if (this.#spent + this.#underWay() + most <= cap) break;
      await raced(this.#settled.promise, signal);
    }
    const aside = { most };
    this.#open.add(aside);
    return {
      settle: (cost) => {
        if (!this.#open.delete(aside)) return;
        this.#spent += cost ?? most;
        this.#settled.resolve();
        this.#settled = Promise.withResolvers();
      },
    };
  }

  /** Added up anew each time: what is left of sums of fractions when all is given back is not always nothing. */
  #underWay(): number {
    let sum = 0;
    for (const { most } of this.#open) sum += most;
    return sum;
  }
}
