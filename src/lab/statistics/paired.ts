// Two policies on the same tasks: how much better one of them is, task by task. What is hard about a task is hard for
// both, so that a difference shows sooner than between two rates with an interval each.
import { z } from './wilson.ts';

/** What a policy achieved on a task: the share of its tries that succeeded; null where none could be judged. */
export type Achieved = number | null;

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
