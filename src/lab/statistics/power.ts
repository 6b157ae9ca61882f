// How many pairs it takes to find a difference: so many that the test shows it, where it is there, as often as is asked for.
import { getOrCreate } from '../../base/get-or-create.ts';
import { Random } from '../random.ts';
import { beyond, deviationsWithin, hedges, normal, tWithin } from './distributions.ts';
import { attainable, significantWays } from './significance.ts';

/** More than so many are no plan. */
export const mostNeeded = 10_000;

/** Of more than so many pairs Guenther's approximation is exact. */
const many = 200;

interface Sought {
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

/** Null of no effect, and where thousands would not do. */
export function unitsNeeded({ effect, alpha, power }: Sought): number | null {
  if (effect === 0) return null;
  const within = deviationsWithin(1 - alpha);
  // If deviations were known, these would do: guessing them takes a few more, and never fewer.
  const known = ((within + deviationsWithin(2 * power - 1)) / effect) ** 2;
  if (known > many) return known > mostNeeded ? null : Math.ceil(known + within ** 2 / 2);
  let units = Math.max(2, Math.floor(known));
  while (powerOf(effect, units, alpha) < power) units += 1;
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

/** Where no more ways to turn signs could be significant, a t test at the same level finds more than turning signs does. */
const fewWays = 12;

/**
 * How often changing signs finds an effect: as often as a t test at the level that is attained, but for pairs so few that hardly
 * any way to set their signs could be significant.
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

/** Draws that say power to a point or so; of more pairs each takes longer. */
const setsOf = (units: number): number => Math.max(500, Math.min(2000, 2 ** (22 - units)));

/**
 * Of pairs that are drawn about zero, from which effect on each set would show; in order. An effect moves all of them: it shows
 * where the mean of no set of pairs but the fewest is below zero.
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

/** The mean at this place among those of all sets of pairs, the lowest first. */
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

/** How many of sorted numbers are below this. */
function countBelow(sorted: Float64Array, limit: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] ?? 0) < limit) from = middle + 1;
    else to = middle;
  }
  return from;
}

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
