// An engineer by rule: data goes where there is most to learn. A group that the policy solves half the time teaches most,
// one that it always or never solves nothing: each gets a share in proportion to p (1 - p), p being the rate it was seen at.
import type { Descriptor, Knob } from '../../../schemas/environment.ts';
import type { Configuration } from '../environments/environment.ts';
import { knobValue, withKnob } from '../environments/knobs.ts';
import type { Asked, Engineer, Fact, Proposal, Reason } from './engineer.ts';

/** What it reads of a context, and what it can do nothing without. */
const reads = ['behaviour'];
const measure = 'valid';

/** No group is left out for good: what has no data may be worth some later. */
const least = 0.02;

export const rules: Engineer = {
  identity: { name: 'rules', version: '1', reads },
  reads,
  propose: async (asked) => {
    asked.signal?.throwIfAborted();
    return { proposal: proposalFor(asked) };
  },
  close: async () => {},
};

function proposalFor({ descriptor, current, context }: Asked): Proposal {
  const rates = ratesIn(context?.modules.find(({ module }) => module === 'behaviour')?.facts ?? []);
  if (rates.size === 0) return kept(current);
  let configuration = current;
  const reasons: Reason[] = [];
  for (const { knobs: names, total } of descriptor.sharesSum ?? []) {
    const shares = descriptor.knobs.filter(({ name }) => names.includes(name));
    configuration = shared(configuration, shares, total, rates);
    reasons.push(...shares.flatMap((knob) => reasonFor(knob, rates)));
  }
  return { configuration, reasons, kept: null, predictions: predictionsFrom(descriptor, rates), says: what };
}

const what = 'data in proportion to p (1 - p): most where about half of the tasks are solved';

/** Where it was shown nothing it can read, everything stays. */
function kept(current: Configuration): Proposal {
  return { configuration: current, reasons: [], kept: null, predictions: null, says: 'nothing was shown to go by' };
}

function ratesIn(facts: readonly Fact[]): ReadonlyMap<string, Fact & { readonly value: number }> {
  const rates = new Map<string, Fact & { readonly value: number }>();
  for (const fact of facts) {
    const { group, value } = fact;
    if (fact.measure === measure && group !== null && typeof value === 'number') rates.set(group, { ...fact, value });
  }
  return rates;
}

/** Groups of which nothing was seen keep what they have; the others share the rest. */
function shared(
  current: Configuration,
  shares: readonly Knob[],
  total: number,
  rates: ReadonlyMap<string, { readonly value: number }>,
): Configuration {
  const seen = shares.filter(({ group }) => group !== null && rates.has(group));
  const untouched = shares.filter((knob) => !seen.includes(knob));
  const rest = total - untouched.reduce((sum, knob) => sum + (knobValue(current, knob) ?? 0), 0);
  const weights = seen.map(({ group }) => {
    const rate = rates.get(group as string)?.value ?? 0;
    return Math.max(rate * (1 - rate), least);
  });
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return seen.reduce((result, knob, i) => withKnob(result, knob, (rest * (weights[i] as number)) / sum), current);
}

function reasonFor({ name, group }: Knob, rates: ReadonlyMap<string, Fact & { readonly value: number }>): Reason[] {
  const fact = group === null ? undefined : rates.get(group);
  if (fact === undefined) return [];
  const percent = Math.round(100 * fact.value);
  return [{ knob: name, because: [fact.label], says: `${percent} % of its tasks are solved` }];
}

function predictionsFrom(
  { groups }: Descriptor,
  rates: ReadonlyMap<string, { readonly value: number }>,
): Proposal['predictions'] {
  return groups.flatMap(({ group }) => {
    const rate = rates.get(group);
    return rate === undefined ? [] : [{ group, measure, value: rate.value }];
  });
}
