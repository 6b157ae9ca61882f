// Arms compared: what differs in their pairs, how sure that is, and what it amounts to. The declared contrasts are corrected
// for each other, so that a single one is not corrected; so are the main effects that were not declared, and all others. And
// the arm that came out best, and whether more than chance put it there.
import { cellOf } from '../../../../schemas/arm-names.ts';
import { joinWithAnd } from '../../../base/name-lists.ts';
import { hedges, type Interval, isUnvaried, meanOf } from '../../../lab/statistics/distributions.ts';
import { type Needed, neededFor } from '../../../lab/statistics/power.ts';
import { alphaOf, holm, type Shift, shiftOf } from '../../../lab/statistics/significance.ts';
import { type Factor, factors, levelPairs } from '../../../producers/ablation/cells.ts';
import {
  type ArmMade,
  type ArmPair,
  type ByUnit,
  byUnit,
  type Contrast,
  differencesOf,
  isApplicable,
  isNullByConstruction,
  isSameOnBothSides,
  type LeftOut,
  type Material,
  twinsOf,
  unitsFor,
  usedBy,
  type Verdict,
} from './material.ts';

/**
 * Why there is no test: a null by construction, for both decided from the same or decided the same with the same outcome; errors
 * that left nothing to compare; or too few pairs.
 */
type Untested = 'not-applicable' | 'same' | 'errored' | 'no-pair' | 'one-pair';

export interface Compared {
  readonly arm: string;
  readonly reference: string;
  readonly of: readonly string[];
  readonly less: readonly string[];
  readonly kind: Contrast['kind'];
  readonly isDeclared: boolean;
  /** What a main effect goes without. */
  readonly leftOut: readonly LeftOut[];
  readonly measure: string;
  readonly untested: Untested | null;
  /** Whether both sides decided on the same configurations. */
  readonly isSame: boolean;
  readonly units: number;
  /** Null where there is no pair. */
  readonly value: number | null;
  readonly interval: Interval | null;
  /** Whether there is no interval, though there are pairs enough, because all of them differ by the same. */
  readonly isUnvaried: boolean;
  readonly effect: number | null;
  readonly p: number | null;
  /** What p counts for among all that are tested together; p itself where it is tested alone. */
  readonly adjusted: number | null;
  /** The same of the two tests of equality; null without a margin. */
  readonly equality: number | null;
  readonly verdict: Verdict;
  /** The number of units that would show so large a difference; null where it shows, or where they do not say how they scatter. */
  readonly needed: Needed;
  /** The number of tests that are corrected together. */
  readonly together: number;
}

/** Whoever concludes again draws the same. */
const drawnBy = 'icecore ablate';

/** Contrasts by one measure, the declared ones first. */
export function comparedBy(measure: string, material: Material): Compared[] {
  const { declared, mainEffects, others } = familiesOf(material);
  const values = byUnit(material, measure);
  return [declared, mainEffects, others].flatMap((family) =>
    judged(
      family.map((contrast) => measuredOf(contrast, values, material)),
      { measure, isDeclared: family === declared },
      material,
    ),
  );
}

/** Contrasts that are corrected for each other; each pair of arms is compared in one of them. */
export function familiesOf({
  declared,
  contrasts,
}: Pick<Material, 'declared' | 'contrasts'>): Readonly<
  Record<'declared' | 'mainEffects' | 'others', readonly Contrast[]>
> {
  const first = unlike(declared, []);
  const others = unlike(
    contrasts.filter((one) => !isMainEffect(one)),
    first,
  );
  return { declared: first, mainEffects: unlike(contrasts.filter(isMainEffect), [...first, ...others]), others };
}

export function isMainEffect({ kind }: Pick<Contrast, 'kind'>): boolean {
  return kind === 'engineer' || kind === 'context';
}

function unlike(contrasts: readonly Contrast[], earlier: readonly Contrast[]): readonly Contrast[] {
  const met = new Set(earlier.map(compares));
  return contrasts.filter((one) => {
    const what = compares(one);
    return met.has(what) ? false : met.add(what);
  });
}

/** What is compared, whichever side comes first. A main effect over one context or engineer is the contrast of its two arms. */
function compares({ arm, reference, kind, of, less }: Contrast): string {
  const isOfArms = (kind !== 'engineer' && kind !== 'context') || of.length === 1;
  const sides = isOfArms && of.length === 1 && less.length === 1 ? [...of, ...less] : [arm, reference];
  return JSON.stringify([isOfArms ? 'arms' : kind, ...sides.sort()]);
}

interface Measured {
  readonly contrast: Contrast;
  readonly untested: Untested | null;
  readonly isSame: boolean;
  readonly differences: readonly number[];
  readonly shift: Shift | null;
}

function measuredOf(contrast: Contrast, values: ByUnit, material: Material): Measured {
  const { of, less } = contrast;
  const differences = differencesOf(of, less, unitsFor([...of, ...less], material), values);
  const isSame = isSameOnBothSides(of, less, material);
  const untested = whyUntested(contrast, { differences, isSame, arms: material.arms });
  return { contrast, untested, isSame, differences, shift: untested === null ? shiftOf(differences, drawnBy) : null };
}

interface Pairs {
  readonly differences: readonly number[];
  readonly isSame: boolean;
  readonly arms: readonly ArmMade[];
}

function whyUntested(contrast: Contrast, { differences, isSame, arms }: Pairs): Untested | null {
  if (isLostToErrors(contrast)) return 'errored';
  if (isNullByConstruction(contrast, arms)) return 'not-applicable';
  const { length } = differences;
  if (length === 0) return 'no-pair';
  if (isSame && differences.every((one) => one === 0)) return 'same';
  return length === 1 ? 'one-pair' : null;
}

/** Whether nothing is left of a main effect, and errors are among the reasons. */
function isLostToErrors({ of, leftOut = [] }: Contrast): boolean {
  return of.length === 0 && leftOut.some(({ isErrored }) => isErrored);
}

interface Family {
  readonly measure: string;
  readonly isDeclared: boolean;
}

/** The two kinds of claims, that arms differ and that they are equivalent, are corrected each for being many. */
function judged(family: readonly Measured[], { measure, isDeclared }: Family, material: Material): Compared[] {
  const tested = family.flatMap(({ shift }) => shift ?? []);
  const { margin } = material;
  const adjusted = new Map(zipped(tested, holm(tested.map((shift) => shift.p(0)))));
  const equality =
    margin === null ? null : new Map(zipped(tested, holm(tested.map((shift) => shift.equivalence(margin)))));
  return family.map((one) => {
    const { shift } = one;
    const found = shift === null ? null : { p: shift.p(0), adjusted: adjusted.get(shift) ?? 1 };
    const equal = shift === null ? null : (equality?.get(shift) ?? null);
    return concluded(one, { ...found, equal, measure, isDeclared, together: tested.length }, material.level);
  });
}

function zipped<One, Other>(ones: readonly One[], others: readonly Other[]): [One, Other][] {
  return ones.flatMap((one, i) => others.slice(i, i + 1).map((other): [One, Other] => [one, other]));
}

interface Found extends Family {
  readonly p?: number;
  readonly adjusted?: number;
  readonly equal: number | null;
  readonly together: number;
}

function concluded(
  { contrast, untested, isSame, differences, shift }: Measured,
  found: Found,
  level: number,
): Compared {
  const { p = null, adjusted = null, equal: equality, measure, isDeclared, together } = found;
  const alpha = alphaOf(level);
  const verdict = verdictOf(untested, adjusted, equality, alpha);
  const isOpen = untested === null && verdict === 'inconclusive';
  return {
    ...contrast,
    leftOut: contrast.leftOut ?? [],
    ...{ measure, isDeclared, untested, isSame, p, adjusted, equality, verdict, together },
    units: differences.length,
    value: differences.length === 0 ? null : meanOf(differences),
    ...spreadOf(differences, shift?.interval(level) ?? null),
    effect: untested === null ? hedges(differences) : null,
    needed: isOpen ? neededFor(differences, alpha / together) : null,
  };
}

function spreadOf(
  differences: readonly number[],
  interval: Interval | null,
): Pick<Compared, 'interval' | 'isUnvaried'> {
  return interval !== null && isUnvaried(differences)
    ? { interval: null, isUnvaried: true }
    : { interval, isUnvaried: false };
}

/** A difference that is shown to lie within the margin counts as none, however sure it is that there is one. */
function verdictOf(
  untested: Untested | null,
  adjusted: number | null,
  equality: number | null,
  alpha: number,
): Verdict {
  if (untested === 'not-applicable' || untested === 'same') return 'not-applicable';
  if (equality !== null && equality < alpha) return 'equivalent';
  return adjusted !== null && adjusted < alpha ? 'significant' : 'inconclusive';
}

/** An effect over a single column or row is the contrast of two arms, which is tested as such. */
const fewest = 2;

/** All of them, but for those that would be contrasts of two arms, and those between two contexts less something each. */
export function mainEffects(arms: readonly ArmMade[]): readonly Contrast[] {
  const less = new Set(arms.flatMap((arm) => (arm.without.length === 0 ? [] : (cellOf(arm)?.context ?? []))));
  return factors.flatMap((factor) =>
    levelPairs(factor, arms).flatMap(([arm, reference]) => {
      if (less.has(arm) && less.has(reference)) return [];
      const { of, leftOut = [], ...effect } = mainEffect(factor, { arm, reference }, arms);
      return of.length + leftOut.length < fewest ? [] : [{ ...effect, of, leftOut }];
    }),
  );
}

/** One level of a factor compared with another. */
export function mainEffect(factor: Factor, { arm, reference }: ArmPair, arms: readonly ArmMade[]): Contrast {
  const other: Factor = factor === 'engineer' ? 'context' : 'engineer';
  const cells = arms.flatMap((one) => {
    const cell = cellOf(one);
    return cell === null ? [] : [{ arm: one, cell }];
  });
  const at = (level: string): ReadonlyMap<string, ArmMade> =>
    new Map(cells.filter(({ cell }) => cell[factor] === level).map((one) => [one.cell[other], one.arm]));
  const theirs = at(reference);
  const pairs = [...at(arm)].flatMap(([level, mine]) => {
    const there = theirs.get(level);
    return there === undefined ? [] : [{ level, mine, there }];
  });
  const judged = pairs.map((pair) => {
    const errored = erroredIn(pair);
    const reason = errored.length > 0 ? erroredWords(errored) : reasonToLeaveOut(factor, pair, { arm, reference });
    return { ...pair, reason, isErrored: errored.length > 0 };
  });
  const found = judged.filter(({ reason }) => reason === null);
  // Engineers may be compared where one of them can use nothing, if there is nothing else; contexts then are the same to all.
  const counted = factor === 'engineer' && found.length === 0 ? judged.filter(({ isErrored }) => !isErrored) : found;
  const leftOut = judged.flatMap((one): LeftOut[] =>
    one.reason === null || counted.includes(one)
      ? []
      : [{ level: one.level, reason: one.reason, isErrored: one.isErrored }],
  );
  return {
    ...{ arm, reference, kind: factor, leftOut },
    of: counted.map(({ mine }) => mine.arm),
    less: counted.map(({ there }) => there.arm),
  };
}

interface Pair {
  readonly mine: ArmMade;
  readonly there: ArmMade;
}

function erroredIn({ mine, there }: Pair): readonly string[] {
  return [mine, there].filter(({ isErrored = false }) => isErrored).map(({ arm }) => arm);
}

function erroredWords(arms: readonly string[]): string {
  return `where ${joinWithAnd(arms)} errored`;
}

/** An engineer that can use nothing of a context decides as if shown nothing: it tells nothing of either. */
function reasonToLeaveOut(factor: Factor, { mine, there }: Pair, { arm, reference }: ArmPair): string | null {
  if (factor === 'context' && !isApplicable([mine], [there])) return 'which decides from the same in both';
  const blind = usedBy(mine).length === 0 ? arm : usedBy(there).length === 0 ? reference : null;
  if (blind === null) return null;
  return factor === 'context' ? `which can use nothing of ${blind}` : `of which ${blind} can use nothing`;
}

export interface Best {
  readonly arm: string;
  readonly mean: number;
  readonly second: string;
  /** How far before the second best, in their pairs. */
  readonly before: number;
  /** That have a value of it. */
  readonly units: number;
  /** How likely it is so far before each of the others by chance, counted for all arms. */
  readonly p: number;
  readonly isSignificant: boolean;
  readonly arms: number;
  /** Counting each that decided the same as another one. */
  readonly all: number;
  /** All that came to the same as the first, itself among them, also those that decided the same as another one. */
  readonly together: readonly string[];
  /** Whether all of them decided the same. */
  readonly isOneDecision: boolean;
}

/** What comes of adding the same numbers in another order. */
const rounding = 1e-12;

/** Null where fewer than two arms that decided differently have a value in every unit that any arm has. */
export function bestBy(measure: string, material: Material): Best | null {
  const values = byUnit(material, measure);
  const sign = material.better[measure] === 'lower' ? -1 : 1;
  const { whole, distinct } = contenders(values, material);
  const meanFor = (arm: string): number => meanOf([...(values.get(arm)?.values() ?? [])]);
  const ranked = distinct
    .map((arm) => ({ arm, mean: meanFor(arm) }))
    .sort((one, other) => sign * (other.mean - one.mean));
  const [first, second] = ranked;
  if (first === undefined || second === undefined) return null;
  const alpha = alphaOf(material.level);
  const held = ranked.slice(1).map(({ arm }) => {
    const differences = differencesOf([first.arm], [arm], unitsFor([first.arm, arm], material), values).map(
      (one) => sign * one,
    );
    return { differences, p: differences.length === 0 ? 1 : shiftOf(differences, drawnBy).above(0) };
  });
  const p = Math.min(1, ranked.length * Math.max(...held.map((one) => one.p)));
  return {
    ...{ arm: first.arm, mean: first.mean, second: second.arm, p, isSignificant: p < alpha },
    before: meanOf(held[0]?.differences ?? []),
    units: values.get(first.arm)?.size ?? 0,
    arms: ranked.length,
    all: whole.length,
    together: whole.filter((arm) => Math.abs(meanFor(arm) - first.mean) < rounding),
    isOneDecision: Math.abs(second.mean - first.mean) >= rounding,
  };
}

/** Arms that decided the same with the same outcome count once; means over other units could not be compared. */
function contenders(
  values: ByUnit,
  material: Material,
): { readonly whole: readonly string[]; readonly distinct: readonly string[] } {
  const twins = twinsOf(material);
  const most = Math.max(...Array.from(values.values(), ({ size }) => size), 1);
  const whole = material.arms.map(({ arm }) => arm).filter((arm) => values.get(arm)?.size === most);
  const isAsGood = (one: string, other: string): boolean =>
    twins.some((alike) => alike.includes(one) && alike.includes(other)) &&
    differencesOf([one], [other], material.units, values).every((difference) => difference === 0);
  return { whole, distinct: whole.filter((arm, i) => !whole.slice(0, i).some((before) => isAsGood(before, arm))) };
}
