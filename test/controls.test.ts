import { describe, expect, it } from 'vitest';
import { concluded, isAsRequired } from '../bench/controls/conclude.ts';
import { cells, lakesOf, type Measured, type Mixture, mixtures, nameOf, tableOf } from '../bench/controls/grid.ts';
import { contrasts, controls, seedsOfASet } from '../bench/controls/protocol.ts';
import { type SetResult, seedsOf } from '../bench/controls/set.ts';

const gains = [50, 55, 60];

function result(
  set: number,
  of: (contrast: string) => { readonly difference: number; readonly p: number | null },
): SetResult {
  return {
    ...{ set, seeds: [1, 2, 3] },
    contrasts: contrasts.map((contrast) => ({ contrast, ...of(contrast) })),
    rates: { oracle: gains.map((gain) => 30 + gain), uniform: [30, 30, 30] },
  };
}

const sets = (many: number, of: (set: number) => SetResult): SetResult[] =>
  Array.from({ length: many }, (_, i) => of(i));
const found = (set: number) => result(set, () => ({ difference: 40, p: 0.02 }));
const nothing = (set: number) => result(set, () => ({ difference: 1, p: 0.6 }));

describe('the protocol of the controls', () => {
  it('uses no seed twice', () => {
    const positive = Array.from({ length: controls.positive.sets }, (_, i) => seedsOf('positive', i + 1)).flat();
    const negative = Array.from({ length: controls.negative.sets }, (_, i) => seedsOf('negative', i + 1)).flat();
    const tuning = Array.from({ length: controls.tuning.sets }, (_, i) => seedsOf('tuning', i + 1)).flat();
    const all = [...positive, ...negative, ...tuning];
    expect(new Set(all).size).toBe(all.length);
    expect(all).toHaveLength(seedsOfASet * (10 + 100 + 5));
  });

  it('requires every contrast in 9 of 10 positive sets, in favour of the reader', () => {
    const [first] = contrasts;
    const worse = (set: number) => result(set, (one) => ({ difference: one === first ? -40 : 40, p: 0.02 }));
    const of = (bad: number, other: (set: number) => SetResult) =>
      concluded(sets(10, (set) => (set < bad ? other(set) : found(set))));
    expect(of(1, nothing)).toMatchObject({ every: 9, any: 9 });
    expect(isAsRequired('positive', of(1, nothing))).toBe(true);
    expect(isAsRequired('positive', of(2, nothing))).toBe(false);
    expect(isAsRequired('positive', of(2, worse))).toBe(false);
  });

  it('requires headroom of three standard deviations of a seed', () => {
    expect(concluded(sets(10, found)).headroom).toMatchObject({ gain: 55, ratio: expect.closeTo(55 / 4.152, 2) });
    const noisy = { ...found(1), rates: { oracle: [30, 60, 90], uniform: [30, 30, 30] } };
    expect(isAsRequired('positive', concluded(sets(10, () => noisy)))).toBe(false);
  });

  it('allows any contrast, in either direction, in 5 of 100 negative sets', () => {
    const [, second] = contrasts;
    const one = (set: number) => result(set, (of) => ({ difference: -5, p: of === second ? 0.04 : null }));
    const of = (some: number) => concluded(sets(100, (set) => (set < some ? one(set) : nothing(set))));
    expect(of(5)).toMatchObject({ any: 5, every: 0 });
    expect(isAsRequired('negative', of(5))).toBe(true);
    expect(isAsRequired('negative', of(6))).toBe(false);
  });

  it('concludes nothing from tuning seeds', () => {
    expect(isAsRequired('tuning', concluded(sets(5, found)))).toBeNull();
  });
});

describe('the headroom of the lake over a grid', () => {
  const names = Object.keys(mixtures) as Mixture[];

  it('keeps each training in a file of its own', () => {
    const files = cells.flatMap((cell) =>
      names.flatMap((mixture) => [1, 2].map((seed) => nameOf(cell, mixture, seed))),
    );
    expect(new Set(files).size).toBe(files.length);
    expect(files).toContain('trained-200k-2-agents-horizon-0.25-small-2');
  });

  it.each(names)('divides training equally among the sizes of %s', (mixture) => {
    const { agents, sizes } = lakesOf(mixture, 3);
    const shares = Object.values(sizes).map(({ data }) => data);
    expect(agents).toBe(3);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
    expect(shares.filter((share) => share > 0)).toHaveLength(mixtures[mixture].length);
  });

  it('names the best mixture of each cell that was measured, and what it gains with each seed', () => {
    const [cell] = cells;
    const rates = { uniform: [0.2, 0.3], small: [0.25, 0.45], large: [0.1, 0.1] };
    const results = Object.entries(rates).flatMap(([mixture, values]) =>
      values.map((valid, i) => ({ cell, mixture, seed: i + 1, valid }) as Measured),
    );
    expect(tableOf(results).split('\n').slice(2)).toEqual([
      '| fresh | 100k | 2 | default | 25.0 % | 35.0 % | 10.0 % | small +5.0, +15.0 |',
    ]);
    expect(tableOf([]).split('\n')).toHaveLength(2);
  });
});
