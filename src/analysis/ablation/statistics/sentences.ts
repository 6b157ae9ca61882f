// A contrast in a sentence, which claims what its test shows and nothing else.

import { mostNeeded } from '../../../lab/statistics/power.ts';
import { alphaOf, fewestPairs, leastSignFlip } from '../../../lab/statistics/significance.ts';
import { chance, distance, listed, marginText, range, seeds, signed, type Told } from './amounts.ts';
import type { Compared } from './compared.ts';
import type { ArmMade, Better, Material } from './material.ts';

export interface Telling {
  readonly told: Told;
  /** Null where nobody said which is better. */
  readonly better: Better | null;
  readonly level: number;
  readonly margin: number | null;
}

export function contrastSentence(compared: Compared, telling: Telling, arms: Material['arms']): string {
  if (compared.verdict === 'not-applicable') return nullByConstruction(compared, arms);
  if (compared.untested === 'errored') return `${subjectOf(compared)} are not compared.${overLevels(compared)}`;
  if (compared.untested === 'no-pair')
    return `${subjectOf(compared)} could not be compared: no seed has ${telling.told.measure} on both sides.`;
  const claim = `${claimOf(compared, telling)}${overLevels(compared)}`;
  return compared.isSame
    ? `${claim} Both decided on the same configurations: whatever differs is not what they chose.`
    : claim;
}

function claimOf(compared: Compared, telling: Telling): string {
  if (compared.verdict === 'equivalent') return equivalent(compared, telling);
  return compared.verdict === 'significant' ? significant(compared, telling) : inconclusive(compared, telling);
}

function significant(compared: Compared, telling: Telling): string {
  const { value, interval, kind, arm, reference, units } = compared;
  const { told, better } = telling;
  const by = value ?? 0;
  if (kind === 'effect')
    return `${subjectOf(compared)} is significant: ${observed(compared, telling)}, ${chances(compared)}.`;
  const upright = interval === null || by > 0 ? interval : { low: -interval.high, high: -interval.low };
  const around = upright === null ? '' : ` ${range(told, upright)}`;
  const how = better === null ? [`higher`, `lower`] : ['better', 'worse'];
  const is = by > 0 === (better !== 'lower') ? how[0] : how[1];
  return `${arm} is significantly ${is} than ${reference} by ${distance(told, by)} ${told.measure}${around}, ${seeds(units)}, ${chances(compared)}.`;
}

function equivalent(compared: Compared, telling: Telling): string {
  const { kind, equality, adjusted } = compared;
  const within = marginText(telling.told, telling.margin ?? 0);
  const claim = `${subjectOf(compared)} ${kind === 'effect' ? 'is equivalent to none' : 'are equivalent'} within ${within}`;
  const isSure = adjusted !== null && adjusted < alphaOf(telling.level);
  const yet = isSure ? `; there is a difference, ${chance(adjusted)}, of a size that counts as none` : '';
  return `${claim}: ${observed(compared, telling)}, ${chance(equality ?? 1)} by two one-sided tests${afterHolm(compared)}${yet}.`;
}

function inconclusive(compared: Compared, telling: Telling): string {
  const { told, margin } = telling;
  const isEffect = compared.kind === 'effect';
  const subject = isEffect ? subjectOf(compared) : `${compared.arm} against ${compared.reference}`;
  const claim = `${subject} is inconclusive`;
  const p = compared.p === null ? '' : `, ${chances(compared)}`;
  const within = margin === null ? '' : marginText(told, margin);
  const equality = isEffect
    ? `Nor is it shown to be equivalent to none within ${within}.`
    : `Nor are they shown to be equivalent within ${within}.`;
  return `${claim}: ${observed(compared, telling)}${p}${whatNext(compared, telling.level)}.${margin === null ? '' : ` ${equality}`}`;
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
  const { untested, units, needed, value } = compared;
  if (untested === 'one-pair') return ': one seed does not say how much is chance';
  const fewest = fewestPairs(alphaOf(level));
  if (units < fewest)
    return `: ${seeds(units)} are too few for an interval and for any difference to show, for p cannot fall below ${least(units)}; ${seeds(fewest)} are the least`;
  if (needed === 'out-of-reach') return `; ${seeds(mostNeeded)} would not show a difference this small`;
  return needed === null || value === 0 ? '' : `; about ${seeds(needed)} would show a difference this large`;
}

function least(units: number): string {
  return String(Number(leastSignFlip(units).toPrecision(3)));
}

function observed({ value, interval, units }: Compared, { told }: Telling): string {
  const around = interval === null ? '' : ` ${range(told, interval)}`;
  return `${signed(told, value ?? 0)} ${told.measure}${around}, ${seeds(units)}`;
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
  const claim = `${subjectOf(compared)} ${kind === 'effect' ? 'was' : 'were'} not tested: the null holds by construction`;
  if (compared.untested === 'same')
    return `${claim}, for both sides decided the same everywhere, and came to the same.${overLevels(compared)}`;
  if (of.length === 0) return `${claim}.${overLevels(compared)}`;
  const made = arms.filter(({ arm }) => of.includes(arm) || less.includes(arm));
  const engineers = listed([...new Set(made.map(({ engineer }) => engineer))]);
  const unused = [...new Set(made.flatMap((arm) => arm.notApplicable))];
  const why =
    unused.length === 0
      ? `${engineers} decided from the same on both sides`
      : `${engineers} cannot use ${listed(unused)}, and all else is the same on both sides`;
  return `${claim}, for ${why}.`;
}
