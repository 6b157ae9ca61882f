// How many pairs it takes to find a difference: so many that the test shows it, where it is there, as often as is asked for.
import { hedges } from './hedges.ts';
import { beyond, deviationsWithin } from './normal.ts';
import { attainable } from './shift.ts';
import { tWithin } from './student.ts';

/** More than so many are no plan. */
export const mostNeeded = 10_000;

/** Of more than so many pairs Guenther's approximation is exact. */
const many = 200;

export interface Sought {
  /** The difference in standard deviations of the pairs. */
  readonly effect: number;
  /** What the test leaves to chance, to both sides together. */
  readonly alpha: number;
  /** How often it is to show: more often than not. */
  readonly power: number;
}

export type Needed = number | 'out-of-reach' | null;

/** A difference that exists is to be found four times out of five. */
export const usualPower = 0.8;

/**
 * How many pairs would show a difference as large as that of these pairs, which did not show it: always more than there
 * are. Null where these pairs do not say how much they vary, or where they do not differ at all.
 */
export function neededFor(differences: readonly number[], alpha: number): Needed {
  if (differences.length < 3) return null;
  const effect = hedges(differences) ?? evenEffect(differences);
  if (effect === 0) return null;
  const needed = unitsNeeded({ effect, alpha, power: usualPower });
  return needed === null ? 'out-of-reach' : needed > differences.length ? needed : null;
}

/** Differences that are all the same are an effect without limit, unless they are all zero. */
function evenEffect(differences: readonly number[]): number {
  return differences.every((one) => one === 0) ? 0 : Number.POSITIVE_INFINITY;
}

/**
 * By Student's t at the level that turning signs attains with as many pairs, which is what makes a difference to few of them.
 * Null of no effect, and where thousands would not do.
 */
export function unitsNeeded({ effect, alpha, power }: Sought): number | null {
  if (effect === 0) return null;
  const within = deviationsWithin(1 - alpha);
  // If deviations were known, these would do: guessing them takes a few more, and never fewer.
  const known = ((within + deviationsWithin(2 * power - 1)) / effect) ** 2;
  if (known > many) return known > mostNeeded ? null : Math.ceil(known + within ** 2 / 2);
  let units = Math.max(2, Math.floor(known));
  while (tPower(effect, units, attainable(units, alpha)) < power) units += 1;
  return units;
}

/**
 * The smallest difference, in standard deviations of the pairs, that this number of pairs finds as often as power says: by the
 * same reckoning as the number of pairs that a difference takes. Null where no difference could be significant.
 */
export function effectFound(units: number, { alpha, power }: Omit<Sought, 'effect'>): number | null {
  const isFound = (effect: number): boolean => (unitsNeeded({ effect, alpha, power }) ?? mostNeeded + 1) <= units;
  let [low, high] = [0, largest];
  if (!isFound(high)) return null;
  for (let i = 0; i < halvings; i++) {
    const middle = (low + high) / 2;
    if (isFound(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Any difference beyond is certain. */
const largest = 64;
const halvings = 30;

/** How often a t test of so many pairs, to both sides, shows an effect of so many deviations: by the noncentral t. */
export function tPower(effect: number, units: number, alpha: number): number {
  if (units < 2 || alpha <= 0) return 0;
  const degrees = units - 1;
  const critical = tWithin(1 - alpha, degrees);
  const away = effect * Math.sqrt(units);
  return overSpreads(degrees, (spread) => below(away - critical * spread) + below(-away - critical * spread));
}

const steps = 200;

/** The mean of what comes of the deviation that is guessed, by how often it is guessed as so much of the true one. */
function overSpreads(degrees: number, of: (spread: number) => number): number {
  const width = 8 / Math.sqrt(2 * degrees);
  const from = Math.max(0, 1 - width);
  let [sum, all] = [0, 0];
  for (let step = 0; step < steps; step++) {
    const spread = from + ((step + 0.5) / steps) * (1 + width - from);
    const weight = Math.exp((degrees - 1) * Math.log(spread) - (degrees * (spread ** 2 - 1)) / 2);
    sum += weight * of(spread);
    all += weight;
  }
  return sum / all;
}

/** So much of the normal distribution lies below. */
function below(deviations: number): number {
  const half = beyond(deviations) / 2;
  return deviations > 0 ? 1 - half : half;
}
