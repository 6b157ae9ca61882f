// How each arm did, over units: the mean and how sure it is, the median, and how bad the worst corners of the suite were.
import { meanInterval, meanOf } from '../../../lab/statistics/distributions.ts';
import { type ArmResult, type Material, measuresOf } from './material.ts';

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

/** Values that are all alike do not say how values scatter: they have no interval, and not one that is certain. */
function meanResult(named: Named, values: readonly number[], level: number): ArmResult {
  const units = values.length;
  if (units === 0) return { ...named, value: nothing, units };
  const scatter = values.some((value) => value !== values[0]);
  const mean = scatter ? meanInterval(values, level) : null;
  return { ...named, value: meanOf(values), ...(mean === null ? {} : { low: mean.low, high: mean.high }), units };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return meanOf(sorted.slice(Math.ceil(half) - 1, Math.floor(half) + 1));
}
