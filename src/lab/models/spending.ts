// What answers cost, and a cap on what all models together may cost. Nothing is asked that could go beyond it: before a
// question is sent, as much is set aside as its answer can cost at most, and given back when it is known what it did cost.
import { raced } from './clock.ts';
import type { Cost, Usage } from './conversation.ts';
import type { ModelEntry, Parameters, Prices } from './entries.ts';
import { CostUnknown, type Place, SpendingCapReached } from './faults.ts';

const million = 1_000_000;

/** Undefined where there are no prices or the endpoint did not count. */
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

/** How many tokens an answer may have at most; undefined where nothing limits it. */
export function outputLimit(parameters: Parameters): number | undefined {
  const limits = [parameters['max_completion_tokens'], parameters['max_tokens']];
  return limits.find((limit): limit is number => typeof limit === 'number' && limit >= 0);
}

/** What surrounds the messages in the prompt of a model, and is not in the request. */
const templateTokens = 256;

/** No token is less than a byte, so that a request has at most as many as it has bytes. */
export function mostCost(bytes: number, parameters: Parameters, { input, output, cached }: Prices): number {
  const answer = output === 0 ? 0 : (outputLimit(parameters) ?? Number.POSITIVE_INFINITY) * output;
  return ((bytes + templateTokens) * Math.max(input, cached) + answer) / million;
}

interface Cap {
  readonly currency: string;
  readonly most: number;
}

export interface SetAside {
  /** What it did cost; null where nobody knows, and all of it has to be taken for spent. */
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
