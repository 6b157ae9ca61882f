// Differences of pairs, tried against chance: if neither side were better, each difference would be as likely to have the
// other sign. So many of all ways to set the signs lead as far from zero as the differences that came.
import { Random } from '../random.ts';
import type { Interval } from './distributions.ts';

/** All ways are gone through up to so many pairs: a quarter of a million. */
const mostInAll = 18;
/** Of more pairs so many ways are drawn. */
const drawn = 20_000;
/** What adding up in another order may change, as a part of all sizes together. */
const dust = 1e-9;

/** `seed` decides what is drawn, where there are too many pairs to go through all ways. */
export function signFlip(differences: readonly number[], seed: string): number {
  const sizes = differences.map(Math.abs).filter((size) => size > 0);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const least = Math.abs(differences.reduce((sum, one) => sum + one, 0)) - dust * all;
  return sizes.length <= mostInAll ? ofAll(sizes, least) : ofDrawn(sizes, least, seed);
}

/** The smallest that it can come to with so many pairs: with five it never reaches 0.05. */
export function leastSignFlip(pairs: number): number {
  return Math.min(1, 2 / 2 ** pairs);
}

/** From one way to the next a single sign changes: the lowest bit that is set in its number says which. */
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

/** The way that came is one of them: so it is never nothing. */
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

// How far differences of pairs lie from zero, or from any other middle, by turning signs alone: an interval, a p and a test
// of equality that never contradict each other, for all of them come from the same ways to turn. Nothing is asked of the
// differences but that they scatter alike to both sides of their middle.
//
// Turning the signs of some pairs about a middle leads at least as high as what came exactly where the mean of these pairs is
// not above it. So the means of all sets of pairs, in order, are all that has to be known of any middle.

/** All sets are gone through up to so many pairs: a quarter of a million. */
const mostPairsInAll = 18;
/** Of more pairs so many sets are drawn. */
const setsDrawn = 20_000;
/** Of more pairs p has so many steps that any is attained. */
const mostTold = 50;
/** What adding up in another order may change, as a part of the largest size. */
const roundingSlack = 1e-9;

export interface Shift {
  /** How likely so high a mean, or a higher one, is where the middle is this: small where the middle is above it. */
  readonly above: (middle: number) => number;
  /** How likely so low a mean, or a lower one, is where the middle is this. */
  readonly below: (middle: number) => number;
  /** How likely a mean so far from this middle is, to either side. */
  readonly p: (middle: number) => number;
  /** Two one-sided tests: how likely differences as narrow as these are where the middle lies so far from zero. */
  readonly equivalence: (margin: number) => number;
  /** All middles that have a p not below 1 - level; null where no pairs so few could leave one out. */
  readonly interval: (level: number) => Interval | null;
}

/** Of at least one difference. `seed` decides which sets are drawn, where there are too many to go through all. */
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

/** What a level leaves to chance, without the slack of subtracting: 0.05 of 0.95. */
export function alphaOf(level: number): number {
  return Number((1 - level).toFixed(9));
}

/** The p below this one that is next to it with so many pairs: a test at 0.05 with six of them is one at 0.03125. */
export function attainable(pairs: number, alpha: number): number {
  return (2 * significantWays(pairs, alpha)) / waysOf(pairs);
}

/** How many ways to set the signs of pairs could be significant, on either side: with six pairs at 0.05 a single one. */
export function significantWays(pairs: number, alpha: number): number {
  return Math.max(0, leftOut(waysOf(pairs), alpha));
}

const waysOf = (pairs: number): number => 2 ** Math.min(pairs, mostTold);

/** So few pairs are the least of which any difference could have a p below this. */
export function fewestPairs(alpha: number): number {
  return Math.floor(1 - Math.log2(alpha)) + 1;
}

/** So many ways on either side are together less likely than `alpha`. */
function leftOut(ways: number, alpha: number): number {
  return Math.ceil((alpha / 2) * ways) - 1;
}

/** The sum of a set is that of the set without its last pair, and this pair. */
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

/** The number of sorted means for which `isBefore` holds: those at the front. */
function partition(means: Float64Array, isBefore: (mean: number) => boolean): number {
  let [from, to] = [0, means.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isBefore(means[middle] ?? 0)) from = middle + 1;
    else to = middle;
  }
  return from;
}

// Two policies that tried the same tasks once each: only tasks on which one succeeded and the other failed tell them apart.
// If neither were better, each of these would be as likely to fall to the one as to the other.

/** How likely so uneven a count is by chance alone: exact, for tasks on which the one was better, and the other. */
export function mcnemar(better: number, worse: number): number {
  const of = better + worse;
  const fewer = Math.min(better, worse);
  let logChoose = 0;
  let sum = 0;
  for (let k = 0; k <= fewer; k++) {
    sum += Math.exp(logChoose - of * Math.LN2);
    logChoose += Math.log((of - k) / (k + 1));
  }
  return Math.min(1, 2 * sum);
}

// Several comparisons at once: of twenty that are all alike, one looks different. After Holm, they are wrong together no more
// often than a single one.

/** What each p counts for among all of them, in their order. */
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
