// Hundreds of ablations whose truth is known: what is concluded is wrong no more often than it may be, and right as often as
// it promises. All are drawn from named seeds, so that they come out alike every time; bounds are three standard errors wide.
import { describe, expect, it } from 'vitest';
import { Random } from '../../../lab/random.ts';
import { bestBy } from './best.ts';
import { type Compared, comparedBy } from './compared.ts';
import { resultsOf } from './results.ts';
import { materialOf, normal } from './testing/arms.ts';

const times = 400;
const near = (share: number): number => 3 * Math.sqrt((share * (1 - share)) / times);

interface Truth {
  readonly seeds: number;
  /** Of each arm, in standard deviations of the pairs. */
  readonly means: Readonly<Record<string, number>>;
  readonly margin?: number;
}

/** Arms of one unit share what is hard about it, which is more than what tells them apart. */
function drawn({ seeds, means, margin }: Truth, luck: Random) {
  const hard = Array.from({ length: seeds }, () => 3 * normal(luck));
  const outcomes = Object.entries(means).map(([arm, mean]) => [
    arm,
    hard.map((one) => mean + one + normal(luck) / Math.SQRT2),
  ]);
  return materialOf(Object.fromEntries(outcomes), { margin: margin ?? null, better: { valid: 'higher' } });
}

function share(truth: Truth, purpose: string, holds: (material: ReturnType<typeof drawn>) => boolean): number {
  const luck = new Random('ablation', purpose);
  let count = 0;
  for (let time = 0; time < times; time++) if (holds(drawn(truth, luck))) count += 1;
  return count / times;
}

const primary = (material: ReturnType<typeof drawn>): Compared => {
  const [first] = comparedBy('valid', material);
  if (first === undefined) throw new Error('the primary contrast comes first');
  return first;
};

describe('intervals', () => {
  it.each([6, 8, 10])('of a difference hold the true one about as often as they say, in %i pairs', (seeds) => {
    const held = share({ seeds, means: { a: 1, b: 0 } }, `covers ${seeds}`, (material) => {
      const { interval } = primary(material);
      return interval !== null && interval.low <= 1 && interval.high >= 1;
    });
    const promised = seeds === 6 ? 1 - 2 / 64 : 0.95;
    expect(Math.abs(held - promised)).toBeLessThan(near(0.95) + 0.003);
  });

  it('of an arm hold its true mean as often as they say, with two seeds as with ten', () => {
    for (const seeds of [2, 10]) {
      const held = share({ seeds, means: { a: 0.7, b: 0 } }, `mean ${seeds}`, (material) => {
        const { low = 0, high = 0 } = resultsOf(material)[0] ?? {};
        return low <= 0.7 && high >= 0.7;
      });
      expect(Math.abs(held - 0.95)).toBeLessThan(near(0.95));
    }
  });
});

describe('arms that are all alike', () => {
  const means = { a: 0, b: 0, c: 0, d: 0, e: 0 };

  it('are told apart by the primary contrast at the nominal rate', () => {
    const wrong = share(
      { seeds: 10, means: { a: 0, b: 0 } },
      'alike',
      (material) => primary(material).verdict === 'different',
    );
    expect(wrong).toBeLessThan(0.05 + near(0.05));
    expect(wrong).toBeGreaterThan(0.05 - near(0.05));
  });

  it('are told apart by any of the others, all together, no more often than that', () => {
    const wrong = share({ seeds: 10, means }, 'family', (material) =>
      comparedBy('valid', material)
        .slice(1)
        .some(({ verdict }) => verdict === 'different'),
    );
    expect(wrong).toBeLessThan(0.05 + near(0.05));
    expect(wrong).toBeGreaterThan(0.01);
  });

  it('have no best one more often than that, though one always comes out first', () => {
    const wrong = share({ seeds: 10, means }, 'best', (material) => bestBy('valid', material)?.isTold === true);
    expect(wrong).toBeLessThan(0.05 + near(0.05));
  });

  it('have no best one either where two are ahead together', () => {
    const two = { a: 3, b: 3, c: 0 };
    const wrong = share(
      { seeds: 10, means: two },
      'two best',
      (material) => bestBy('valid', material)?.isTold === true,
    );
    expect(wrong).toBeLessThan(0.05 + near(0.05));
    expect(wrong).toBeGreaterThan(0.01);
  });
});

describe('arms as far apart as the margin', () => {
  it('are called equal no more often than the level allows, and about as often', () => {
    const wrong = share(
      { seeds: 10, means: { a: 2, b: 0 }, margin: 2 },
      'margin',
      (material) => primary(material).verdict === 'equal',
    );
    expect(wrong).toBeLessThan(0.05 + near(0.05));
    expect(wrong).toBeGreaterThan(0.05 - near(0.05));
  });

  it('are called equal by any of the others, all together, no more often than that', () => {
    const means = { p: 0, a: 0, b: 2, c: -2, d: 2 };
    const wrong = share({ seeds: 10, means, margin: 2 }, 'equal family', (material) =>
      comparedBy('valid', material)
        .slice(1)
        .some(({ verdict }) => verdict === 'equal'),
    );
    expect(wrong).toBeLessThan(0.05 + near(0.05));
  });

  it('are called equal most of the time where they are not apart at all', () => {
    const right = share(
      { seeds: 10, means: { a: 0, b: 0 }, margin: 2 },
      'none',
      (material) => primary(material).verdict === 'equal',
    );
    expect(right).toBeGreaterThan(0.95);
  });
});

describe('a difference that is there', () => {
  it.each([
    [1.2, 8],
    [1, 11],
  ])('of %f deviations is found as often as is promised with %i seeds', (effect, seeds) => {
    const found = share({ seeds, means: { a: effect, b: 0 } }, `power ${effect}`, (material) => {
      const { verdict, value } = primary(material);
      return verdict === 'different' && value !== null && value > 0;
    });
    expect(found).toBeGreaterThan(0.8 - near(0.8));
    expect(found).toBeLessThan(0.88);
  });

  it('is found among others, too, with as many seeds as are said to be needed among them', () => {
    // 1.3 deviations at 0.05 / 2 take nine seeds.
    const means = { a: 0, b: 0, c: 1.3, d: 0 };
    const found = share({ seeds: 9, means }, 'power among others', (material) =>
      comparedBy('valid', material).some(({ arm, verdict }) => arm === 'c' && verdict === 'different'),
    );
    expect(found).toBeGreaterThan(0.8 - near(0.8));
  });
});
