// Arms compared: what differs in their pairs, how sure that is, and what it amounts to. The declared contrasts are corrected
// for each other, so that a single one is not corrected; so are the main effects that were not declared, and all others.
import { hedges, type Interval, meanOf } from '../../../lab/statistics/distributions.ts';
import { type Needed, neededFor } from '../../../lab/statistics/power.ts';
import { alphaOf, holm, type Shift, shiftOf } from '../../../lab/statistics/significance.ts';
import { isNullByConstruction, isSameOnBothSides } from './alike.ts';
import type { ArmMade, Contrast, LeftOut, Material, Verdict } from './material.ts';
import { type ByUnit, byUnit, differencesOf, unitsFor } from './pairing.ts';

/**
 * Why there is no test: a null by construction, for both decided from the same or decided the same with the same outcome; errors
 * that left nothing to compare; or too few pairs.
 */
export type Untested = 'not-applicable' | 'same' | 'errored' | 'no-pair' | 'one-pair';

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
  readonly effect: number | null;
  readonly p: number | null;
  /** What p counts for among all that are tested together; p itself where it is tested alone. */
  readonly adjusted: number | null;
  /** The same of the two tests of equality; null without a margin. */
  readonly equality: number | null;
  readonly verdict: Verdict;
  /** So many units would tell so large a difference; null where it is told, or where they do not say how they scatter. */
  readonly needed: Needed;
  /** So many tests count together. */
  readonly together: number;
}

/** Whoever concludes again draws the same. */
export const drawnBy = 'icecore ablate';

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

/** Contrasts that are corrected for each other. */
export function familiesOf({
  declared,
  contrasts,
}: Pick<Material, 'declared' | 'contrasts'>): Readonly<
  Record<'declared' | 'mainEffects' | 'others', readonly Contrast[]>
> {
  const others = contrasts.filter((one) => !declared.some((first) => isAlike(one, first)));
  return {
    declared,
    mainEffects: others.filter(isMainEffect),
    others: others.filter((one) => !isMainEffect(one)),
  };
}

export function isMainEffect({ kind }: Pick<Contrast, 'kind'>): boolean {
  return kind === 'engineer' || kind === 'context';
}

/** Whichever side comes first. */
function isAlike(one: Contrast, other: Contrast): boolean {
  const sides = ({ arm, reference }: Contrast): string => JSON.stringify([arm, reference].sort());
  const of = (contrast: Contrast): string => (isMainEffect(contrast) ? contrast.kind : 'arms');
  return of(one) === of(other) && sides(one) === sides(other);
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
    interval: shift?.interval(level) ?? null,
    effect: untested === null ? hedges(differences) : null,
    needed: isOpen ? neededFor(differences, alpha / together) : null,
  };
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
