// What an answer cost, and what it can cost at most before it is asked for.
import type { Cost, Usage } from './conversation.ts';
import type { Parameters, Prices } from './entries.ts';

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
