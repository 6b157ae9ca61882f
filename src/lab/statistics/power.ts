// How many pairs a test needs to find a difference with a given power.
import { getOrCreate } from '../../base/get-or-create.ts';
import { Random } from '../random.ts';
import { beyond, deviationsWithin, hedges, normal, tWithin } from './distributions.ts';
import { attainable, significantWays } from './significance.ts';

/** A larger number is not a practical plan. */
export const mostNeeded = 10_000;

/** Above this number of pairs Guenther's approximation is exact. */
const many = 200;

interface Sought {
  /** The difference in standard deviations of the pairs. */
  readonly effect: number;
  /** The two-sided significance level. */
  readonly alpha: number;
  /** The probability of finding the difference, above 0.5. */
  readonly power: number;
}

export type Needed = number | 'out-of-reach' | null;

/** The conventional power of 80 %. */
export const usualPower = 0.8;

/** Two pairs say next to nothing of how pairs scatter. */
export const fewestForScatter = 3;

/**
 * The number of pairs that would make a difference of this size significant, if it is not: always more than there are.
 * Null if the pairs do not show their variance, or do not differ at all.
 */
export function neededFor(differences: readonly number[], alpha: number): Needed {
  if (differences.length < fewestForScatter) return null;
  const effect = hedges(differences) ?? evenEffect(differences);
  if (effect === 0) return null;
  const needed = unitsNeeded({ effect, alpha, power: usualPower });
  return needed === null ? 'out-of-reach' : needed > differences.length ? needed : null;
}

/** Equal differences are an infinite effect, unless all of them are zero. */
function evenEffect(differences: readonly number[]): number {
  return differences.every((one) => one === 0) ? 0 : Number.POSITIVE_INFINITY;
}

/** Null for no effect, and if thousands of pairs are not enough. */
export function unitsNeeded({ effect, alpha, power }: Sought): number | null {
  if (effect === 0) return null;
  const within = deviationsWithin(1 - alpha);
  // The number for a known deviation; an estimated one needs a few more pairs, never fewer.
  const known = ((within + deviationsWithin(2 * power - 1)) / effect) ** 2;
  if (known > many) return known > mostNeeded ? null : Math.ceil(known + within ** 2 / 2);
  let units = Math.max(2, Math.floor(known));
  while (powerOf(effect, units, alpha) < power) units += 1;
  return units;
}

/**
 * The smallest difference, in standard deviations of the pairs, that this number of pairs finds with this power, by the
 * same computation as `unitsNeeded`. Null if no difference could be significant.
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

/** A larger effect is always found. */
const largest = 64;
const halvings = 30;

/**
 * With more significant ways than this, a t test at the same level is an upper bound for the power of a sign-flip test.
 */
const fewWays = 12;

/**
 * The power of the sign-flip test: that of a t test at the attained level, except for very few pairs with hardly any
 * significant sign assignment, where it is simulated.
 */
export function powerOf(effect: number, units: number, alpha: number): number {
  const ways = significantWays(units, alpha);
  if (ways === 0) return 0;
  if (ways > fewWays) return tPower(effect, units, attainable(units, alpha));
  const shown = getOrCreate(shownFrom, JSON.stringify([units, ways]), () => effectsShown(units, ways));
  return (countBelow(shown, Math.abs(effect)) + countBelow(shown, -Math.abs(effect))) / shown.length;
}

/** By pairs and ways. */
const shownFrom = new Map<string, Float64Array>();

/** Enough draws for an accuracy of about one percentage point; with more pairs each draw takes longer. */
const setsOf = (units: number): number => Math.max(500, Math.min(2000, 2 ** (22 - units)));

/**
 * For sets of pairs drawn around zero: the sorted effects from which each set would be significant. An effect moves all
 * pairs, and the set is significant when only the fewest means of its subsets are below zero.
 */
function effectsShown(units: number, ways: number): Float64Array {
  const luck = new Random('power', units, ways);
  const sets = setsOf(units);
  const effects = new Float64Array(2 * sets);
  for (let set = 0; set < sets; set++) {
    const drawn = Array.from({ length: units }, () => normal(luck));
    effects[2 * set] = -lowMean(drawn, ways);
    effects[2 * set + 1] = -lowMean(
      drawn.map((one) => -one),
      ways,
    );
  }
  return effects.sort();
}

/** The mean at this rank among those of all subsets of pairs, the lowest first. */
function lowMean(pairs: readonly number[], place: number): number {
  const count = 2 ** pairs.length;
  const sums = new Float64Array(count);
  const sizes = new Uint8Array(count);
  const lowest = new Float64Array(place).fill(Number.POSITIVE_INFINITY);
  const last = place - 1;
  for (let set = 1; set < count; set++) {
    const without = set & (set - 1);
    const sum = (sums[without] ?? 0) + (pairs[31 - Math.clz32(set ^ without)] ?? 0);
    const size = (sizes[without] ?? 0) + 1;
    sums[set] = sum;
    sizes[set] = size;
    const mean = sum / size;
    if (mean >= (lowest[last] ?? 0)) continue;
    let at = last;
    for (; at > 0 && mean < (lowest[at - 1] ?? 0); at--) lowest[at] = lowest[at - 1] ?? 0;
    lowest[at] = mean;
  }
  return lowest[last] ?? 0;
}

/** The number of sorted values below this. */
function countBelow(sorted: Float64Array, limit: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] ?? 0) < limit) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The power of a two-sided t test with this number of pairs and this effect, by the noncentral t distribution. */
export function tPower(effect: number, units: number, alpha: number): number {
  if (units < 2 || alpha <= 0) return 0;
  const degrees = units - 1;
  const critical = tWithin(1 - alpha, degrees);
  const away = effect * Math.sqrt(units);
  return overSpreads(degrees, (spread) => below(away - critical * spread) + below(-away - critical * spread));
}

const steps = 200;

/** The mean over the sampling distribution of the estimated deviation. */
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

/** The normal cumulative distribution function. */
function below(deviations: number): number {
  const half = beyond(deviations) / 2;
  return deviations > 0 ? 1 - half : half;
}
