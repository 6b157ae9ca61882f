// Selects rates from the data of a chart.
import type { ChartData, RateAt } from '../../schemas/chart-data.ts';

export interface Course {
  readonly name: string;
  readonly split: string;
  readonly points: readonly RateAt[];
}

/** The order of splits: first the one that engineers are shown, then the hidden ones. */
const order = ['validation', 'probe-holdout', 'test'];

/** Of all families together: a course for each suite with any value. */
export function suiteCourses(rates: ChartData['rates'], measure: string): readonly Course[] {
  const pooled = rates.filter((one) => one.family === null && one.measure === measure && one.value !== null);
  const suites = Map.groupBy(pooled, ({ suite, split }) => JSON.stringify([suite, split]));
  return Array.from(suites.values(), (points) => {
    const { suite = '', split = '' } = points[0] ?? {};
    return { name: suite === split ? suite : nameOf(suite, split), split, points: inOrder(points) };
  }).sort((a, b) => rank(a.split) - rank(b.split));
}

/** Of the validation suite. */
export function familyCourses(
  { rates, families }: Pick<ChartData, 'rates' | 'families'>,
  measure: string,
): readonly Course[] {
  const own = rates.filter((one) => one.split === 'validation' && one.measure === measure && one.value !== null);
  const byFamily = Map.groupBy(own, ({ family }) => family ?? '');
  const measured = [...byFamily.keys()].filter((family) => family !== '');
  const names = [
    ...families.filter((family) => measured.includes(family)),
    ...measured.filter((family) => !families.includes(family)),
  ];
  return names.map((name) => ({ name, split: 'validation', points: inOrder(byFamily.get(name) ?? []) }));
}

function nameOf(suite: string, split: string): string {
  return split === 'test' ? `benchmark ${suite}` : `${split} (${suite})`;
}

function rank(split: string): number {
  const place = order.indexOf(split);
  return place < 0 ? order.length : place;
}

function inOrder(points: readonly RateAt[]): readonly RateAt[] {
  return points.toSorted((a, b) => a.stage - b.stage);
}

/** -1: fallen, 1: risen, 0: the intervals overlap; null if one of them is unknown. */
export function changeDirection(from: RateAt | undefined, to: RateAt | undefined): -1 | 0 | 1 | null {
  const [before, after] = [intervalOf(from), intervalOf(to)];
  if (before === null || after === null) return null;
  if (after.low > before.high) return 1;
  return after.high < before.low ? -1 : 0;
}

function intervalOf(rate: RateAt | undefined): { readonly low: number; readonly high: number } | null {
  const { low = null, high = null } = rate ?? {};
  return low === null || high === null ? null : { low, high };
}

/** The end of an axis that starts at zero: the next round share above the highest. */
export function ceiling(points: readonly RateAt[]): number {
  const highest = Math.max(0, ...points.map(({ value, high }) => Math.max(value ?? 0, high ?? 0)));
  return [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8].find((end) => highest <= end) ?? 1;
}
