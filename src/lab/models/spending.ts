// The cost of answers, and a cap on the total cost of all models. Before a question is sent, the maximum cost of its
// answer is reserved; the rest is released when the actual cost is known.
import { raced } from './clock.ts';
import type { Cost, Usage } from './conversation.ts';
import type { ModelEntry, Parameters, Prices } from './entries.ts';
import { CostUnknown, type Place, SpendingCapReached } from './faults.ts';

const million = 1_000_000;

/** Undefined without prices or token counts. */
export function costOf(usage: Usage | undefined, prices: Prices | null): Cost | undefined {
  if (prices === null || usage?.input === undefined || usage.output === undefined) return undefined;
  const { currency, ...each } = prices;
  const cached = usage.cached ?? 0;
  const parts = {
    input: ((usage.input - cached) * each.input) / million,
    output: (usage.output * each.output) / million,
    cached: (cached * each.cached) / million,
  };
  return { currency, total: parts.input + parts.output + parts.cached, parts, prices: each };
}

/** The maximum number of output tokens; undefined if there is no limit. */
export function outputLimit(parameters: Parameters): number | undefined {
  const limits = [parameters['max_completion_tokens'], parameters['max_tokens']];
  return limits.find((limit): limit is number => typeof limit === 'number' && limit >= 0);
}

/** For the prompt template around the messages, which the request does not contain. */
const templateTokens = 256;

/** A token has at least one byte, so the size of the request bounds its tokens. */
export function mostCost(bytes: number, parameters: Parameters, { input, output, cached }: Prices): number {
  const answer = output === 0 ? 0 : (outputLimit(parameters) ?? Number.POSITIVE_INFINITY) * output;
  return ((bytes + templateTokens) * Math.max(input, cached) + answer) / million;
}

interface Cap {
  readonly currency: string;
  readonly most: number;
}

export interface SetAside {
  /** The actual cost; null if unknown, in which case the whole reservation counts as spent. */
  settle(cost: number | null): void;
}

export class Spending {
  readonly cap: Cap;
  #spent = 0;
  readonly #open = new Set<{ readonly most: number }>();
  #settled = Promise.withResolvers<void>();

  constructor(cap: Cap) {
    this.cap = cap;
  }

  get spent(): number {
    return this.#spent;
  }

  /** Throws CostUnknown if the cost of an answer cannot be bounded. */
  check({ name, prices }: ModelEntry, parameters: Parameters): void {
    const { currency } = this.cap;
    if (prices === null) {
      const form = `"prices": {"input": 0, "output": 0, "currency": "${currency}"}`;
      throw new CostUnknown(name, 'no prices', `Set the prices of a million tokens, even if they are 0: ${form}.`);
    }
    if (prices.currency !== currency) {
      throw new CostUnknown(name, `prices in ${prices.currency}`, `The cap is in ${currency}: use one currency.`);
    }
    if (prices.output > 0 && outputLimit(parameters) === undefined) {
      throw new CostUnknown(
        name,
        'no limit for the length of its answers',
        'Set one: "parameters": {"max_tokens": 8192}.',
      );
    }
  }

  /** Waits while answers in progress may still release enough. Throws SpendingCapReached if not enough is left. */
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

  /** Summed again each time, because adding and subtracting fractions accumulates rounding errors. */
  #underWay(): number {
    let sum = 0;
    for (const { most } of this.#open) sum += most;
    return sum;
  }
}
