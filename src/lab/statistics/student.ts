// A mean and how sure it is, from few values: by Student's t, which knows that the spread was guessed from these values as
// well.
import type { Interval } from './wilson.ts';

export interface Mean extends Interval {
  readonly value: number;
  /** The standard deviation of the values. */
  readonly deviation: number;
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Null of fewer than two values, which say nothing of how they spread. */
export function meanInterval(values: readonly number[], level: number): Mean | null {
  const { length } = values;
  if (length < 2) return null;
  const value = meanOf(values);
  const deviation = Math.sqrt(values.reduce((sum, one) => sum + (one - value) ** 2, 0) / (length - 1));
  const half = (tWithin(level, length - 1) * deviation) / Math.sqrt(length);
  return { value, low: value - half, high: value + half, deviation };
}

/** So much of the distribution lies within how far from its middle, for a share below 1: 2.26 for 0.95 and 9 degrees. */
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
 * How much of it lies within `tan(angle) * sqrt(degrees)` of its middle: for whole degrees of freedom a finite sum of powers
 * of the cosine.
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
