// How arms stand by a measure: the mean of each over units, and what came of holding it against the one that all are held
// against.
import type { Ablated } from '../../../../schemas/ablation-output.ts';
import { sameMethod } from '../../../analysis/ablation/statistics/conclude.ts';
import { type Interval, type Measure, numberOf } from './figures.ts';

export type Comparison = Ablated['comparisons'][number];

export interface Standing extends Interval {
  readonly arm: string;
  readonly mean: number | null;
  readonly worst: number | null;
  readonly units: number;
  /** An error kept it from its end: it has no place among the others. */
  readonly isErrored: boolean;
  /** Against the reference; null for itself, and where nobody compared them. */
  readonly against: Comparison | null;
}

export interface Standings {
  readonly measure: Measure;
  /** What most arms are held against; null where nothing was. */
  readonly reference: string | null;
  /** In the order of the arms. */
  readonly arms: readonly Standing[];
}

/** By the measure of the declared contrasts; where there is none, by the first. Null where nothing is measured. */
export function standingsOf(ablated: Ablated): Standings | null {
  const { measures, contrasts } = ablated;
  const measure = measures.find(({ measure: name }) => name === contrasts[0]?.measure) ?? measures[0];
  if (measure === undefined) return null;
  const reference = referenceOf(ablated);
  return { measure, reference, arms: ablated.arms.map(({ arm }) => standingOf(arm, measure, reference, ablated)) };
}

function standingOf(arm: string, measure: Measure, reference: string | null, ablated: Ablated): Standing {
  const own = ablated.results.filter((one) => one.arm === arm && one.measure === measure.measure);
  const mean = own.find(({ statistic }) => statistic === 'mean');
  const worst = own.find(({ statistic }) => statistic === 'p10');
  const against = ablated.comparisons.find(
    (one) =>
      one.arm === arm && one.reference === reference && one.factor === undefined && one.measure === measure.measure,
  );
  return {
    arm,
    mean: numberOf(mean?.value),
    low: mean?.low,
    high: mean?.high,
    worst: numberOf(worst?.value),
    units: mean?.units ?? 0,
    isErrored: ablated.errored.some((one) => one.arm === arm),
    against: against ?? null,
  };
}

/** Whether two arms are compared, and not effects that have names of their own. */
export function isOfArms({ arms }: Pick<Ablated, 'arms'>, { arm, reference, factor }: Comparison): boolean {
  const names = arms.map((one) => one.arm);
  return factor === undefined && names.includes(arm) && names.includes(reference);
}

function referenceOf(ablated: Ablated): string | null {
  const between = ablated.comparisons.filter((one) => isOfArms(ablated, one));
  const often = Map.groupBy(between, ({ reference }) => reference);
  const most = Math.max(0, ...Array.from(often.values(), ({ length }) => length));
  const first = [...often].filter(([, { length }]) => length === most).map(([against]) => against);
  const declared = first.find((against) => against === ablated.primary?.reference);
  return declared ?? first[0] ?? null;
}

/** What a verdict comes to, in a word; and how many seeds would show a difference this large, where it is inconclusive. */
export function verdictText(
  { verdict, difference, declared, unitsNeeded, method }: Comparison,
  { better }: Measure,
): string {
  const by = numberOf(difference);
  const isBetter = (by ?? 0) > 0 === (better === 'higher');
  const words = {
    significant: isBetter ? 'better' : 'worse',
    equivalent: 'equivalent',
    inconclusive: by === null ? 'no pair' : 'inconclusive',
    'not-applicable': method === sameMethod ? 'same' : 'null',
  };
  const needed = unitsNeeded === undefined ? '' : ` ~${unitsNeeded}`;
  return `${words[verdict]}${needed}${declared ? ' *' : ''}`;
}

/** Better or worse, where the difference is significant; else null. */
export function significance(against: Comparison | null, { better }: Measure): 'better' | 'worse' | null {
  if (against?.verdict !== 'significant') return null;
  return (numberOf(against.difference) ?? 0) > 0 === (better === 'higher') ? 'better' : 'worse';
}

/** The best first; without a value last. */
export function bestFirst({ arms, measure }: Standings): readonly Standing[] {
  const sign = measure.better === 'higher' ? -1 : 1;
  const worth = ({ mean }: Standing): number => (mean === null ? Number.POSITIVE_INFINITY : sign * mean);
  return arms.toSorted((one, other) => {
    const [a, b] = [worth(one), worth(other)];
    return a === b ? 0 : a - b;
  });
}
