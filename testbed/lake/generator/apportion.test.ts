import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apportion, nearest } from './orders.ts';

const weights = fc
  .array(fc.oneof(fc.constant(0), fc.nat(1000)), { minLength: 1, maxLength: 12 })
  .filter((list) => list.some((weight) => weight > 0));

describe('the nearest whole number', () => {
  it.each([
    [0, 0],
    [0.49, 0],
    [0.5, 1],
    [12.5, 13],
    [12.51, 13],
    [1.005 * 100, 101],
  ])('of %d is %i', (value, whole) => {
    expect(nearest(value)).toBe(whole);
  });

  it('is at most a half away, even if a product of shares and counts misses a half by a rounding error', () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.nat(2000), (part, count) => {
        const exactly = Math.floor((2 * part * count + 1000) / 2000);
        expect(nearest((part / 1000) * count)).toBe(exactly);
      }),
    );
  });
});

describe('parts of a count', () => {
  it('sum to the count, and each is its share rounded up or down', () => {
    fc.assert(
      fc.property(weights, fc.nat(2000), (list, count) => {
        const { shares, all } = sharesOf(list);
        const found = apportion(shares, count);
        expect(found.reduce((sum, part) => sum + part, 0)).toBe(count);
        for (const [i, weight] of list.entries()) {
          expect(found[i]).toBeGreaterThanOrEqual(Math.floor((weight * count) / all));
          expect(found[i]).toBeLessThanOrEqual(Math.ceil((weight * count) / all));
        }
      }),
    );
  });

  it('round up for the largest remainders', () => {
    fc.assert(
      fc.property(weights, fc.nat(2000), (list, count) => {
        const { shares, all } = sharesOf(list);
        const found = apportion(shares, count);
        const remainders = list.map((weight) => (weight * count) % all);
        const isUp = (i: number) => (found[i] as number) > Math.floor(((list[i] as number) * count) / all);
        const up = remainders.filter((_, i) => isUp(i));
        const down = remainders.filter((_, i) => !isUp(i));
        expect(Math.min(...up)).toBeGreaterThanOrEqual(Math.max(...down, 0));
      }),
    );
  });

  it('prefer the first of equal remainders', () => {
    expect(apportion([0.25, 0.25, 0.25, 0.25], 6)).toEqual([2, 2, 1, 1]);
    expect(apportion([1 / 3, 1 / 3, 1 / 3], 10)).toEqual([4, 3, 3]);
  });

  it('are 0 of a count of 0, and everything for a share of 1', () => {
    expect(apportion([0, 1, 0], 7)).toEqual([0, 7, 0]);
    expect(apportion([0.5, 0.5], 0)).toEqual([0, 0]);
  });
});

function sharesOf(list: readonly number[]): { shares: number[]; all: number } {
  const all = list.reduce((sum, weight) => sum + weight, 0);
  return { shares: list.map((weight) => weight / all), all };
}
