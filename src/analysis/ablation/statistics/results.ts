// The results of an ablation as they are recorded: how each arm did over units, and how arms compare in pairs of units.
import { meanInterval, meanOf } from '../../../lab/statistics/distributions.ts';
import { fewestForScatter } from '../../../lab/statistics/power.ts';
import type { Compared } from './compared.ts';
import { type ArmResult, type Comparison, type Material, measuresOf } from './material.ts';

export function comparisonOf(compared: Compared): Comparison {
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
  'not-applicable': 'none: both sides used the same evidence',
  same: sameMethod,
  errored: 'none: errored',
  'no-pair': 'none: no pair',
  'one-pair': 'none: one pair',
} as const;

/** Of a contrast whose pairs all differ by the same. */
export const unvariedMethod = 'sign flips by unit, and no interval, as all pairs differ by the same';

function methodOf({ untested, interval, isUnvaried, equality }: Compared): string {
  if (untested !== null) return methods[untested];
  const around = interval === null ? '' : ', and the interval of all middles they do not rule out';
  const method = isUnvaried ? unvariedMethod : `sign flips by unit${around}`;
  return equality === null ? method : `${method}; two one-sided tests of the margin`;
}

export function resultsOf(material: Material): ArmResult[] {
  const measures = measuresOf(material);
  const values = Map.groupBy(material.values, ({ arm, measure }) => JSON.stringify([arm, measure]));
  return material.arms.flatMap(({ arm }) =>
    measures.flatMap((measure) => {
      const own = values.get(JSON.stringify([arm, measure])) ?? [];
      const means = own.flatMap(({ value }) => value ?? []);
      const worst = own.flatMap((one) => one.worst ?? []);
      return [
        meanResult({ arm, measure, statistic: 'mean' }, means, material.level),
        { arm, measure, statistic: 'median', value: means.length === 0 ? nothing : median(means), units: means.length },
        ...(worst.length === 0 ? [] : [meanResult({ arm, measure, statistic: 'p10' }, worst, material.level)]),
      ];
    }),
  );
}

const nothing = { value: null, reason: 'no unit has a value' };

type Named = Pick<ArmResult, 'arm' | 'measure' | 'statistic'>;

/** Values that are all alike, and fewer than three, have no interval. */
function meanResult(named: Named, values: readonly number[], level: number): ArmResult {
  const units = values.length;
  if (units === 0) return { ...named, value: nothing, units };
  const mean = units >= fewestForScatter ? meanInterval(values, level) : null;
  return { ...named, value: meanOf(values), ...(mean === null ? {} : { low: mean.low, high: mean.high }), units };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return meanOf(sorted.slice(Math.ceil(half) - 1, Math.floor(half) + 1));
}
