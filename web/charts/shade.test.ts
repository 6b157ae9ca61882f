import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparedRates, largestCertain, shade } from './shade.ts';

const number = fc.double({ min: -1000, max: 1000, noNaN: true });
const margin = fc.double({ min: 0, max: 500, noNaN: true });
const full = fc.double({ min: 1e-3, max: 1000, noNaN: true });

describe('the shade of a cell', () => {
  it('is zero if the difference is within its interval, otherwise has its sign', () => {
    fc.assert(
      fc.property(number, number, margin, full, (value, baseline, margin, full) => {
        const difference = value - baseline;
        const result = shade({ value, baseline, margin }, full);
        expect(Math.abs(result)).toBeLessThanOrEqual(1);
        if (Math.abs(difference) <= margin) expect(result).toBe(0);
        else expect(Math.sign(result)).toBe(Math.sign(difference));
      }),
    );
  });

  it('grows with the difference and shrinks with the uncertainty', () => {
    fc.assert(
      fc.property(number, margin, margin, margin, full, (baseline, near, further, margin, full) => {
        const at = (difference: number, margin: number) =>
          shade({ value: baseline + difference, baseline, margin }, full);
        expect(at(near + further, margin)).toBeGreaterThanOrEqual(at(near, margin));
        expect(at(near, margin + further)).toBeLessThanOrEqual(at(near, margin));
      }),
    );
  });

  it('is almost zero just beyond the interval', () => {
    fc.assert(
      fc.property(margin, fc.double({ min: 1e-6, max: 1e-3, noNaN: true }), (margin, beyond) => {
        expect(shade({ value: margin + beyond, baseline: 0, margin }, 1)).toBeLessThan(2 * beyond + 1e-9);
      }),
    );
  });

  it('is symmetric around the baseline', () => {
    fc.assert(
      fc.property(number, margin, full, (difference, margin, full) => {
        const above = shade({ value: difference, baseline: 0, margin }, full);
        expect(shade({ value: -difference, baseline: 0, margin }, full)).toBeCloseTo(-above, 12);
      }),
    );
  });

  it('is 1 for the largest certain difference of a chart', () => {
    const all = [
      { value: 0.5, baseline: 0.1, margin: 0.1 },
      { value: 0.2, baseline: 0.1, margin: 0.2 },
    ];
    expect(largestCertain(all)).toBeCloseTo(0.3, 12);
    expect(all.map((one) => shade(one, largestCertain(all)))).toEqual([1, 0]);
  });
});

describe('two compared rates', () => {
  const rate = (value: number, low: number, high: number) => ({ value, low, high });

  it('of 7.1 % and 10.8 %, which do not differ significantly, have no shade', () => {
    const [one, other] = [rate(0.108, 0.077, 0.149), rate(0.071, 0.046, 0.108)];
    const compared = comparedRates(one, other);
    expect(compared?.margin).toBeGreaterThan(0.037);
    expect(compared === null ? null : shade(compared, 0.1)).toBe(0);
  });

  it('of 24 % and 76.8 % have the same margin in either order', () => {
    const [one, other] = [rate(0.768, 0.72, 0.81), rate(0.24, 0.2, 0.28)];
    const up = comparedRates(one, other);
    const down = comparedRates(other, one);
    expect(up?.margin).toBeCloseTo(Math.hypot(0.048, 0.04), 9);
    expect(down?.margin).toBeCloseTo(up?.margin ?? 0, 9);
  });

  it('without an interval are not compared', () => {
    expect(comparedRates({ value: 0.5, low: null, high: null }, rate(0.1, 0, 0.2))).toBeNull();
    expect(comparedRates(undefined, rate(0.1, 0, 0.2))).toBeNull();
  });
});
