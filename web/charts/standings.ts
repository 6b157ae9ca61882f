// How the arms of an ablation stand by a measure, each against the reference, and their matrix of contexts and engineers.
import type { Ablated, AblatedArm } from '../../schemas/ablation-output.ts';
import { canUseNothing, cellOf, levelsOf } from '../../schemas/arm-names.ts';
import type { Compared } from './shade.ts';

export type Measure = Ablated['measures'][number];

export interface Interval {
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

/** More letters than these would push the matrix off the first screen: the rest comes later. */
const mostFirst = 800;
const fewestFirst = 3;

export function conclusionsInTwo(
  conclusions: readonly string[],
): readonly [first: readonly string[], others: readonly string[]] {
  let letters = 0;
  const tooMuch = conclusions.findIndex((one, i) => {
    letters += one.length;
    return i >= fewestFirst && letters > mostFirst;
  });
  const shown = tooMuch < 0 ? conclusions.length : tooMuch;
  return [conclusions.slice(0, shown), conclusions.slice(shown)];
}

/** The interval of a share, cut at 0 and 1; null where it does not go beyond them. */
export function cutInterval({ is }: Pick<Measure, 'is'>, { low, high }: Interval): readonly [number, number] | null {
  if (is !== 'share' || low === undefined || high === undefined || (low >= 0 && high <= 1)) return null;
  return [Math.max(0, low), Math.min(1, high)];
}

export type Comparison = Ablated['comparisons'][number];

export interface Standing extends Interval {
  readonly arm: string;
  readonly mean: number | null;
  readonly units: number;
  /** Its engineer can use nothing of its context: it has no figure, which would be read as that of the context. */
  readonly isUnused: boolean;
  /** An error kept it from its end: it has no place among the others. */
  readonly isErrored: boolean;
  /** Against the reference; null for itself, and where nobody compared them. */
  readonly against: Comparison | null;
}

export interface Standings {
  readonly measure: Measure;
  /** What most arms are compared with; null where nothing was. */
  readonly reference: string | null;
  /** In the order of the arms. */
  readonly arms: readonly Standing[];
}

/** By that measure, by default that of the declared contrasts, else the first. Null where nothing is measured. */
export function standingsOf(ablated: Ablated, named: string | null = null): Standings | null {
  const { measures, contrasts } = ablated;
  const find = (name: string | undefined): Measure | undefined => measures.find(({ measure }) => measure === name);
  const measure = find(named ?? undefined) ?? find(contrasts[0]?.measure) ?? measures[0];
  if (measure === undefined) return null;
  const reference = referenceOf(ablated);
  return { measure, reference, arms: ablated.arms.map((arm) => standingOf(arm, measure, reference, ablated)) };
}

function standingOf(made: AblatedArm, measure: Measure, reference: string | null, ablated: Ablated): Standing {
  const { arm } = made;
  const own = ablated.results.filter((one) => one.arm === arm && one.measure === measure.measure);
  const mean = own.find(({ statistic }) => statistic === 'mean');
  const against = ablated.comparisons.find(
    (one) =>
      one.arm === arm && one.reference === reference && one.factor === undefined && one.measure === measure.measure,
  );
  const isErrored = ablated.errored.some((one) => one.arm === arm);
  // Such an arm is compared only if that was declared.
  if (canUseNothing(made)) {
    return {
      arm,
      mean: null,
      units: 0,
      isErrored,
      isUnused: true,
      against: against?.declared === true ? against : null,
    };
  }
  return {
    ...{ arm, mean: numberIn(mean?.value), low: mean?.low, high: mean?.high, units: mean?.units ?? 0 },
    ...{ isErrored, isUnused: false, against: against ?? null },
  };
}

/** Whether two arms are compared, and not effects that have names of their own. */
export function isOfArms({ arms }: Pick<Ablated, 'arms'>, { arm, reference, factor }: Comparison): boolean {
  const names = arms.map((one) => one.arm);
  return factor === undefined && names.includes(arm) && names.includes(reference);
}

function numberIn(score: Comparison['difference'] | undefined): number | null {
  return typeof score === 'number' ? score : null;
}

function referenceOf(ablated: Ablated): string | null {
  const between = ablated.comparisons.filter((one) => isOfArms(ablated, one));
  const often = Map.groupBy(between, ({ reference }) => reference);
  const most = Math.max(0, ...Array.from(often.values(), ({ length }) => length));
  const first = [...often].filter(([, { length }]) => length === most).map(([against]) => against);
  const declared = first.find((against) => against === ablated.primary?.reference);
  return declared ?? first[0] ?? null;
}

/** Better or worse, where the difference is significant; else null. */
export function significance(against: Comparison | null, { better }: Measure): 'better' | 'worse' | null {
  if (against?.verdict !== 'significant') return null;
  return (numberIn(against.difference) ?? 0) > 0 === (better === 'higher') ? 'better' : 'worse';
}

/** Null unless significant. The interval of the pairs decides, not those of the two means: seeds are compared pair by pair. */
export function significantDifference({ mean, against }: Standing): Compared | null {
  const { difference, low, high, verdict } = against ?? {};
  if (mean === null || verdict !== 'significant' || typeof difference !== 'number') return null;
  if (low === undefined || high === undefined) return null;
  const margin = difference > 0 ? difference - low : high - difference;
  return { value: mean, baseline: mean - difference, margin };
}

/** Sorted by mean, arms without a value last. */
export function bestFirst({ arms, measure }: Standings): readonly Standing[] {
  const sign = measure.better === 'higher' ? -1 : 1;
  const worth = ({ mean }: Standing): number => (mean === null ? Number.POSITIVE_INFINITY : sign * mean);
  return arms.toSorted((one, other) => {
    const [a, b] = [worth(one), worth(other)];
    return a === b ? 0 : a - b;
  });
}

export interface Matrix {
  readonly contexts: readonly string[];
  readonly engineers: readonly string[];
  readonly armAt: (context: string, engineer: string) => AblatedArm | null;
  /** Who was shown nothing, and what was really decided. */
  readonly beside: readonly AblatedArm[];
}

export function matrixOf({ arms }: Pick<Ablated, 'arms'>): Matrix {
  const placed = arms.flatMap((arm) => {
    const cell = cellOf(arm);
    return cell === null ? [] : [{ ...cell, arm }];
  });
  return {
    contexts: levelsOf('context', arms),
    engineers: levelsOf('engineer', arms),
    armAt: (context, engineer) =>
      placed.find((one) => one.context === context && one.engineer === engineer)?.arm ?? null,
    beside: arms.filter((arm) => cellOf(arm) === null),
  };
}

/** The maximum number of named forms whose modules are listed. */
const mostForms = 2;

/** What the names of arms do not say: which other modules their contexts have, if any. Named forms list theirs elsewhere. */
export function commonModules({ preset, arms }: Ablated): readonly string[] {
  const shown = arms.filter(({ baseline, modules }) => !baseline && modules !== null);
  if (preset !== 'factorial') {
    const isBare = ({ form, modules }: AblatedArm): boolean => form === modules?.join('+');
    const bare = shown.find(isBare);
    if (bare === undefined) return [];
    const named = new Map(shown.filter((arm) => !isBare(arm)).map(({ form, modules }) => [form, modules?.join(', ')]));
    const others = Array.from(named, ([form, modules]) => `; ${form} shows ${modules}`).slice(0, mostForms);
    return [`A context such as ${bare.form} shows only the modules in its name${others.join('')}.`];
  }
  const [first, ...others] = shown.flatMap(({ modules }) => (modules === null ? [] : [modules]));
  const common = (first ?? []).filter((module) => others.every((modules) => modules.includes(module)));
  if (common.length === 0) return [];
  return [`Every context also has ${common.join(' and ')}; the one called none has nothing else.`];
}
