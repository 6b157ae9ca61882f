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
export function stratified(families: readonly Stratum[], deviations: number = z): StratifiedDifference | null {
  const tried = families.filter(({ one, other }) => one.of > 0 && other.of > 0);
  if (tried.length === 0) return null;
  const differences = tried.map(({ one, other }) => shareOf(one) - shareOf(other));
  const strata = withoutSmall(tried);
  return {
    ...intervalOf(strata, deviations),
    p: chanceOf(strata),
    better: differences.filter((one) => one > 0).length,
    worse: differences.filter((one) => one < 0).length,
    families: tried.length,
  };
}

/** Of fewer tasks, a family does not show how much its share varies. */
const fewestTasks = 10;

/** Families of a few tasks count as one, which is at most too careful. */
function withoutSmall(strata: readonly Stratum[]): readonly Stratum[] {
  const isSmall = ({ one, other }: Stratum): boolean => Math.min(one.of, other.of) < fewestTasks;
  const small = strata.filter(isSmall);
  if (small.length < 2) return strata;
  const sumOf = (side: keyof Stratum): Counted => ({
    count: small.reduce((sum, stratum) => sum + stratum[side].count, 0),
    of: small.reduce((sum, stratum) => sum + stratum[side].of, 0),
  });
  return [...strata.filter((one) => !isSmall(one)), { one: sumOf('one'), other: sumOf('other') }];
}

/**
 * Combines the families' intervals: the squares of the distances to their bounds add up, separately for each side. Wilson's
 * interval is drawn towards a half, the more so the wider it is, which over many families makes the sum too small. So the
 * distances are those of narrower intervals, scaled up: those of one family are its own.
 */
function intervalOf(strata: readonly Stratum[], deviations: number): Interval & { readonly value: number } {
  const sizes = strata.map(({ one, other }) => (one.of * other.of) / (one.of + other.of));
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const weights = sizes.map((size) => size / all);
  const scale = 1 / Math.sqrt(weights.reduce((sum, weight) => sum + weight ** 2, 0));
  let [value, below, above] = [0, 0, 0];
  strata.forEach(({ one, other }, i) => {
    const weight = weights[i] ?? 0;
    const [mine, theirs] = [distancesOf(one, deviations, scale), distancesOf(other, deviations, scale)];
    value += weight * (shareOf(one) - shareOf(other));
    below += weight ** 2 * (mine.below + theirs.above);
    above += weight ** 2 * (mine.above + theirs.below);
  });
  return { value, low: Math.max(-1, value - Math.sqrt(below)), high: Math.min(1, value + Math.sqrt(above)) };
}

/** The squares of the distances from a share to the bounds of its interval. */
function distancesOf(
  counted: Counted,
  deviations: number,
  scale: number,
): { readonly below: number; readonly above: number } {
  const share = shareOf(counted);
  const { low, high } = wilson(counted.count, counted.of, deviations / scale);
  // The variance that a family's own tasks show is too small by one task; that of a single family is left to Wilson.
  const unbiased = 1 + (1 - 1 / scale ** 2) / Math.max(1, counted.of - 1);
  const factor = scale ** 2 * unbiased;
  return { below: factor * (share - low) ** 2, above: factor * (high - share) ** 2 };
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
