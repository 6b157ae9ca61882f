// The sign-flip test of paired differences: under the null hypothesis each difference may have either sign with equal
// probability. p is the share of all sign assignments whose sum is at least as far from zero as the observed one.
import { Random } from '../random.ts';
import type { Interval } from './distributions.ts';

/** The maximum number of pairs for full enumeration: a quarter of a million sign assignments. */
const mostInAll = 18;
/** The number of random sign assignments for more pairs. */
const drawn = 20_000;
/** The rounding error of sums, relative to the sum of all sizes. */
const dust = 1e-9;

/** `seed` determines the random draws if there are too many pairs for full enumeration. */
export function signFlip(differences: readonly number[], seed: string): number {
  const sizes = differences.map(Math.abs).filter((size) => size > 0);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const least = Math.abs(differences.reduce((sum, one) => sum + one, 0)) - dust * all;
  return sizes.length <= mostInAll ? ofAll(sizes, least) : ofDrawn(sizes, least, seed);
}

/** The smallest possible p for this number of pairs: with five it never reaches 0.05. */
export function leastSignFlip(pairs: number): number {
  return Math.min(1, 2 / 2 ** pairs);
}

/** Gray code: only one sign changes per step, namely that of the lowest set bit of the step's number. */
function ofAll(sizes: readonly number[], least: number): number {
  const ways = 2 ** sizes.length;
  const signs = sizes.map(() => 1);
  let sum = sizes.reduce((all, size) => all + size, 0);
  let as = Math.abs(sum) >= least ? 1 : 0;
  for (let way = 1; way < ways; way++) {
    const i = 31 - Math.clz32(way & -way);
    const sign = -(signs[i] ?? 1);
    signs[i] = sign;
    sum += 2 * sign * (sizes[i] ?? 0);
    if (Math.abs(sum) >= least) as += 1;
  }
  return as / ways;
}

/** The observed assignment counts as one of them, so p is never zero. */
function ofDrawn(sizes: readonly number[], least: number, seed: string): number {
  const luck = new Random(seed, 'sign-flip', sizes.length);
  let as = 1;
  for (let way = 0; way < drawn; way++) {
    let [sum, bits] = [0, 0];
    for (let i = 0; i < sizes.length; i++) {
      bits = i % 32 === 0 ? luck.word() : bits >>> 1;
      sum += (bits & 1) === 1 ? (sizes[i] ?? 0) : -(sizes[i] ?? 0);
    }
    if (Math.abs(sum) >= least) as += 1;
  }
  return as / (drawn + 1);
}

// Inference about the centre of paired differences by sign flips: an interval, p values and an equivalence test that
// never contradict each other, because all of them use the same sign assignments. The only assumption is that the
// differences are symmetric about their centre.
//
// Flipping the signs of some pairs about a centre gives a mean at least as high as observed exactly if the mean of
// these pairs is not above the centre. So the sorted means of all subsets of pairs are sufficient for every centre.

/** The maximum number of pairs for full enumeration: a quarter of a million subsets. */
const mostPairsInAll = 18;
/** The number of random subsets for more pairs. */
const setsDrawn = 20_000;
/** For more pairs, the steps of p are so fine that every level is attainable. */
const mostExactBits = 50;
/** The rounding error of sums, relative to the largest value. */
const roundingSlack = 1e-9;

export interface Shift {
  /** The probability of a mean at least this high if this is the centre: small if the centre is above it. */
  readonly above: (middle: number) => number;
  /** The probability of a mean at least this low if this is the centre. */
  readonly below: (middle: number) => number;
  /** The two-sided p value for this centre. */
  readonly p: (middle: number) => number;
  /** Two one-sided tests (TOST): the p value for a true difference of at least this margin. */
  readonly equivalence: (margin: number) => number;
  /** All centres whose p is at least 1 - level; null if there are too few pairs to exclude any. */
  readonly interval: (level: number) => Interval | null;
}

/**
 * Requires at least one difference. `seed` determines the random subsets if there are too many for full enumeration.
 */
export function shiftOf(differences: readonly number[], seed: string): Shift {
  const means = (differences.length <= mostPairsInAll ? ofAllSets(differences) : ofDrawnSets(differences, seed)).sort();
  const ways = means.length + 1;
  const slack = roundingSlack * differences.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
  // A tie counts as at least as extreme on both sides: with differences that are all zero, p is 1.
  const above = (middle: number): number => (1 + countUpTo(means, middle + slack)) / ways;
  const below = (middle: number): number => (ways - countBelow(means, middle - slack)) / ways;
  const clean = (end: number): number => (Math.abs(end) <= slack ? 0 : end);
  return {
    above,
    below,
    p: (middle) => Math.min(1, 2 * above(middle), 2 * below(middle)),
    equivalence: (margin) => Math.max(above(-margin), below(margin)),
    interval(level) {
      const left = leftOut(ways, alphaOf(level));
      const [low, high] = [means[left - 1], means[means.length - left]];
      return low === undefined || high === undefined ? null : { low: clean(low), high: clean(high) };
    },
  };
}

/** 1 - level without rounding errors: 0.05 for 0.95. */
export function alphaOf(level: number): number {
  return Number((1 - level).toFixed(9));
}

/**
 * The largest attainable p at or below this level for this number of pairs: with six pairs a test at 0.05 is one at
 * 0.03125.
 */
export function attainable(pairs: number, alpha: number): number {
  return (2 * significantWays(pairs, alpha)) / waysOf(pairs);
}

/** The number of significant sign assignments per side: with six pairs at 0.05 a single one. */
export function significantWays(pairs: number, alpha: number): number {
  return Math.max(0, leftOut(waysOf(pairs), alpha));
}

const waysOf = (pairs: number): number => 2 ** Math.min(pairs, mostExactBits);

/** The smallest number of pairs that can have a p below this level. */
export function fewestPairs(alpha: number): number {
  return Math.floor(1 - Math.log2(alpha)) + 1;
}

/** Whether this number of assignments per side has a probability below `alpha`. */
function leftOut(ways: number, alpha: number): number {
  return Math.ceil((alpha / 2) * ways) - 1;
}

/** The sum of a subset is that of the subset without its last pair, plus this pair. */
function ofAllSets(differences: readonly number[]): Float64Array {
  const sums = new Float64Array(2 ** differences.length);
  const sizes = new Uint8Array(sums.length);
  for (let set = 1; set < sums.length; set++) {
    const without = set & (set - 1);
    sums[set] = (sums[without] ?? 0) + (differences[31 - Math.clz32(set ^ without)] ?? 0);
    sizes[set] = (sizes[without] ?? 0) + 1;
  }
  return sums.subarray(1).map((sum, i) => sum / (sizes[i + 1] ?? 1));
}

function ofDrawnSets(differences: readonly number[], seed: string): Float64Array {
  const luck = new Random(seed, 'shift', differences.length);
  return new Float64Array(setsDrawn).map(() => {
    for (;;) {
      let [sum, size, bits] = [0, 0, 0];
      for (let i = 0; i < differences.length; i++) {
        bits = i % 32 === 0 ? luck.word() : bits >>> 1;
        if ((bits & 1) === 0) continue;
        sum += differences[i] ?? 0;
        size += 1;
      }
      if (size > 0) return sum / size;
    }
  });
}

/** The number of sorted means that are at most this. */
function countUpTo(means: Float64Array, limit: number): number {
  return partition(means, (mean) => mean <= limit);
}

/** The number of sorted means that are less than this. */
function countBelow(means: Float64Array, limit: number): number {
  return partition(means, (mean) => mean < limit);
}

/** The number of sorted means for which `isBefore` holds, which come first. */
function partition(means: Float64Array, isBefore: (mean: number) => boolean): number {
  let [from, to] = [0, means.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isBefore(means[middle] ?? 0)) from = middle + 1;
    else to = middle;
  }
  return from;
}

// Two policies that tried the same tasks once each: only tasks with different results are informative. Under the null
// hypothesis each of them favours either side with equal probability.

/** The exact two-sided p value of McNemar's test, from the numbers of tasks on which each side was better. */
export function mcnemar(better: number, worse: number): number {
  return Math.min(1, 2 * atLeast(Math.max(better, worse), better + worse, 1 / 2));
}

/** The probability of at least `count` successes in `of` independent tries. */
export function atLeast(count: number, of: number, chance: number): number {
  let logChoose = 0;
  let sum = 0;
  for (let failed = 0; failed <= of - count; failed++) {
    sum += Math.exp(logChoose + (of - failed) * Math.log(chance) + failed * Math.log1p(-chance));
    logChoose += Math.log((of - failed) / (failed + 1));
  }
  return Math.min(1, sum);
}

// Multiple comparisons: of twenty comparisons without a difference, one looks significant. Holm's correction controls
// the probability of any false positive.

/** The adjusted p values, in the same order. */
export function holm(ps: readonly number[]): readonly number[] {
  const order = ps.map((p, i) => ({ p, i })).sort((a, b) => a.p - b.p);
  const adjusted = [...ps];
  let most = 0;
  order.forEach(({ p, i }, rank) => {
    most = Math.max(most, Math.min(1, p * (ps.length - rank)));
    adjusted[i] = most;
  });
  return adjusted;
}
