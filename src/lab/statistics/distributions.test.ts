import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { confidence, wilson } from './distributions.ts';

const counted = fc
  .integer({ min: 1, max: 100_000 })
  .chain((of) => fc.tuple(fc.integer({ min: 0, max: of }), fc.constant(of)));

/** How many standard deviations the counted share differs from this true share. */
function surprise(truth: number, count: number, of: number): number {
  return Math.abs(count / of - truth) / Math.sqrt((truth * (1 - truth)) / of);
}

/** The probability within this number of standard deviations, by numerical integration. */
function within(deviations: number): number {
  const slices = 100_000;
  let sum = 0;
  for (let i = 0; i < slices; i++) sum += Math.exp(-((((i + 0.5) * deviations) / slices) ** 2) / 2);
  return (sum * 2 * deviations) / slices / Math.sqrt(2 * Math.PI);
}

describe("Wilson's interval", () => {
  it('ends where the true share makes the count as surprising as the confidence level allows', () => {
    fc.assert(
      fc.property(counted, ([count, of]) => {
        const { low, high } = wilson(count, of);
        for (const end of [low, high])
          if (end > 0 && end < 1) expect(within(surprise(end, count, of))).toBeCloseTo(confidence, 6);
      }),
      { numRuns: 30 },
    );
  });

  it('contains exactly the less surprising shares', () => {
    fc.assert(
      fc.property(counted, fc.double({ min: 0.0001, max: 0.9999, noNaN: true }), ([count, of], truth) => {
        const { low, high } = wilson(count, of);
        const isWithin = surprise(truth, count, of) < 1.959963984540054;
        if (Math.min(Math.abs(truth - low), Math.abs(truth - high)) > 1e-9)
          expect(low < truth && truth < high).toBe(isWithin);
      }),
    );
  });

  it('is within 0 and 1, contains the counted share, and is symmetric', () => {
    fc.assert(
      fc.property(counted, ([count, of]) => {
        const { low, high } = wilson(count, of);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(low).toBeLessThanOrEqual(count / of);
        expect(high).toBeGreaterThanOrEqual(count / of);
        expect(high).toBeLessThanOrEqual(1);
        const others = wilson(of - count, of);
        expect(others.low).toBeCloseTo(1 - high, 12);
        expect(others.high).toBeCloseTo(1 - low, 12);
      }),
    );
  });
});
