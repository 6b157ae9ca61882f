// Two policies on the same tasks: how much better one of them is, task by task. What is hard about a task is hard for
// both, so that a difference shows sooner than between two rates with an interval each.
import { beyond, type Interval, wilson, z } from './distributions.ts';

/** What a policy achieved on a task: the share of its tries that succeeded; null where none could be judged. */
export type Achieved = number | null;

/** How much better one policy is than another. */
export interface Difference {
  /** The mean over tasks: the one less the other. */
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** Tasks on which the one did better than the other. */
  readonly better: number;
  readonly worse: number;
  /** Tasks on which both could be judged. */
  readonly of: number;
}

/**
 * The interval is that of Agresti and Min: as if there were two more tasks, on which each had done half a task better
 * than the other. Without them, two policies that never differed on a few tasks would be equal beyond doubt.
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

// Two shares of the same families of tasks, of which only counts are known: how much better the one is, with each family held
// against the same family. What happens on single tasks is not known, so that each side is taken for a draw of its own; as the
// tasks are the same, that is rather too careful than not.

interface Counted {
  readonly count: number;
  /** Tasks; where one was tried several times, these count as one. */
  readonly of: number;
}

interface Stratum {
  readonly one: Counted;
  readonly other: Counted;
}

interface StratifiedDifference extends Interval {
  /** The one less the other, of families as large as they are. */
  readonly value: number;
  /** How wide an interval must be to hold zero: the less of all lies beyond it, the less it looks like chance. */
  readonly p: number;
  /** Families in which the one did better. */
  readonly better: number;
  readonly worse: number;
  readonly families: number;
}

/** Null where no family was tried by both. With one family, the interval is Newcombe's tenth. */
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

/** Of each family an interval for either side; squares of what they leave add up, to either side by themselves. */
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

/** So much lies beyond the widest interval that leaves out zero. */
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
