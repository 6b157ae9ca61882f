// Arms compared: what differs in their pairs, how sure that is, and what it amounts to. The primary contrast stands for
// itself; all others count together.
import { hedges } from '../../../lab/statistics/hedges.ts';
import { holm } from '../../../lab/statistics/holm.ts';
import { unitsNeeded } from '../../../lab/statistics/power.ts';
import { alphaOf, type Shift, shiftOf } from '../../../lab/statistics/shift.ts';
import { meanOf } from '../../../lab/statistics/student.ts';
import type { Interval } from '../../../lab/statistics/wilson.ts';
import { isApplicable, twinsOf } from './alike.ts';
import type { ArmMade, Contrast, Material, Verdict } from './material.ts';
import { type ByUnit, byUnit, differencesOf, unitsFor } from './pairing.ts';

/** Why there is no test: both decided from the same, decided the same with the same outcome, or have too few pairs. */
export type Untested = 'not-applicable' | 'same' | 'no-pair' | 'one-pair';

export interface Compared {
  readonly arm: string;
  readonly against: string;
  readonly of: readonly string[];
  readonly less: readonly string[];
  readonly kind: 'primary' | Contrast['kind'];
  readonly measure: string;
  readonly untested: Untested | null;
  /** Whether all arms of it decided on the same configurations. */
  readonly isSame: boolean;
  readonly units: number;
  /** Null where there is no pair. */
  readonly value: number | null;
  readonly interval: Interval | null;
  readonly effect: number | null;
  readonly p: number | null;
  /** What p counts for among all that are tested together; of the primary contrast p itself. */
  readonly adjusted: number | null;
  /** The same of the two tests of equality; null without a margin. */
  readonly equality: number | null;
  readonly verdict: Verdict;
  /** So many units would tell so large a difference; null where it is told, or where they do not say how they scatter. */
  readonly needed: Needed;
  /** So many tests count together. */
  readonly together: number;
}

export type Needed = number | 'out-of-reach' | null;

/** Whoever concludes again draws the same. */
export const drawnBy = 'icecore ablate';
/** Four times out of five a difference that is there would show. */
export const power = 0.8;

/** Contrasts by one measure, the primary one first. */
export function comparedBy(measure: string, material: Material): Compared[] {
  const { primary } = material;
  const values = byUnit(material, measure);
  const first: readonly Held[] =
    primary === null
      ? []
      : [{ arm: primary.arm, against: primary.against, kind: 'primary', of: [primary.arm], less: [primary.against] }];
  const measured = (held: Held): Measured => measuredOf(held, values, material);
  return [first, material.contrasts].flatMap((family) => judged(family.map(measured), measure, material));
}

type Held = Omit<Contrast, 'kind'> & { readonly kind: Compared['kind'] };

interface Measured {
  readonly held: Held;
  readonly untested: Untested | null;
  readonly isSame: boolean;
  readonly differences: readonly number[];
  readonly shift: Shift | null;
}

function measuredOf(held: Held, values: ByUnit, material: Material): Measured {
  const { of, less } = held;
  const differences = differencesOf(of, less, unitsFor([...of, ...less], material), values);
  const isSame = twinsOf(material).some((alike) => [...of, ...less].every((arm) => alike.includes(arm)));
  const untested = whyUntested(held, { differences, isSame, arms: material.arms });
  return { held, untested, isSame, differences, shift: untested === null ? shiftOf(differences, drawnBy) : null };
}

interface Pairs {
  readonly differences: readonly number[];
  readonly isSame: boolean;
  readonly arms: readonly ArmMade[];
}

function whyUntested({ of, less }: Held, { differences, isSame, arms }: Pairs): Untested | null {
  const made = (names: readonly string[]) => arms.filter(({ arm }) => names.includes(arm));
  if (!isApplicable(made(of), made(less))) return 'not-applicable';
  const { length } = differences;
  if (length === 0) return 'no-pair';
  if (isSame && differences.every((one) => one === 0)) return 'same';
  return length === 1 ? 'one-pair' : null;
}

/** The two kinds of claims, that arms differ and that they are equal, are corrected each for being many. */
function judged(family: readonly Measured[], measure: string, material: Material): Compared[] {
  const tested = family.flatMap(({ shift }) => shift ?? []);
  const { margin } = material;
  const adjusted = new Map(zipped(tested, holm(tested.map((shift) => shift.p(0)))));
  const equality =
    margin === null ? null : new Map(zipped(tested, holm(tested.map((shift) => shift.equivalence(margin)))));
  return family.map((one) => {
    const { shift } = one;
    const found = shift === null ? null : { p: shift.p(0), adjusted: adjusted.get(shift) ?? 1 };
    const equal = shift === null ? null : (equality?.get(shift) ?? null);
    return told(one, { ...found, equal, measure, together: tested.length }, material.level);
  });
}

function zipped<One, Other>(ones: readonly One[], others: readonly Other[]): [One, Other][] {
  return ones.flatMap((one, i) => others.slice(i, i + 1).map((other): [One, Other] => [one, other]));
}

interface Found {
  readonly p?: number;
  readonly adjusted?: number;
  readonly equal: number | null;
  readonly measure: string;
  readonly together: number;
}

function told({ held, untested, isSame, differences, shift }: Measured, found: Found, level: number): Compared {
  const { p = null, adjusted = null, equal: equality, measure, together } = found;
  const alpha = alphaOf(level);
  const verdict = verdictOf(untested, adjusted, equality, alpha);
  const isOpen = untested === null && verdict === 'not-distinguished';
  return {
    ...held,
    ...{ measure, untested, isSame, p, adjusted, equality, verdict, together },
    units: differences.length,
    value: differences.length === 0 ? null : meanOf(differences),
    interval: shift?.interval(level) ?? null,
    effect: untested === null ? hedges(differences) : null,
    needed: isOpen ? neededFor(differences, alpha / together) : null,
  };
}

/** More than there are: of as many as there are, these did not tell. */
export function neededFor(differences: readonly number[], alpha: number): Needed {
  if (differences.length < 3) return null;
  const effect = hedges(differences) ?? evenEffect(differences);
  if (effect === 0) return null;
  const needed = unitsNeeded({ effect, alpha, power });
  return needed === null ? 'out-of-reach' : needed > differences.length ? needed : null;
}

/** Differences that are all alike are beyond all measure, unless there is none. */
function evenEffect(differences: readonly number[]): number {
  return differences.every((one) => one === 0) ? 0 : Number.POSITIVE_INFINITY;
}

/** A difference that is shown to lie within the margin counts as none, however sure it is that there is one. */
function verdictOf(
  untested: Untested | null,
  adjusted: number | null,
  equality: number | null,
  alpha: number,
): Verdict {
  if (untested === 'not-applicable') return 'not-applicable';
  if (equality !== null && equality < alpha) return 'equal';
  return adjusted !== null && adjusted < alpha ? 'different' : 'not-distinguished';
}
