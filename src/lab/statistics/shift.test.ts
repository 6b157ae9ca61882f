import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alphaOf, attainable, fewestPairs, leastSignFlip, shiftOf, signFlip } from './significance.ts';

/** Darwin's fifteen pairs of maize, crossed minus self-fertilised, in eighths of an inch. */
const maize = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];
const whole = fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 2, maxLength: 10 });

describe('a centre by sign flips', () => {
  it('counts ties as at least as extreme, so that no difference at all has p = 1', () => {
    const none = shiftOf([0, 0, 0, 0, 0, 0], '');
    expect([none.p(0), none.above(0), none.below(0)]).toEqual([1, 1, 1]);
    expect(shiftOf([0, 0, 0, 0, 0, 0.5], '').p(0)).toBe(1);
    expect(shiftOf([0.25, 0.25, 0.25, 0.25], '').p(0.25)).toBe(1);
  });

  it("has Fisher's p for Darwin's maize", () => {
    expect(shiftOf(maize, '').p(0)).toBe(1726 / 32768);
  });

  it.each([
    [-0.2, 0.024993896484375, 0.975189208984375],
    [-0.1, 0.0255126953125, 0.974517822265625],
    [0.5, 0.02850341796875, 0.971893310546875],
    [41.25, 0.9765625, 0.023651123046875],
    [42, 0.981201171875, 0.019866943359375],
  ])('of %f has the p of the permutation test of scipy 1.17.1', (middle, above, below) => {
    const shift = shiftOf(maize, '');
    expect(shift.above(middle)).toBe(above);
    expect(shift.below(middle)).toBe(below);
  });

  it('is in an interval whose ends follow from p', () => {
    expect(shiftOf(maize, '').interval(0.95)).toEqual({ low: -1 / 6, high: 41 });
  });

  it('has the p of the test that compares runs', () => {
    fc.assert(
      fc.property(whole, (differences) => {
        expect(shiftOf(differences, '').p(0)).toBeCloseTo(signFlip(differences, ''), 12);
      }),
    );
  });

  it('is in the interval of a level unless its p is below the significance level', () => {
    const levels = fc.constantFrom(0.5, 0.75, 0.9, 0.95);
    fc.assert(
      fc.property(whole, levels, fc.integer({ min: -15, max: 15 }), (differences, level, middle) => {
        const shift = shiftOf(differences, '');
        const interval = shift.interval(level);
        const isRuledOut = shift.p(middle) < alphaOf(level);
        if (interval === null) expect(isRuledOut).toBe(false);
        else expect(isRuledOut).toBe(middle < interval.low || middle > interval.high);
      }),
    );
  });

  it('is equivalent within a margin exactly if the interval with twice the error is within the margin', () => {
    fc.assert(
      fc.property(whole, fc.integer({ min: 1, max: 15 }), (differences, margin) => {
        const shift = shiftOf(differences, '');
        const interval = shift.interval(0.9);
        const isWithin = interval !== null && interval.low > -margin && interval.high < margin;
        expect(shift.equivalence(margin) < 0.05).toBe(isWithin);
      }),
    );
  });

  it('shifts and scales with the differences', () => {
    fc.assert(
      fc.property(whole, (differences) => {
        const interval = shiftOf(differences, '').interval(0.75);
        const of = (others: readonly number[]) => shiftOf(others, '').interval(0.75);
        const moved = of(differences.map((one) => one + 7));
        const negated = of(differences.map((one) => -one));
        if (interval === null) return;
        expect(moved?.low).toBeCloseTo(interval.low + 7, 9);
        expect(moved?.high).toBeCloseTo(interval.high + 7, 9);
        expect(negated).toEqual({ low: expect.closeTo(-interval.high, 9), high: expect.closeTo(-interval.low, 9) });
      }),
    );
  });

  it('is not bounded with fewer than six pairs', () => {
    expect(shiftOf([1, 1, 1, 1, 1], '').interval(0.95)).toBe(null);
    expect(shiftOf([3, 1, 2, 6, 5, 4], '').interval(0.95)).toEqual({ low: 1, high: 6 });
    expect([0.05, 0.0625, 0.01, 0.001].map(fewestPairs)).toEqual([6, 6, 8, 11]);
  });

  it('uses random subsets if there are too many pairs, reproducibly by seed', () => {
    const many = [...maize, 10, -20, 30, 5, -5];
    const shift = shiftOf(many, 'a');
    const interval = shift.interval(0.95);
    expect(shiftOf(many, 'a').interval(0.95)).toEqual(interval);
    expect(shiftOf(many, 'b').interval(0.95)).not.toEqual(interval);
    expect(shift.p(0)).toBeCloseTo(signFlip(many, 'a'), 1.5);
    if (interval === null) throw new Error('twenty pairs bound their middle');
    expect(shift.p(interval.low - 0.1)).toBeLessThan(0.05);
    expect(shift.p(interval.low)).toBeGreaterThanOrEqual(0.05);
  });
});

describe('the attained level', () => {
  it('is the largest attainable p at or below the requested one', () => {
    expect(attainable(6, 0.05)).toBe(2 / 64);
    expect(attainable(7, 0.05)).toBe(6 / 128);
    expect(attainable(5, 0.05)).toBe(0);
    expect(attainable(5000, 0.05)).toBeCloseTo(0.05, 9);
  });

  it('is undefined below the minimum number of pairs, and defined from there on', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 0.5, noNaN: true }), (alpha) => {
        const fewest = fewestPairs(alpha);
        expect(leastSignFlip(fewest)).toBeLessThan(alpha);
        expect(leastSignFlip(fewest - 1)).toBeGreaterThanOrEqual(alpha);
        expect(attainable(fewest, alpha)).toBeGreaterThan(0);
        expect(attainable(fewest - 1, alpha)).toBe(0);
      }),
    );
  });
});
