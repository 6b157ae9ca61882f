// Figures of an ablation as people read them: shares in percent with one decimal, other measures to three digits.

import type { Ablated } from '../../../../schemas/ablation-output.ts';
import { type Comparison, cutInterval, type Interval, type Measure } from '../../../../web/charts/standings.ts';
import { listNames } from '../../../base/name-lists.ts';
import { count, counted } from '../../../base/quantity.ts';
import { percent, threeDigits } from '../../../document/figures.ts';
import { fewestForScatter } from '../../../lab/statistics/power.ts';
import { numberIn } from '../../../producers/history/figures.ts';
import { unusableText } from '../statistics/material.ts';
import { sameMethod, unvariedMethod } from '../statistics/results.ts';

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

/** `±1.8`, or `[0.0, 40.2]` where a share would go below 0 or above 100 %; empty without an interval. */
export function aroundText(measure: Measure, { low, high }: Interval): string {
  if (low === undefined || high === undefined) return '';
  const cut = cutInterval(measure, { low, high });
  if (cut !== null) return `[${cut.map(percent).join(', ')}]`;
  const half = (high - low) / 2;
  return `±${measure.is === 'share' ? (100 * half).toFixed(1) : threeDigits(half)}`;
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
    inconclusive: by === null ? 'nothing to compare' : 'inconclusive',
    'not-applicable': method === sameMethod ? 'same' : 'null',
  };
  const needed = unitsNeeded === undefined ? '' : ` (~${count(unitsNeeded)})`;
  return `${words[verdict]}${needed}${declared ? ' *' : ''}`;
}

type Estimated = Pick<Comparison, 'unitsNeeded'> | null;

const hasEstimate = (one: Estimated): boolean => one?.unitsNeeded !== undefined;

/** The title of a column of verdicts. */
export function resultTitle(compared: readonly Estimated[]): string {
  return compared.some(hasEstimate) ? 'result (seeds)' : 'result';
}

export function seedsLegend(compared: readonly Estimated[]): readonly string[] {
  return compared.some(hasEstimate) ? ['seeds: about how many would make this difference significant.'] : [];
}

type Listed = Comparison | null;

/** Why a difference of many seeds has no interval. */
export function unvariedLegend(compared: readonly Listed[]): readonly string[] {
  return compared.some((one) => one?.method?.startsWith(unvariedMethod) === true)
    ? ['A difference that is the same with every seed has no interval.']
    : [];
}

function isTested(one: Listed): one is Comparison {
  return one?.p !== undefined;
}

/** Whether a table has declared contrasts and others, whose p and seeds are corrected differently. */
export function hasBothKinds(compared: readonly Listed[]): boolean {
  return new Set(compared.filter(isTested).map(({ declared }) => declared)).size > 1;
}

/** The contrasts that are corrected together. */
export function contrastFamily({ declared, factor }: Comparison): 'declared' | 'main effect' | 'other' {
  if (declared) return 'declared';
  return factor === undefined ? 'other' : 'main effect';
}

/** What p and the estimated seeds of a table are corrected for. */
export function correctionLegend(compared: readonly Listed[], { comparisons }: Ablated): readonly string[] {
  const shown = compared.filter(isTested);
  const all = Map.groupBy(comparisons.filter(isTested), contrastFamily);
  const families = (['other', 'main effect', 'declared'] as const)
    .filter((family) => shown.some((one) => contrastFamily(one) === family))
    .map((family) => ({ family, size: all.get(family)?.length ?? 0 }));
  if (families.every(({ size }) => size < 2)) return [];
  const texts = families.map(({ family, size }) => {
    const isMarked = family === 'declared' && families.length > 1;
    if (isMarked && size < 2) return 'the row with * is tested on its own and needs no correction';
    const mark = isMarked ? 'in rows with * (declared contrasts) ' : '';
    const noun = family === 'main effect' ? family : 'contrast';
    return `${mark}${size > 1 ? `corrected for ${counted(size, noun)} (Holm)` : 'not corrected'}`;
  });
  const intervals = shown.some(({ low }) => low !== undefined) ? ' Intervals are not corrected.' : '';
  return [`${shown.some(hasEstimate) ? 'p and seeds' : 'p'}: ${texts.join('; ')}.${intervals}`];
}

type MeanInterval = Interval & { readonly mean: number | null };

/** `±: half of the 95 % interval of the mean, over 8 seeds.` */
export function aroundLegend(
  shown: readonly MeanInterval[],
  measure: Measure,
  { level, units }: Pick<Ablated, 'level' | 'units'>,
): readonly string[] {
  const own = shown.filter(({ low }) => low !== undefined);
  const around = `the ${Number((100 * level).toFixed(3))} % interval of the mean`;
  const over = `over ${counted(units.length, 'seed')}`;
  const isCut = (one: MeanInterval): boolean => cutInterval(measure, one) !== null;
  const [cut, whole] = [own.some(isCut), own.some((one) => !isCut(one))];
  if (own.length === 0)
    return units.length > 1 && units.length < fewestForScatter && shown.some(({ mean }) => mean !== null)
      ? [`${counted(units.length, 'seed')} are too few for intervals of means.`]
      : [];
  return [
    ...(whole ? [`±: half of ${around}, ${over}.`] : []),
    ...(cut ? [`[low, high]: ${around}${whole ? '' : `, ${over}`}, cut at 0 and 100 %.`] : []),
  ];
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

/** `engineer checkpoint against rules`: the factor of a main effect comes first. */
export function contrastText({
  factor,
  arm,
  reference,
}: {
  readonly factor?: string | null | undefined;
  readonly arm: string;
  readonly reference: string;
}): string {
  return `${factor == null ? '' : `${factor} `}${arm} against ${reference}`;
}
