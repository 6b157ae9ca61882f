import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../../schemas/testing/tries.ts';
import { Random } from '../random.ts';
import { beyond, correction, hedges, normal } from './distributions.ts';
import { effectFound, neededFor, powerOf, tPower, unitsNeeded } from './power.ts';
import { shiftOf } from './significance.ts';

describe('the power of a t test', () => {
  it.each([
    [0.5, 34, 0.05, 0.8077775012792738],
    [0.5, 33, 0.05, 0.7953658414875041],
    [0.8, 15, 0.05, 0.8213105387241096],
    [0.2, 199, 0.05, 0.8016910240370655],
    [1, 10, 0.05, 0.8030968566327219],
    [1.5, 6, 0.03125, 0.7385105295098581],
    [0.3, 100, 0.005, 0.5530176771022647],
    [0, 10, 0.05, 0.05],
  ])(
    'for an effect of %f, %i pairs and level %f agrees with the noncentral t of scipy 1.17.1',
    (effect, units, alpha, often) => {
      expect(tPower(effect, units, alpha)).toBeCloseTo(often, 9);
      expect(tPower(-effect, units, alpha)).toBeCloseTo(often, 9);
    },
  );

  it('is defined for two and three pairs', () => {
    expect(tPower(3, 2, 0.05)).toBeCloseTo(0.26077071, 4);
    expect(tPower(2, 3, 0.01)).toBeCloseTo(0.12142178, 4);
    expect(tPower(2, 1, 0.05)).toBe(0);
  });
});

describe('the power of the sign-flip test', () => {
  const below = (deviations: number): number => 1 - beyond(deviations) / 2;

  it.each([
    [6, 1, 1.615],
    [6, 1, 1.2],
    [9, 8, 1.687],
    [7, 2, 1.646],
  ])(
    'for %i pairs with a single significant assignment among %i: all must have the same sign',
    (units, many, effect) => {
      const often = powerOf(effect, units, 0.05 / many);
      expect(Math.abs(often - below(effect) ** units)).toBeLessThan(0.03);
      expect(powerOf(-effect, units, 0.05 / many)).toBe(often);
    },
  );

  it.each([
    [6, 1],
    [7, 1],
    [8, 1],
    [10, 1],
    [12, 1],
    [8, 2],
    [10, 8],
    [12, 8],
    [12, 16],
  ])('for the smallest detectable difference of %i pairs among %i is as specified', (units, many) => {
    const alpha = 0.05 / many;
    const effect = effectFound(units, { alpha, power: 0.8 }) ?? 0;
    const luck = new Random('promised', units, many);
    const times = 1500;
    let found = 0;
    for (let time = 0; time < times; time++) {
      const differences = Array.from({ length: units }, () => effect + normal(luck));
      if (shiftOf(differences, '').p(0) < alpha) found += 1;
    }
    // Three standard errors of these draws and of those behind the specification.
    expect(Math.abs(found / times - 0.8)).toBeLessThan(0.045);
  });

  it('grows with the effect, and equals that of the t test for many significant assignments', () => {
    for (const units of [6, 7, 9, 11]) {
      const often = [0, 0.3, 0.6, 1, 1.5, 2, 4].map((effect) => powerOf(effect, units, 0.05));
      expect(often).toEqual(often.toSorted((a, b) => a - b));
      expect(powerOf(Number.POSITIVE_INFINITY, units, 0.05)).toBe(1);
    }
    expect(powerOf(0.5, 34, 0.05)).toBeCloseTo(tPower(0.5, 34, 0.05), 6);
    expect(powerOf(9, 5, 0.05)).toBe(0);
  });
});

describe('the number of pairs needed', () => {
  it.each([
    [0.1, 787],
    [0.2, 199],
    [0.19, 220],
    [0.3, 90],
    [0.5, 34],
    [0.8, 15],
  ])("for an effect of %f at 0.05 and a power of 0.8 agrees with Cohen's tables", (effect, units) => {
    expect(unitsNeeded({ effect, alpha: 0.05, power: 0.8 })).toBe(units);
  });

  it('is never below the number that can be significant, however large the effect', () => {
    expect(unitsNeeded({ effect: Number.POSITIVE_INFINITY, alpha: 0.05, power: 0.8 })).toBe(6);
    expect(unitsNeeded({ effect: 50, alpha: 0.005, power: 0.8 })).toBe(9);
  });

  it('is one more than for the t test if the attained level is below 0.05', () => {
    expect(unitsNeeded({ effect: 1, alpha: 0.05, power: 0.8 })).toBe(11);
    expect(unitsNeeded({ effect: 1.5, alpha: 0.05, power: 0.8 })).toBe(7);
  });

  it('is undefined without an effect, and if thousands are not enough', () => {
    expect(unitsNeeded({ effect: 0, alpha: 0.05, power: 0.8 })).toBe(null);
    expect(unitsNeeded({ effect: 0.03, alpha: 0.05, power: 0.8 })).toBe(8723);
    expect(unitsNeeded({ effect: 0.02, alpha: 0.05, power: 0.8 })).toBe(null);
  });

  it('is minimal: one fewer is not enough', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.25, max: 3, noNaN: true }), fc.constantFrom(0.05, 0.01), (effect, alpha) => {
        const units = unitsNeeded({ effect, alpha, power: 0.8 }) ?? 0;
        expect(powerOf(effect, units, alpha)).toBeGreaterThanOrEqual(0.8);
        expect(powerOf(effect, units - 1, alpha)).toBeLessThan(0.8);
      }),
    );
  });
});

describe('the smallest detectable difference', () => {
  it('needs that number of pairs by the same formula, and a smaller one needs more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 6, max: 190 }), fc.integer({ min: 1, max: 16 }), (units, contrasts) => {
        const sought = { alpha: 0.05 / contrasts, power: 0.8 };
        const effect = effectFound(units, sought);
        if (effect === null) {
          expect(unitsNeeded({ effect: 60, ...sought })).toBeGreaterThan(units);
          return;
        }
        expect(unitsNeeded({ effect, ...sought })).toBeLessThanOrEqual(units);
        expect(unitsNeeded({ effect: effect * 0.999, ...sought })).toBeGreaterThan(units);
      }),
      { numRuns: tries(40) },
    );
  });

  it('is undefined if there are too few pairs for significance', () => {
    expect(effectFound(5, { alpha: 0.05, power: 0.8 })).toBe(null);
    expect(effectFound(6, { alpha: 0.05, power: 0.8 })).toBeGreaterThan(1.5);
  });
});

describe('the number of further pairs after an inconclusive result', () => {
  it('follows from the same formula with the observed effect', () => {
    const differences = [0.06, -0.03, 0.02, 0.05, -0.01, 0.03];
    const effect = hedges(differences) ?? 0;
    expect(neededFor(differences, 0.05)).toBe(unitsNeeded({ effect, alpha: 0.05, power: 0.8 }));
    expect(neededFor([0, 0, 0, 0], 0.05)).toBe(null);
  });
});

describe("Hedges' effect", () => {
  it.each([
    [2, 0.5641895835477564],
    [3, 0.7236012545582676],
    [4, 0.7978845608028653],
    [9, 0.9138748917925524],
    [10, 0.922745608053087],
    [29, 0.9738749845967246],
  ])('is corrected for %i degrees of freedom by the factor of Hedges and Olkin', (degrees, factor) => {
    expect(correction(degrees)).toBeCloseTo(factor, 12);
  });

  it('is the difference in corrected standard deviations', () => {
    expect(hedges([1, 2, 3])).toBeCloseTo(2 * 0.5641895835477564, 12);
    expect(hedges([-1, -2, -3])).toBeCloseTo(-2 * 0.5641895835477564, 12);
  });

  it('is undefined for too few or equal differences', () => {
    expect(hedges([1, 2])).toBe(null);
    expect(hedges([2, 2, 2, 2])).toBe(null);
    expect(hedges([0, 0, 0])).toBe(null);
    expect(hedges([0.4, 0.45, 0.5].map((one) => one + 0.03 - one))).toBe(null);
  });
});
