// How large a difference is, in standard deviations of the pairs. The deviation is guessed from the same few pairs, which
// makes differences look larger than they are; Hedges' factor takes that back.
import { meanOf } from './student.ts';

/** What subtracting and adding up may leave, as a part of the largest size. */
const dust = 1e-9;

/** Null of fewer than three pairs, and where all of them differ alike: they do not say in what to measure. */
export function hedges(differences: readonly number[]): number | null {
  const { length } = differences;
  if (length < 3) return null;
  const mean = meanOf(differences);
  const deviation = Math.sqrt(differences.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (length - 1));
  const largest = Math.max(...differences.map(Math.abs));
  return deviation <= dust * largest ? null : correction(length - 1) * (mean / deviation);
}

/** gamma(m / 2) / (sqrt(m / 2) gamma((m - 1) / 2)) for m of 2 and more, by whole steps from the gamma of a half and of one. */
export function correction(degrees: number): number {
  const isOdd = degrees % 2 === 1;
  let ratio = isOdd ? Math.sqrt(Math.PI) / 2 : 1 / Math.sqrt(Math.PI);
  for (let m = isOdd ? 3 : 2; m < degrees; m += 2) ratio *= m / (m - 1);
  return ratio / Math.sqrt(degrees / 2);
}
