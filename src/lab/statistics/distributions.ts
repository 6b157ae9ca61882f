// The normal distribution: tail probabilities and quantiles.
import type { Random } from '../random.ts';

/** A standard normal draw by the polar form of the Box-Muller method. */
export function normal(luck: Random): number {
  return Math.sqrt(-2 * Math.log(1 - luck.fraction())) * Math.cos(2 * Math.PI * luck.fraction());
}

/** The probability outside this number of standard deviations on both sides. */
export function beyond(deviations: number): number {
  return complementaryError(Math.abs(deviations) / Math.SQRT2);
}

/** The number of standard deviations that contain this share, below 1: 1.96 for 0.95. */
export function deviationsWithin(share: number): number {
  let [low, high] = [0, 40];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (beyond(middle) > 1 - share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Below this, the series of the error function is accurate; above it, the continued fraction. */
const seriesLimit = 2;

function complementaryError(x: number): number {
  if (x >= seriesLimit) return tail(x);
  let [term, sum] = [x, x];
  for (let n = 1; Math.abs(term) > 1e-17 * sum; n++) {
    term *= -(x ** 2) / n;
    sum += term / (2 * n + 1);
  }
  return 1 - (2 / Math.sqrt(Math.PI)) * sum;
}

/** Laplace's continued fraction, evaluated from its end. */
function tail(x: number): number {
  let fraction = x;
  for (let n = 60; n >= 1; n--) fraction = x + n / 2 / fraction;
  return Math.exp(-(x ** 2)) / Math.sqrt(Math.PI) / fraction;
}

// A mean of few values and its interval by Student's t, which accounts for the estimated spread.

export interface Mean extends Interval {
  readonly value: number;
  /** The standard deviation of the values. */
  readonly deviation: number;
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The standard deviation of a sample, of two values or more. */
export function deviationOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}

/** Null for fewer than two values, which have no spread. */
export function meanInterval(values: readonly number[], level: number): Mean | null {
  const { length } = values;
  if (length < 2 || isUnvaried(values)) return null;
  const value = meanOf(values);
  const deviation = deviationOf(values);
  const half = (tWithin(level, length - 1) * deviation) / Math.sqrt(length);
  return { value, low: value - half, high: value + half, deviation };
}

/** The distance from the centre that contains this share, below 1: 2.26 for 0.95 and 9 degrees of freedom. */
export function tWithin(share: number, degrees: number): number {
  let [low, high] = [0, Math.PI / 2];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (within(middle, degrees) < share) low = middle;
    else high = middle;
  }
  return Math.sqrt(degrees) * Math.tan((low + high) / 2);
}

/**
 * The probability within `tan(angle) * sqrt(degrees)` of the centre: for integer degrees of freedom a finite sum of
 * powers of the cosine.
 */
function within(angle: number, degrees: number): number {
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const isOdd = degrees % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = degrees === 1 ? 0 : term;
  for (let k = isOdd ? 3 : 2; k < degrees; k += 2) {
    term *= ((k - 1) / k) * cosine ** 2;
    sum += term;
  }
  return isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
}

// Wilson's score interval of a proportion, which is also valid for few tries and for proportions of 0 and 1.

/** The confidence level. */
export const confidence = 0.95;

/** The number of standard deviations for this confidence level. */
export const z = 1.959963984540054;

/** Lower and upper bound. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** `count` of `of` tries, of which there is at least one; `deviations` sets the confidence level. */
export function wilson(count: number, of: number, deviations: number = z): Interval {
  const share = count / of;
  const shrunk = 1 + deviations ** 2 / of;
  const middle = (share + deviations ** 2 / (2 * of)) / shrunk;
  const half = (deviations * Math.sqrt((share * (1 - share)) / of + (deviations / (2 * of)) ** 2)) / shrunk;
  return { low: count === 0 ? 0 : middle - half, high: count === of ? 1 : middle + half };
}

// The effect size in standard deviations of the pairs. The deviation is estimated from the same few pairs, which
// inflates the effect; Hedges' factor corrects that.

/** The rounding error of sums, relative to the largest value. */
const dust = 1e-9;

/** Whether values are all alike: they do not say how values scatter, and an interval of no width would claim certainty. */
export function isUnvaried(values: readonly number[]): boolean {
  const largest = Math.max(...values.map(Math.abs));
  return Math.max(...values) - Math.min(...values) <= dust * largest;
}

/** Null for fewer than three pairs, and if all differences are equal: then the deviation is zero. */
export function hedges(differences: readonly number[]): number | null {
  const { length } = differences;
  if (length < 3) return null;
  const deviation = deviationOf(differences);
  const largest = Math.max(...differences.map(Math.abs));
  return deviation <= dust * largest ? null : correction(length - 1) * (meanOf(differences) / deviation);
}

/**
 * gamma(m / 2) / (sqrt(m / 2) gamma((m - 1) / 2)) for m of 2 and more, by integer steps from the gamma of one half and
 * of one.
 */
export function correction(degrees: number): number {
  const isOdd = degrees % 2 === 1;
  let ratio = isOdd ? Math.sqrt(Math.PI) / 2 : 1 / Math.sqrt(Math.PI);
  for (let m = isOdd ? 3 : 2; m < degrees; m += 2) ratio *= m / (m - 1);
  return ratio / Math.sqrt(degrees / 2);
}
