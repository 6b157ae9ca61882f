// Figures of an ablation as people read them: shares in percent with one decimal, other measures to three digits; how arms
// stand by a measure, each against the reference; and the matrix of contexts and engineers.

import type { Ablated, AblatedArm } from '../../../../schemas/ablation-output.ts';
import { listNames } from '../../../base/name-lists.ts';
import { percent, threeDigits } from '../../../document/figures.ts';
import { cellOf, levelsOf } from '../../../producers/ablation/cells.ts';
import { numberIn } from '../../../producers/history/figures.ts';
import { unusableText } from '../statistics/material.ts';
import { sameMethod } from '../statistics/results.ts';

export type Measure = Ablated['measures'][number];

export interface Interval {
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

/** What a column of it is called: `valid %`. */
export function titleOf({ measure, is }: Measure): string {
  return is === 'share' ? `${measure} %` : measure;
}

export function figureText({ is }: Measure, value: number | null): string {
  if (value === null) return '';
  return is === 'share' ? percent(value) : threeDigits(value);
}

/** `45.1 ±1.8`: means lie in the middle of their intervals. */
export function meanText(measure: Measure, value: number | null, { low, high }: Interval): string {
  if (value === null || low === undefined || high === undefined) return figureText(measure, value);
  return `${figureText(measure, value)} ${aroundText(measure, { low, high })}`;
}

/** `±1.8`; empty without an interval. */
export function aroundText({ is }: Measure, { low, high }: Interval): string {
  if (low === undefined || high === undefined) return '';
  const half = (high - low) / 2;
  return `±${is === 'share' ? (100 * half).toFixed(1) : threeDigits(half)}`;
}

/** `+3.1`: points of percent, where it is a share. */
export function signedText({ is }: Measure, value: number | null): string {
  if (value === null) return '';
  const text = is === 'share' ? (100 * value).toFixed(1) : threeDigits(value);
  if (Number(text) === 0) return text.replace('-', '');
  return value > 0 ? `+${text}` : text;
}

/** `+3.1 [+1.0, +5.2]`. */
export function differenceText(measure: Measure, value: number | null, { low, high }: Interval): string {
  const text = signedText(measure, value);
  if (value === null || low === undefined || high === undefined) return text;
  return `${text} [${signedText(measure, low)}, ${signedText(measure, high)}]`;
}

export function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

export type Comparison = Ablated['comparisons'][number];

export interface Standing extends Interval {
  readonly arm: string;
  readonly mean: number | null;
  readonly units: number;
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
  const against = ablated.comparisons.find(
    (one) =>
      one.arm === arm && one.reference === reference && one.factor === undefined && one.measure === measure.measure,
  );
  return {
    arm,
    mean: numberIn(mean?.value),
    low: mean?.low,
    high: mean?.high,
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
  const by = numberIn(difference);
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
  return (numberIn(against.difference) ?? 0) > 0 === (better === 'higher') ? 'better' : 'worse';
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

/** Marks modules that an engineer is shown and cannot use: its arms say nothing of what they would be worth. */
export const unusedMark = '°';

/** With the mark that cells of a matrix have, or without. */
export function unusedWords({ arms }: Pick<Ablated, 'arms'>, mark = `${unusedMark} `): readonly string[] {
  const byEngineer = Map.groupBy(
    arms.filter(({ notApplicable }) => notApplicable.length > 0),
    ({ engineer }) => engineer,
  );
  const engineers = Array.from(byEngineer, ([engineer, own]) => {
    const modules = [...new Set(own.flatMap(({ notApplicable }) => notApplicable))];
    return { engineer, unusable: unusableText(own, modules) };
  });
  const alike = Map.groupBy(engineers, ({ unusable }) => unusable);
  return Array.from(alike, ([unusable, own]) => {
    const names = listNames(own.map(({ engineer }) => engineer));
    return `${mark}not applicable: ${names} ${unusable}.`;
  });
}
