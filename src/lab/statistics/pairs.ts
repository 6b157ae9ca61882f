// Compares two policies on the same tasks, task by task. A hard task is hard for both, so a paired difference becomes
// significant sooner than two separate rates.
import { beyond, type Interval, wilson, z } from './distributions.ts';

/** A policy's success rate on a task; null if no try could be judged. */
export type Achieved = number | null;

/** How much better one policy is than another. */
export interface Difference {
  /** The mean difference over tasks, first minus second. */
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** The number of tasks on which the first did better. */
  readonly better: number;
  readonly worse: number;
  /** The number of tasks on which both could be judged. */
  readonly of: number;
}

/**
 * The interval of Agresti and Min: two more tasks are added, each half better for one side. Without them, two policies
 * that never differed on a few tasks would have an interval of width zero.
 */
export function paired(
  one: readonly Achieved[],
  other: readonly Achieved[],
  deviations: number = z,
): Difference | null {
  let [of, sum, squares, better, worse] = [0, 0, 0, 0, 0];
  one.forEach((mine, i) => {
    const theirs = other[i] ?? null;
    if (mine === null || theirs === null) return;
    const difference = mine - theirs;
    of += 1;
    sum += difference;
    squares += difference ** 2;
    if (difference > 0) better += 1;
    if (difference < 0) worse += 1;
  });
  if (of === 0) return null;
  const more = of + 2;
  const mean = sum / more;
  const half = deviations * Math.sqrt(((squares + 1) / more - mean ** 2) / more);
  return { value: sum / of, low: Math.max(-1, mean - half), high: Math.min(1, mean + half), better, worse, of };
}

// Compares two proportions by family when only counts are known. Without the results of single tasks, the two sides are
// treated as independent samples; as the tasks are the same, this is conservative.

interface Counted {
  readonly count: number;
  /** The number of tasks; several tries of one task count once. */
  readonly of: number;
}

interface Stratum {
  readonly one: Counted;
  readonly other: Counted;
}

interface StratifiedDifference extends Interval {
  /** The first minus the second, weighted by the size of the families. */
  readonly value: number;
  /** One minus the confidence level at which the interval just includes zero. */
  readonly p: number;
  /** The number of families in which the first did better. */
  readonly better: number;
  readonly worse: number;
  readonly families: number;
}

/** Null if both sides have no family in common. With one family, the interval is Newcombe's tenth. */
export function stratified(strata: readonly Stratum[], deviations: number = z): StratifiedDifference | null {
  const tried = strata.filter(({ one, other }) => one.of > 0 && other.of > 0);
  if (tried.length === 0) return null;
  const differences = tried.map(({ one, other }) => shareOf(one) - shareOf(other));
  return {
    ...intervalOf(tried, deviations),
    p: chanceOf(tried),
    better: differences.filter((one) => one > 0).length,
    worse: differences.filter((one) => one < 0).length,
    families: tried.length,
  };
}

/** Combines the families' intervals: the squares of the distances to their bounds add up, separately for each side. */
function intervalOf(strata: readonly Stratum[], deviations: number): Interval & { readonly value: number } {
  const weights = strata.map(({ one, other }) => (one.of * other.of) / (one.of + other.of));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  let [value, below, above] = [0, 0, 0];
  strata.forEach(({ one, other }, i) => {
    const weight = (weights[i] ?? 0) / all;
    const [mine, theirs] = [wilson(one.count, one.of, deviations), wilson(other.count, other.of, deviations)];
    const [share, against] = [shareOf(one), shareOf(other)];
    value += weight * (share - against);
    below += weight ** 2 * ((share - mine.low) ** 2 + (theirs.high - against) ** 2);
    above += weight ** 2 * ((mine.high - share) ** 2 + (against - theirs.low) ** 2);
  });
  return { value, low: value - Math.sqrt(below), high: value + Math.sqrt(above) };
}

/** The probability outside the widest interval that excludes zero. */
function chanceOf(strata: readonly Stratum[]): number {
  let [out, within] = [0, 40];
  for (let i = 0; i < 50; i++) {
    const middle = (out + within) / 2;
    const { low, high } = intervalOf(strata, middle);
    if (low > 0 || high < 0) out = middle;
    else within = middle;
  }
  return beyond(out);
}

function shareOf({ count, of }: Counted): number {
  return count / of;
}
