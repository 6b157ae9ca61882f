import { describe, expect, it } from 'vitest';
import { stripOf } from './curve.ts';

const shares = (...list: readonly number[]) => list.map((share, i) => ({ family: `g${i}`, share }));

describe('a strip of shares', () => {
  it('has a block per family, with a height relative to the largest share of all stages', () => {
    const strip = stripOf([shares(0.4, 0.2, 0.4), shares(0.8, 0.2, 0)]);
    expect(strip.of(shares(0.4, 0.2, 0.4))).toBe('▄▂▄');
    expect(strip.of(shares(0.8, 0.2, 0))).toBe('█▂·');
    expect(strip.legend).toContain('g0 g1 g2; █ is 80.0 %, · is none.');
  });

  it('distinguishes the smallest share from none', () => {
    expect(stripOf([shares(0.999, 0.001, 0)]).of(shares(0.999, 0.001, 0))).toBe('█▁·');
  });

  it('leaves the column of a family empty in stages that have none of it', () => {
    const later = [{ family: 'new', share: 1 }];
    const strip = stripOf([shares(1), later]);
    expect([strip.of(shares(1)), strip.of(later), strip.of([])]).toEqual(['█·', '·█', '']);
  });

  it('says that there are more families than it shows', () => {
    const many = shares(...Array.from({ length: 30 }, () => 1 / 30));
    const strip = stripOf([many]);
    expect(strip.of(many)).toBe(`${'█'.repeat(23)}…`);
    expect(strip.legend).toContain('… (30 families;');
  });

  it('has no legend for runs without shares', () => {
    expect(stripOf([[], []])).toMatchObject({ legend: null });
  });
});
