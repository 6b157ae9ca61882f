// The statistics of comparisons, tested against published values and properties.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../random.ts';
import { beyond, deviationsWithin, meanInterval, tWithin } from './distributions.ts';
import { stratified } from './pairs.ts';
import { fewestPairs, holm, leastSignFlip, mcnemar, signFlip } from './significance.ts';

/** Darwin's fifteen pairs of maize, crossed minus self-fertilised, in eighths of an inch. */
const maize = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];

describe('the normal distribution', () => {
  it.each([
    [0, 1],
    [0.5, 0.6170750774519738],
    [1, 0.31731050786291415],
    [1.959963984540054, 0.05],
    [3, 0.002699796063260207],
    [6, 1.973175290075e-9],
  ])('has the tabulated probability beyond %f deviations', (deviations, share) => {
    expect(beyond(deviations) / share).toBeCloseTo(1, 9);
    expect(beyond(-deviations)).toBe(beyond(deviations));
  });

  it('is inverted correctly', () => {
    expect(deviationsWithin(0.95)).toBeCloseTo(1.959963984540054, 9);
    expect(deviationsWithin(0.9)).toBeCloseTo(1.644853626951472, 9);
  });
});

describe("Student's t", () => {
  it.each([
    [0.95, 1, 12.7062],
    [0.95, 2, 4.3027],
    [0.95, 3, 3.1824],
    [0.95, 9, 2.2622],
    [0.9, 9, 1.8331],
    [0.99, 20, 2.8453],
    [0.95, 120, 1.9799],
  ])('contains %f with %i degrees of freedom within the tabulated bounds', (level, degrees, quantile) => {
    expect(tWithin(level, degrees)).toBeCloseTo(quantile, 4);
  });

  it("gives the published interval of Darwin's maize, and none for a single value or for values that are all alike", () => {
    const mean = meanInterval(maize, 0.95);
    expect(mean?.value).toBeCloseTo(20.933, 3);
    expect(mean?.deviation).toBeCloseTo(37.744, 3);
    expect(mean?.low).toBeCloseTo(0.031, 3);
    expect(mean?.high).toBeCloseTo(41.835, 3);
    expect(meanInterval([1], 0.95)).toBe(null);
    expect(meanInterval([0.1 + 0.2, 0.3, 0.3], 0.95)).toBe(null);
  });
});

describe('the sign-flip test', () => {
  it("finds Fisher's 1726 of 32768 assignments for Darwin's maize", () => {
    expect(signFlip(maize, '')).toBe(1726 / 32768);
  });

  it('is never significant at 0.05 with fewer than six pairs', () => {
    expect(signFlip([1, 2, 3, 4, 5], '')).toBe(leastSignFlip(5));
    expect(leastSignFlip(5)).toBeGreaterThan(0.05);
    expect(signFlip([1, 2, 3, 4, 5, 6], '')).toBe(leastSignFlip(6));
    expect(leastSignFlip(6)).toBeLessThan(0.05);
    expect([0.05, 0.05 / 2, 0.05 / 4, 0.05 / 7].map(fewestPairs)).toEqual([6, 7, 8, 9]);
    expect(signFlip([], '')).toBe(1);
    expect(signFlip([0, 0], '')).toBe(1);
  });

  it('draws assignments if there are too many, reproducibly by seed and close to the exact value', () => {
    const differences = [...maize, 10, -20, 30, 5, -5];
    const drawn = signFlip(differences, 'a');
    expect(signFlip(differences, 'a')).toBe(drawn);
    const others = Array.from({ length: 4 }, (_, i) => signFlip(differences, `other ${i}`));
    expect(new Set([drawn, ...others]).size).toBeGreaterThan(1);
    for (const other of others) expect(other).toBeCloseTo(drawn, 1.5);
  });

  it('is symmetric in the two sides', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -9, max: 9 }), { maxLength: 10 }), (differences) => {
        const negated = differences.map((one) => -one);
        expect(signFlip(negated, '')).toBe(signFlip(differences, ''));
        expect(signFlip(differences.toReversed(), '')).toBe(signFlip(differences, ''));
      }),
    );
  });
});

describe("McNemar's test", () => {
  it.each([
    [1, 9, 0.021484375],
    [9, 1, 0.021484375],
    [0, 5, 0.0625],
    [0, 6, 0.03125],
    [5, 5, 1],
    [0, 0, 1],
  ])('is exact for %i better and %i worse', (better, worse, p) => {
    expect(mcnemar(better, worse)).toBeCloseTo(p, 12);
  });

  it('equals the sign-flip test of single tasks', () => {
    fc.assert(
      fc.property(fc.nat(8), fc.nat(8), (better, worse) => {
        const signs = [...Array<number>(better).fill(1), ...Array<number>(worse).fill(-1)];
        expect(mcnemar(better, worse)).toBeCloseTo(signFlip(signs, ''), 10);
      }),
    );
  });

  it('works for thousands of tasks', () => {
    expect(mcnemar(3000, 3000)).toBeCloseTo(1, 9);
    expect(mcnemar(2900, 3100) / beyond(199 / Math.sqrt(6000))).toBeCloseTo(1, 2);
  });
});

describe('two shares by family', () => {
  it.each([
    [56, 70, 48, 80, 0.0524, 0.3339],
    [9, 10, 3, 10, 0.1705, 0.809],
    [6, 7, 2, 7, 0.0582, 0.8062],
    [5, 56, 0, 29, -0.0381, 0.1926],
    [0, 10, 0, 20, -0.1611, 0.2775],
    [10, 10, 0, 20, 0.6791, 1],
    [10, 10, 0, 10, 0.6075, 1],
  ])('have with one family the interval published by Newcombe: %i/%i minus %i/%i', (a, m, b, n, low, high) => {
    const difference = stratified([{ one: { count: a, of: m }, other: { count: b, of: n } }]);
    expect(difference?.low).toBeCloseTo(low, 4);
    expect(difference?.high).toBeCloseTo(high, 4);
  });

  const counted = fc.integer({ min: 1, max: 60 }).chain((of) => fc.record({ count: fc.nat(of), of: fc.constant(of) }));
  const strata = fc.array(fc.record({ one: counted, other: counted }), { minLength: 1, maxLength: 8 });

  it('have a p below 0.05 exactly if the interval excludes zero', () => {
    fc.assert(
      fc.property(strata, (families) => {
        const difference = stratified(families);
        if (difference === null) throw new Error('every family was tried');
        const { low, high, p } = difference;
        if (Math.min(Math.abs(low), Math.abs(high)) < 1e-9) return;
        expect(p < 0.05).toBe(low > 0 || high < 0);
      }),
    );
  });

  it('differ in the opposite direction when exchanged', () => {
    fc.assert(
      fc.property(strata, (families) => {
        const there = stratified(families);
        const back = stratified(families.map(({ one, other }) => ({ one: other, other: one })));
        expect(back?.value).toBeCloseTo(-(there?.value ?? 0), 12);
        expect(back?.low).toBeCloseTo(-(there?.high ?? 0), 12);
        expect(back?.p).toBeCloseTo(there?.p ?? 0, 9);
        expect([back?.better, back?.worse]).toEqual([there?.worse, there?.better]);
      }),
    );
  });

  it('are more sensitive than pooled shares if families are homogeneous', () => {
    const families = [
      { one: { count: 48, of: 50 }, other: { count: 40, of: 50 } },
      { one: { count: 8, of: 50 }, other: { count: 2, of: 50 } },
    ];
    const pooled = stratified([{ one: { count: 56, of: 100 }, other: { count: 42, of: 100 } }]);
    expect(stratified(families)?.value).toBeCloseTo(pooled?.value ?? 0, 12);
    expect(stratified(families)?.p).toBeLessThan((pooled?.p ?? 0) / 3);
  });

  it.each([
    ['twenty of 4 tasks', 20, 4, 0.5],
    ['ten of 5 tasks', 10, 5, 0.6],
    ['eight of 10 tasks', 8, 10, 0.3],
  ])('that do not differ have a p below 0.05 in one case of twenty: %s', (_, count, tasks, chance) => {
    const worlds = 1000;
    let significant = 0;
    for (let world = 0; world < worlds; world++) {
      const luck = new Random('null', count, tasks, world);
      const solved = () => Array.from({ length: tasks }, () => luck.fraction()).filter((one) => one < chance).length;
      const families = Array.from({ length: count }, () => ({
        one: { count: solved(), of: tasks },
        other: { count: solved(), of: tasks },
      }));
      if ((stratified(families)?.p ?? 0) < 0.05) significant += 1;
    }
    expect(significant / worlds).toBeLessThan(0.05 + 3 * Math.sqrt((0.05 * 0.95) / worlds));
  });

  it('cannot be compared if no family was tried by both', () => {
    expect(stratified([{ one: { count: 0, of: 0 }, other: { count: 1, of: 2 } }])).toBe(null);
  });
});

describe('several comparisons', () => {
  it("are corrected by Holm's method, in order", () => {
    expect(holm([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.06, 0.06, 0.02].map((p) => expect.closeTo(p, 12)));
    expect(holm([0.6, 0.7])).toEqual([1, 1]);
    expect(holm([0.03])).toEqual([0.03]);
    expect(holm([])).toEqual([]);
  });
});
