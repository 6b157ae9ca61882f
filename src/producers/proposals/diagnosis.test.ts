import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diagnosed, rankCorrelation } from './scores.ts';

const predicted = (rates: Readonly<Record<string, number>>) =>
  Object.entries(rates).map(([family, value]) => ({ family, measure: 'valid', value }));

function happened(rates: Readonly<Record<string, number | null>>) {
  const missing = { value: null, reason: 'there is none to count' } as const;
  const results = Object.entries(rates).map(([family, rate]) => ({ family, measure: 'valid', value: rate ?? missing }));
  return { results: [{ family: null, measure: 'valid', value: 0.99 }, ...results] };
}

describe('the calibration of predictions', () => {
  it('has a Brier score over all tries and a rank correlation over families', () => {
    // 4: .8 * .1 ** 2 + .2 * .9 ** 2 = .17; 6: .5 * .5 ** 2 * 2 = .25; 8: .1 * .8 ** 2 + .9 * .2 ** 2 = .1
    const { brier, rankCorrelation, families } = diagnosed(
      predicted({ '4': 0.9, '6': 0.5, '8': 0.2 }),
      happened({ '4': 0.8, '6': 0.5, '8': 0.1 }),
    );
    expect(brier).toBeCloseTo((0.17 + 0.25 + 0.1) / 3, 6);
    expect(rankCorrelation).toBe(1);
    expect(families).toBe(3);
  });

  it('has the lowest Brier score for correct predictions', () => {
    const rate = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(rate, rate, (right, other) => {
        const brier = (said: number) => diagnosed(predicted({ '4': said }), happened({ '4': right })).brier as number;
        expect(brier(right)).toBeLessThanOrEqual(brier(other) + 1e-6);
        expect(brier(0.5)).toBeCloseTo(0.25, 6);
      }),
    );
  });

  it('ignores families that were not tried, and measures that are not success rates', () => {
    const said = [...predicted({ '4': 1, '6': 0, '8': 0 }), { family: '4', measure: 'optimal', value: 0 }];
    expect(diagnosed(said, happened({ '4': 1, '6': null }))).toEqual({
      brier: 0,
      rankCorrelation: { value: null, reason: 'there is no order of ranks to compare' },
      families: 1,
      predicted: 1,
    });
  });

  it('covers the predicted families, and counts all tried ones', () => {
    const came = happened({ '4': 0.2, '6': 0.5, '8': 0.9 });
    const { brier, rankCorrelation, families, predicted: some } = diagnosed(predicted({ '4': 0.1, '8': 0.8 }), came);
    // .2 * .9 ** 2 + .8 * .1 ** 2 = .17; .9 * .2 ** 2 + .1 * .8 ** 2 = .1
    expect(brier).toBeCloseTo((0.17 + 0.1) / 2, 6);
    expect([rankCorrelation, families, some]).toEqual([1, 3, 2]);
  });

  it.each([
    ['there are no holdout probes', predicted({ '4': 1 }), null, 0],
    ['it has no predictions', null, happened({ '4': 1 }), 1],
    ['it has no predictions', [], happened({ '4': 1 }), 1],
    ['nothing was tried', predicted({ '5': 1 }), happened({ '5': null }), 0],
    ['none of the tried families has a prediction', predicted({ '5': 1 }), happened({ '4': 1 }), 1],
  ])('is undefined if %s', (reason, said, came, families) => {
    const none = { value: null, reason };
    expect(diagnosed(said, came)).toEqual({ brier: none, rankCorrelation: none, families, predicted: 0 });
  });
});

describe('the rank correlation', () => {
  it.each([
    // 1 - 6 * (0 + 1 + 1 + 0) / (4 * 15)
    [[1, 2, 3, 4], [10, 30, 20, 40], 0.8],
    // Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: 4.5 / sqrt(4.5 * 5)
    [[1, 2, 2, 4], [1, 2, 3, 4], 4.5 / Math.sqrt(22.5)],
    [[1, 2], [9, 8], -1],
  ])('of %j and %j is %d', (one, other, value) => {
    expect(rankCorrelation(one, other)).toBeCloseTo(value, 12);
  });

  it.each([
    [[], []],
    [[1], [2]],
    [
      [1, 1],
      [1, 2],
    ],
    [
      [1, 2],
      [3, 3],
    ],
  ])('of %j and %j is undefined', (one, other) => {
    expect(rankCorrelation(one, other)).toBe(null);
  });

  it('is symmetric and independent of scale, and changes its sign with the order', () => {
    const pairs = fc.array(fc.tuple(fc.integer({ min: -4, max: 4 }), fc.integer({ min: -4, max: 4 })), {
      maxLength: 9,
    });
    fc.assert(
      fc.property(pairs, (all) => {
        const [one, other] = [all.map(([a]) => a), all.map(([, b]) => b)];
        const value = rankCorrelation(one, other);
        expect(rankCorrelation(other, one)).toBe(value);
        if (value === null) return;
        expect(Math.abs(value)).toBeLessThanOrEqual(1 + 1e-12);
        expect(rankCorrelation(one.map(Math.exp), other)).toBe(value);
        expect(
          rankCorrelation(
            one,
            other.map((b) => -b),
          ),
        ).toBeCloseTo(-value, 12);
      }),
    );
  });
});
