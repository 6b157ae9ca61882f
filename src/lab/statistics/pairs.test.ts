import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Achieved, paired } from './pairs.ts';

const achieved: fc.Arbitrary<Achieved> = fc.constantFrom(0, 0.25, 0.5, 1, null);
const pairs = fc.array(fc.tuple(achieved, achieved), { maxLength: 60 });
const sides = (of: readonly (readonly [Achieved, Achieved])[]): [Achieved[], Achieved[]] => [
  of.map(([one]) => one),
  of.map(([, other]) => other),
];

describe('two policies on the same tasks', () => {
  it('differ by the mean of their differences, with counts of better and worse tasks', () => {
    const difference = paired([1, 1, 0, 1, null, 1], [0, 1, 1, 0, 1, null]);
    expect(difference).toMatchObject({ value: 0.25, better: 2, worse: 1, of: 4 });
  });

  it('have the interval of Agresti and Min for one try per task', () => {
    // Of 100 tasks, 20 are solved by one only and 10 by the other only.
    const one = Array.from({ length: 100 }, (_, i) => Number(i < 20));
    const other = Array.from({ length: 100 }, (_, i) => Number(i >= 20 && i < 30));
    const centre = 10 / 102;
    const half = 1.959963984540054 * Math.sqrt((20.5 + 10.5 - (20.5 - 10.5) ** 2 / 102) / 102 ** 2);
    expect(paired(one, other)?.low).toBeCloseTo(centre - half, 12);
    expect(paired(one, other)?.high).toBeCloseTo(centre + half, 12);
  });

  it('without any difference have an interval that narrows with more tasks', () => {
    const width = (tasks: number): number => {
      const all = Array.from({ length: tasks }, () => 1);
      return (paired(all, all)?.high ?? 0) - (paired(all, all)?.low ?? 0);
    };
    expect(width(10)).toBeGreaterThan(width(100));
    expect(width(100)).toBeGreaterThan(0);
  });

  it('differ in the opposite direction when exchanged', () => {
    fc.assert(
      fc.property(pairs, (of) => {
        const [one, other] = sides(of);
        const there = paired(one, other);
        const back = paired(other, one);
        expect(back === null).toBe(there === null);
        if (there === null || back === null) return;
        expect(back.value).toBeCloseTo(-there.value, 12);
        expect([back.low, back.high]).toEqual([expect.closeTo(-there.high, 12), expect.closeTo(-there.low, 12)]);
        expect([back.better, back.worse, back.of]).toEqual([there.worse, there.better, there.of]);
      }),
    );
  });

  it('have a difference within its interval, except at the ends of the range', () => {
    fc.assert(
      fc.property(pairs, (of) => {
        const difference = paired(...sides(of));
        if (difference === null) return;
        const { value, low, high } = difference;
        expect(low).toBeGreaterThanOrEqual(-1);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThan(high);
        if (Math.abs(value) < 0.5) {
          expect(low).toBeLessThanOrEqual(value);
          expect(high).toBeGreaterThanOrEqual(value);
        }
      }),
    );
  });

  it('cannot be compared if no task was judged for both', () => {
    expect(paired([1, null], [null, 0])).toBe(null);
  });
});
