// A contrast in a sentence, which claims what its test shows and nothing else; and the numbers of such sentences: shares as
// points of percent, other measures to three digits.
import { joinWithAnd } from '../../../base/name-lists.ts';
import { count } from '../../../base/quantity.ts';
import type { Interval } from '../../../lab/statistics/distributions.ts';
import { mostNeeded } from '../../../lab/statistics/power.ts';
import { alphaOf, fewestPairs, leastSignFlip } from '../../../lab/statistics/significance.ts';
import type { Compared } from './compared.ts';
import { type ArmMade, type Better, type Material, unusableText } from './material.ts';

export interface SentenceContext {
  readonly format: MeasureFormat;
  /** Null where nobody said which is better. */
  readonly better: Better | null;
  readonly level: number;
  readonly margin: number | null;
}

export function contrastSentence(compared: Compared, context: SentenceContext, arms: Material['arms']): string {
  if (compared.verdict === 'not-applicable') return nullByConstruction(compared, arms);
  if (compared.untested === 'errored') return `${subjectOf(compared)} are not compared.${overLevels(compared)}`;
  if (compared.untested === 'no-pair')
    return `${subjectOf(compared)} could not be compared: no seed has ${context.format.measure} on both sides.`;
  const unvaried = compared.isUnvaried ? ' Without variation there is no interval.' : '';
  const claim = `${claimOf(compared, context)}${unvaried}${overLevels(compared)}`;
  return compared.isSame
    ? `${claim} Both decided on the same configurations: whatever differs is not what they chose.`
    : claim;
}

function claimOf(compared: Compared, context: SentenceContext): string {
  if (compared.verdict === 'equivalent') return equivalent(compared, context);
  return compared.verdict === 'significant' ? significant(compared, context) : inconclusive(compared, context);
}

function significant(compared: Compared, context: SentenceContext): string {
  const { value, interval, kind, arm, reference } = compared;
  const { format, better } = context;
  const by = value ?? 0;
  if (kind === 'effect')
    return `${subjectOf(compared)} is significant: ${observed(compared, context)}, ${chances(compared)}.`;
  const upright = interval === null || by > 0 ? interval : { low: -interval.high, high: -interval.low };
  const how = better === null ? [`higher`, `lower`] : ['better', 'worse'];
  const is = by > 0 === (better !== 'lower') ? how[0] : how[1];
  return `${arm} is significantly ${is} than ${reference} by ${distance(format, by)} ${format.measure}${spread({ ...compared, interval: upright }, format)}, ${chances(compared)}.`;
}

function equivalent(compared: Compared, context: SentenceContext): string {
  const { kind, equality, adjusted } = compared;
  const within = marginText(context.format, context.margin ?? 0);
  const claim = `${subjectOf(compared)} ${kind === 'effect' ? 'is equivalent to none' : 'are equivalent'} within ${within}`;
  const isSure = adjusted !== null && adjusted < alphaOf(context.level);
  const yet = isSure ? `; there is a difference, ${chance(adjusted)}, of a size that counts as none` : '';
  return `${claim}: ${observed(compared, context)}, ${chance(equality ?? 1)} by two one-sided tests${afterHolm(compared)}${yet}.`;
}

function inconclusive(compared: Compared, context: SentenceContext): string {
  const { format, margin } = context;
  const isEffect = compared.kind === 'effect';
  const subject = isEffect ? subjectOf(compared) : `${compared.arm} against ${compared.reference}`;
  const claim = `${subject} is inconclusive`;
  const p = compared.p === null ? '' : `, ${chances(compared)}`;
  const within = margin === null ? '' : marginText(format, margin);
  const equality = isEffect
    ? `Nor is it shown to be equivalent to none within ${within}.`
    : `Nor are they shown to be equivalent within ${within}.`;
  return `${claim}: ${observed(compared, context)}${p}${whatNext(compared, context.level)}.${margin === null ? '' : ` ${equality}`}`;
}

/** A main effect is a mean over the levels of the other factor, and goes without those that tell nothing of it. */
function overLevels({ kind, of, leftOut }: Compared): string {
  if (kind !== 'engineer' && kind !== 'context') return '';
  const levels = kind === 'engineer' ? 'context' : 'engineer';
  const number = of.length === 0 ? '' : ` over ${of.length} ${levels}${of.length === 1 ? '' : 's'}`;
  const over = ` Main effect of the ${kind}${number}.`;
  return leftOut.length === 0 ? over : `${over} Left out: ${leftOutWords(leftOut)}.`;
}

function leftOutWords(leftOut: Compared['leftOut']): string {
  return leftOut.map(({ level, reason }) => `${level}, ${reason}`).join('; ');
}

/** What it would take, in the order of what is in the way. */
function whatNext(compared: Compared, level: number): string {
  const { untested, units, needed, value, together } = compared;
  if (untested === 'one-pair') return '. One seed cannot show how much is chance';
  const fewest = fewestPairs(alphaOf(level) / Math.max(1, together));
  if (units < fewest)
    return `. ${seeds(units)} are too few: p cannot fall below ${least(compared)}. At least ${count(fewest)} are needed${forThis(compared, fewest)}`;
  if (needed === 'out-of-reach') return `. ${seeds(mostNeeded)} would not show a difference this small`;
  return needed === null || value === 0
    ? ''
    : `. About ${seeds(needed)} would show a difference this large${afterHolm(compared)}`;
}

/** Where a few pairs say already that it takes more than the fewest seeds that can be significant. */
function forThis(compared: Compared, fewest: number): string {
  const { needed } = compared;
  return typeof needed === 'number' && needed > fewest
    ? `, and about ${count(needed)} to show a difference this large${afterHolm(compared)}`
    : '';
}

function least(compared: Compared): string {
  const { units, together } = compared;
  const p = Math.min(1, leastSignFlip(units) * Math.max(1, together));
  return `${Number(p.toPrecision(3))}${afterHolm(compared)}`;
}

function observed(compared: Compared, { format }: SentenceContext): string {
  const size = signed(format, compared.value ?? 0);
  const difference = format.isShare ? `${size} ${format.measure}` : `a difference of ${size} in ${format.measure}`;
  return `${difference}${spread(compared, format)}`;
}

/** How a difference varies over seeds: ` [1.2, 3.4], 8 seeds`, or ` with each of 8 seeds` where it does not. */
export function spread(
  { interval, isUnvaried, units }: Pick<Compared, 'interval' | 'isUnvaried' | 'units'>,
  format: MeasureFormat,
): string {
  if (isUnvaried) return ` with each of ${seeds(units)}`;
  return `${interval === null ? '' : ` ${range(format, interval)}`}, ${seeds(units)}`;
}

function chances(compared: Compared): string {
  return `${chance(compared.adjusted ?? 1)}${afterHolm(compared)}`;
}

function afterHolm({ together }: Compared): string {
  return together > 1 ? ' after Holm' : '';
}

/** Effects are differences of means of several arms, and have names of their own. */
function subjectOf({ arm, reference, kind }: Compared): string {
  return kind === 'effect' ? `The effect ${arm}` : `${arm} and ${reference}`;
}

function nullByConstruction(compared: Compared, arms: readonly ArmMade[]): string {
  const { of, less, kind } = compared;
  const claim = `${subjectOf(compared)} ${kind === 'effect' ? 'was' : 'were'} not tested`;
  if (compared.untested === 'same')
    return `${claim}: both sides decided the same everywhere, with the same results.${overLevels(compared)}`;
  if (of.length === 0) return `${claim}.${overLevels(compared)}`;
  const made = arms.filter(({ arm }) => of.includes(arm) || less.includes(arm));
  const engineers = joinWithAnd([...new Set(made.map(({ engineer }) => engineer))]);
  const unusing = made.filter(({ notApplicable }) => notApplicable.length > 0);
  const unused = [...new Set(unusing.flatMap((arm) => arm.notApplicable))];
  const why =
    unused.length === 0
      ? `${engineers} used the same evidence on both sides`
      : `${engineers} ${unusableText(unusing, unused)}, and everything else is the same on both sides`;
  return `${claim}: ${why}.`;
}

export interface MeasureFormat {
  readonly measure: string;
  readonly isShare: boolean;
}

export function formatOf(measure: string, { better, shares, values }: Material): MeasureFormat {
  if (shares !== undefined) return { measure, isShare: shares.includes(measure) };
  const own = values.flatMap((one) => (one.measure === measure && one.value !== null ? [one.value] : []));
  return { measure, isShare: better[measure] === 'higher' && own.every((value) => value >= 0 && value <= 1) };
}

/** How an arm did: `45.1 %`. */
export function figure({ isShare }: MeasureFormat, value: number): string {
  return isShare ? `${(100 * value).toFixed(1)} %` : digits(value);
}

/** How much one is above another, without its sign: `3.1 points`. What is no zero is never written as one. */
export function distance({ isShare }: MeasureFormat, value: number): string {
  const size = Math.abs(value);
  if (!isShare) return digits(size);
  const points = (100 * size).toFixed(1);
  return `${Number(points) === 0 ? digits(100 * size) : points} points`;
}

/** With its sign, where nothing is claimed of it: `+1.2 points`. */
export function signed({ isShare }: MeasureFormat, value: number): string {
  const text = isShare ? (100 * value).toFixed(1) : digits(value);
  const sign = Number(text) > 0 ? '+' : '';
  return `${sign}${whole(text)}${isShare ? ' points' : ''}`;
}

function range({ isShare }: MeasureFormat, { low, high }: Interval): string {
  const [from, to] = [low, high].map((end) => whole(isShare ? (100 * end).toFixed(1) : digits(end)));
  return `[${from}, ${to}]`;
}

/** What was stated to count as none, as it was stated: `2 points`. */
function marginText({ isShare }: MeasureFormat, margin: number): string {
  if (!isShare) return digits(margin);
  const points = Number((100 * margin).toFixed(3));
  return `${points} ${points === 1 ? 'point' : 'points'}`;
}

export function chance(p: number): string {
  return p < 0.001 ? 'p < 0.001' : `p = ${Number(p.toPrecision(3))}`;
}

export function seeds(count: number): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? 'seed' : 'seeds'}`;
}

function digits(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** No zero has a sign. */
function whole(text: string): string {
  return Number(text) === 0 ? text.replace('-', '') : text;
}
