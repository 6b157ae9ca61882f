// The normal distribution: how much of it lies beyond so many standard deviations, and how many it takes to leave out so
// much.

import type { Random } from '../random.ts';

/** Drawn from it, by the polar way of Box and Muller. */
export function normal(luck: Random): number {
  return Math.sqrt(-2 * Math.log(1 - luck.fraction())) * Math.cos(2 * Math.PI * luck.fraction());
}

/** How much of it lies further away from its middle than so many standard deviations, to either side. */
export function beyond(deviations: number): number {
  return complementaryError(Math.abs(deviations) / Math.SQRT2);
}

/** So much of it lies within how many standard deviations, for a share below 1: 1.96 for 0.95. */
export function deviationsWithin(share: number): number {
  let [low, high] = [0, 40];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (beyond(middle) > 1 - share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Below this, the series of the error function; above it, the fraction of what is left: each where it is exact. */
const turn = 2;

function complementaryError(x: number): number {
  if (x >= turn) return tail(x);
  let [term, sum] = [x, x];
  for (let n = 1; Math.abs(term) > 1e-17 * sum; n++) {
    term *= -(x ** 2) / n;
    sum += term / (2 * n + 1);
  }
  return 1 - (2 / Math.sqrt(Math.PI)) * sum;
}

/** The continued fraction of Laplace, from its end. */
function tail(x: number): number {
  let fraction = x;
  for (let n = 60; n >= 1; n--) fraction = x + n / 2 / fraction;
  return Math.exp(-(x ** 2)) / Math.sqrt(Math.PI) / fraction;
}
