// How quickly a training goes, and how long it will still take.
import type { Budget, Point } from '../../../lab/trainers/trainer.ts';

interface Mark {
  readonly at: number;
  readonly spent: Budget;
}

export class Pace {
  readonly #budget: Budget;
  readonly #now: () => number;
  readonly #begun: number;
  /** What is compared with: where a training is gone on with, nobody knows what was spent before its first point. */
  #first: Mark | null;
  #last: Mark;

  constructor(budget: Budget, isBegun: boolean, now: () => number = () => performance.now()) {
    this.#budget = budget;
    this.#now = now;
    this.#begun = now();
    this.#first = isBegun ? null : { at: this.#begun, spent: {} };
    this.#last = { at: this.#begun, spent: {} };
  }

  take({ spent = {} }: Pick<Point, 'spent'>): void {
    this.#last = { at: this.#now(), spent };
    this.#first ??= this.#last;
  }

  /** Since it was begun or gone on with. */
  get seconds(): number {
    return (this.#now() - this.#begun) / 1000;
  }

  get spent(): Budget {
    return this.#last.spent;
  }

  /** By unit of the budget that is told; none where nobody knows yet. */
  get perSecond(): Budget {
    const first = this.#first;
    if (first === null || this.#last.at <= first.at) return {};
    const seconds = (this.#last.at - first.at) / 1000;
    return Object.fromEntries(
      Object.keys(this.#budget).flatMap((unit) => {
        const now = this.#last.spent[unit];
        return now === undefined ? [] : [[unit, (now - (first.spent[unit] ?? 0)) / seconds]];
      }),
    );
  }

  /** How much of the budget is spent, by the unit that will be used up first; null where nobody knows. */
  get done(): number | null {
    const parts = Object.entries(this.#budget).flatMap(([unit, most]) => {
      const now = this.#last.spent[unit];
      return now === undefined ? [] : [now / most];
    });
    return parts.length === 0 ? null : Math.min(1, Math.max(...parts));
  }

  /** In seconds; null where nobody knows. */
  get left(): number | null {
    const rates = this.perSecond;
    const times = Object.entries(rates).flatMap(([unit, rate]) =>
      rate > 0 ? [Math.max(0, (this.#budget[unit] ?? 0) - (this.#last.spent[unit] ?? 0)) / rate] : [],
    );
    return times.length === 0 ? null : Math.min(...times);
  }
}
