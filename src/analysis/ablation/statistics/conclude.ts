// The conclusions of an ablation: how each arm did, how arms compare in pairs of units, and what the data support, in words.
import { type Compared, comparedBy } from './compared.ts';
import { type ArmResult, type Comparison, type Material, testedMeasure } from './material.ts';
import { resultsOf } from './results.ts';
import { saysOf } from './says.ts';

export interface Conclusion {
  readonly results: ArmResult[];
  readonly comparisons: Comparison[];
  readonly says: string[];
}

/** The same material always has the same conclusion: what is drawn by lot is drawn with a seed of its own. */
export function conclusionOf(material: Material): Conclusion {
  const measure = testedMeasure(material);
  const compared = measure === null ? [] : comparedBy(measure, material);
  return {
    results: resultsOf(material),
    comparisons: compared.filter(({ untested }) => untested !== 'errored').map(recorded),
    says: saysOf(material, compared),
  };
}

function recorded(compared: Compared): Comparison {
  const { arm, reference, measure, kind, units, value, interval, effect, p, adjusted, verdict, needed } = compared;
  const { isDeclared, together } = compared;
  return {
    ...{ arm, reference, measure, declared: isDeclared, units, verdict },
    ...(kind === 'engineer' || kind === 'context' ? { factor: kind } : {}),
    difference: value ?? { value: null, reason: 'no unit has a value on both sides' },
    ...(interval === null ? {} : { low: interval.low, high: interval.high }),
    ...(effect === null ? {} : { effect }),
    ...(p === null ? {} : { p }),
    ...(adjusted === null || (isDeclared && together === 1) ? {} : { adjusted }),
    method: methodOf(compared),
    ...(typeof needed === 'number' ? { unitsNeeded: needed } : {}),
  };
}

/** How two sides are compared that decided the same with the same outcome. */
export const sameMethod = 'none: null by construction, both sides decided the same';

const methods = {
  'not-applicable': 'none: null by construction, both sides were decided from the same',
  same: sameMethod,
  errored: 'none: errored',
  'no-pair': 'none: no pair',
  'one-pair': 'none: one pair',
} as const;

function methodOf({ untested, interval, equality }: Compared): string {
  if (untested !== null) return methods[untested];
  const turned = `signs turned by unit${interval === null ? '' : ', and the interval of all middles they do not rule out'}`;
  return equality === null ? turned : `${turned}; two one-sided tests of the margin`;
}
