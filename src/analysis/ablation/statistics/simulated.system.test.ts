// Hundreds of simulated ablations whose truth is known: error rates stay at the nominal level, and power is as
// promised. Named seeds make the results reproducible; bounds are three standard errors wide.
import { describe, expect, it } from 'vitest';
import { Random } from '../../../lab/random.ts';
import { normal } from '../../../lab/statistics/distributions.ts';
import { bestBy, type Compared, comparedBy, mainEffects } from './compared.ts';
import { conclusionOf } from './conclusions.ts';
import { resultsOf } from './results.ts';
import { materialOf } from './testing/arms.ts';

const times = 400;
const near = (share: number): number => 3 * Math.sqrt((share * (1 - share)) / times);

interface Truth {
  readonly seeds: number;
  /** The true mean of each arm, in standard deviations of the pairs. */
  readonly means: Readonly<Record<string, number>>;
  readonly margin?: number;
}

/** Arms of one unit share its difficulty, which varies more than the arms differ. */
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
  it.each([6, 8, 10])('of a difference cover the true value at about the nominal rate, with %i pairs', (seeds) => {
    const held = share({ seeds, means: { a: 1, b: 0 } }, `covers ${seeds}`, (material) => {
      const { interval } = primary(material);
      return interval !== null && interval.low <= 1 && interval.high >= 1;
    });
    const promised = seeds === 6 ? 1 - 2 / 64 : 0.95;
    expect(Math.abs(held - promised)).toBeLessThan(near(0.95) + 0.003);
  });

  it('of an arm cover its true mean at the nominal rate, with three and with ten seeds', () => {
    for (const seeds of [3, 10]) {
      const held = share({ seeds, means: { a: 0.7, b: 0 } }, `mean ${seeds}`, (material) => {
        const { low = 0, high = 0 } = resultsOf(material)[0] ?? {};
        return low <= 0.7 && high >= 0.7;
      });
      expect(Math.abs(held - 0.95)).toBeLessThan(near(0.95));
    }
  });
});

describe('arms without a true difference', () => {
  const means = { a: 0, b: 0, c: 0, d: 0, e: 0 };

  it('are significant in the primary contrast at the nominal rate', () => {
    const wrong = share(
      { seeds: 10, means: { a: 0, b: 0 } },
      'alike',
      (material) => primary(material).verdict === 'significant',
    );
    expect(wrong).toBeLessThan(0.05 + near(0.05));
    expect(wrong).toBeGreaterThan(0.05 - near(0.05));
  });

  it('are significant in any of the other contrasts at most at the nominal rate', () => {
    const wrong = share({ seeds: 10, means }, 'family', (material) =>
      comparedBy('valid', material)
        .slice(1)
        .some(({ verdict }) => verdict === 'significant'),
    );
    expect(wrong).toBeLessThan(0.05 + near(0.05));
    expect(wrong).toBeGreaterThan(0.01);
  });

  it('have a significant best arm at most at the nominal rate', () => {
    const wrong = share({ seeds: 10, means }, 'best', (material) => bestBy('valid', material)?.isSignificant === true);
    expect(wrong).toBeLessThan(0.05 + near(0.05));
  });

  it('have a significant best arm at most at the nominal rate if two lead together', () => {
    const two = { a: 3, b: 3, c: 0 };
    const wrong = share(
      { seeds: 10, means: two },
      'two best',
      (material) => bestBy('valid', material)?.isSignificant === true,
    );
    expect(wrong).toBeLessThan(0.05 + near(0.05));
    expect(wrong).toBeGreaterThan(0.01);
  });
});

describe('equivalence', () => {
  it('is concluded at about the nominal rate for arms as far apart as the margin', () => {
    const wrong = share(
      { seeds: 10, means: { a: 2, b: 0 }, margin: 2 },
      'margin',
      (material) => primary(material).verdict === 'equivalent',
    );
    expect(wrong).toBeLessThan(0.05 + near(0.05));
    expect(wrong).toBeGreaterThan(0.05 - near(0.05));
  });

  it('is concluded in any of the other contrasts at most at the nominal rate', () => {
    const means = { p: 0, a: 0, b: 2, c: -2, d: 2 };
    const wrong = share({ seeds: 10, means, margin: 2 }, 'equal family', (material) =>
      comparedBy('valid', material)
        .slice(1)
        .some(({ verdict }) => verdict === 'equivalent'),
    );
    expect(wrong).toBeLessThan(0.05 + near(0.05));
  });

  it('is concluded most of the time for arms without a difference', () => {
    const right = share(
      { seeds: 10, means: { a: 0, b: 0 }, margin: 2 },
      'none',
      (material) => primary(material).verdict === 'equivalent',
    );
    expect(right).toBeGreaterThan(0.95);
  });
});

describe('a true difference', () => {
  it.each([
    [1.2, 8],
    [1, 11],
  ])('of %f deviations is detected with the promised power with %i seeds', (effect, seeds) => {
    const found = share({ seeds, means: { a: effect, b: 0 } }, `power ${effect}`, (material) => {
      const { verdict, value } = primary(material);
      return verdict === 'significant' && value !== null && value > 0;
    });
    expect(found).toBeGreaterThan(0.8 - near(0.8));
    expect(found).toBeLessThan(0.88);
  });

  it('among other contrasts is detected with the promised power with the estimated seeds', () => {
    // 1.3 deviations at 0.05 / 2 take nine seeds.
    const means = { a: 0, b: 0, c: 1.3, d: 0 };
    const found = share({ seeds: 9, means }, 'power among others', (material) =>
      comparedBy('valid', material).some(({ arm, verdict }) => arm === 'c' && verdict === 'significant'),
    );
    expect(found).toBeGreaterThan(0.8 - near(0.8));
  });
});

/** Outcomes that are shares of few tasks, so that many seeds are ties. */
function counted(truths: Readonly<Record<string, number>>, seeds: number, luck: Random) {
  const tasks = 8;
  const hard = Array.from({ length: seeds }, () => 0.2 * luck.fraction());
  const solved = (chance: number): number =>
    Array.from({ length: tasks }, () => luck.fraction() < chance).filter(Boolean).length / tasks;
  const outcomes = Object.entries(truths).map(([arm, truth]) => [arm, hard.map((one) => solved(truth + one))]);
  return materialOf(Object.fromEntries(outcomes));
}

function often(
  purpose: string,
  draw: (luck: Random) => ReturnType<typeof materialOf>,
  holds: (first: Compared) => boolean,
) {
  const luck = new Random('ablation', purpose);
  let count = 0;
  for (let time = 0; time < times; time++) if (holds(primary(draw(luck)))) count += 1;
  return count / times;
}

const isBelow = ({ p }: Compared): boolean => p !== null && p <= 0.05;

describe('p of 0.05 or less', () => {
  it.each([6, 8, 12])('occurs without an effect at most at the nominal rate, with %i seeds', (seeds) => {
    const alike = (luck: Random) => drawn({ seeds, means: { a: 0, b: 0 } }, luck);
    expect(often(`no effect ${seeds}`, alike, isBelow)).toBeLessThan(0.05 + near(0.05));
  });

  it.each([6, 8, 12])('occurs with many ties at most at the nominal rate, with %i seeds', (seeds) => {
    const tied = (luck: Random) => counted({ a: 0.3, b: 0.3 }, seeds, luck);
    expect(often(`ties ${seeds}`, tied, isBelow)).toBeLessThan(0.05 + near(0.05));
    const luck = new Random('ablation', `are there ties ${seeds}`);
    const zeros = Array.from({ length: 50 }, () => primary(counted({ a: 0.3, b: 0.3 }, seeds, luck)).value === 0);
    expect(zeros).toContain(true);
  });

  it('occurs more often with a small effect than without, and rarely in the wrong direction', () => {
    const small = (luck: Random) => drawn({ seeds: 10, means: { a: 0.4, b: 0 } }, luck);
    expect(often('small', small, isBelow)).toBeGreaterThan(0.05 + near(0.05));
    expect(often('small', small, (one) => isBelow(one) && (one.value ?? 0) < 0)).toBeLessThan(0.025);
  });

  it('never occurs if all differences are zero, and nothing is claimed', () => {
    for (let seeds = 2; seeds <= 24; seeds++) {
      const same = Array.from({ length: seeds }, (_, i) => 0.1 + 0.03 * i);
      const outcomes = { a: same, b: same, c: same, d: same.map((one, i) => one + (i === 0 ? 1e-16 : 0)) };
      const { comparisons, says } = conclusionOf(materialOf(outcomes, { margin: 0.01 }));
      for (const { p, difference } of comparisons) expect([p, difference]).toEqual([1, 0]);
      expect(comparisons.filter(({ verdict }) => verdict === 'significant')).toEqual([]);
      expect(says.join()).not.toMatch(/significantly|better|worse/);
    }
  });

  it('never occurs for an unfinished arm', () => {
    const luck = new Random('ablation', 'errored');
    const whole = drawn({ seeds: 10, means: { a: 0, b: 0, c: 9 } }, luck);
    const values = whole.values.map((one) => (one.arm === 'c' ? { ...one, value: null } : one));
    const { comparisons, says } = conclusionOf({ ...whole, values, unfinished: ['c'] });
    expect(comparisons.find(({ arm }) => arm === 'c')).toMatchObject({ units: 0, verdict: 'inconclusive' });
    expect(says.join()).not.toContain('c is');
  });
});

describe('arms next to an errored one', () => {
  const seeds = 10;

  function beside(luck: Random) {
    const whole = drawn({ seeds, means: { a: 0, b: 0, c: 0, d: 0, e: 0 } }, luck);
    const arms = whole.arms.map((one) => ({ ...one, isErrored: one.arm === 'c' }));
    const values = whole.values.map((one) => (one.arm === 'c' ? { ...one, value: null } : one));
    return { ...whole, arms, values, unfinished: ['c'] };
  }

  it('are significant in any contrast at most at the nominal rate, corrected for those left', () => {
    const luck = new Random('ablation', 'beside an errored one');
    let [wrong, wrongAlone] = [0, 0];
    for (let time = 0; time < times; time++) {
      const compared = comparedBy('valid', beside(luck));
      const others = compared.filter(({ isDeclared }) => !isDeclared);
      expect(others.flatMap(({ arm, together, p }) => (p === null ? [] : [[arm, together]]))).toEqual([
        ['d', 2],
        ['e', 2],
      ]);
      if (others.some(({ verdict }) => verdict === 'significant')) wrong += 1;
      if (compared[0]?.verdict === 'significant') wrongAlone += 1;
    }
    for (const share of [wrong, wrongAlone].map((count) => count / times)) {
      expect(share).toBeLessThan(0.05 + near(0.05));
      expect(share).toBeGreaterThan(0.01);
    }
  });

  it('have a significant main effect at most at the nominal rate, without its cell', () => {
    const luck = new Random('ablation', 'errored cell');
    let wrong = 0;
    for (let time = 0; time < times; time++) {
      const whole = drawn({ seeds, means: { 'r/x': 0, 'r/y': 0, 's/x': 0, 's/y': 0, 't/x': 0, 't/y': 0 } }, luck);
      const arms = whole.arms.map((one) => ({ ...one, isErrored: one.arm === 't/y' }));
      const values = whole.values.map((one) => (one.arm === 't/y' ? { ...one, value: null } : one));
      const compared = comparedBy('valid', { ...whole, arms, values, declared: [], contrasts: mainEffects(arms) });
      expect(compared.map(({ of, units }) => [of.length, units])).toEqual([2, 1, 1, 2].map((size) => [size, seeds]));
      if (compared.some(({ verdict }) => verdict === 'significant')) wrong += 1;
    }
    expect(wrong / times).toBeLessThan(0.05 + near(0.05));
    expect(wrong / times).toBeGreaterThan(0.01);
  });
});

describe('several declared contrasts', () => {
  it('include a significant one at most at the nominal rate if there is no effect', () => {
    const luck = new Random('ablation', 'declared');
    let wrong = 0;
    for (let time = 0; time < times; time++) {
      const material = drawn({ seeds: 10, means: { a: 0, b: 0, c: 0, d: 0 } }, luck);
      const declared = [...material.declared, ...material.contrasts];
      const compared = comparedBy('valid', { ...material, declared });
      expect(compared.map(({ isDeclared, together }) => [isDeclared, together])).toEqual(declared.map(() => [true, 3]));
      if (compared.some(({ verdict }) => verdict === 'significant')) wrong += 1;
    }
    expect(wrong / times).toBeLessThan(0.05 + near(0.05));
    expect(wrong / times).toBeGreaterThan(0.01);
  });
});

describe('main effects of a matrix', () => {
  it('include a significant one at most at the nominal rate if there is no effect', () => {
    const luck = new Random('ablation', 'main effects');
    let wrong = 0;
    for (let time = 0; time < times; time++) {
      const material = drawn(
        { seeds: 10, means: { 'r/x': 0, 'r/y': 0, 's/x': 0, 's/y': 0, 't/x': 0, 't/y': 0 } },
        luck,
      );
      const compared = comparedBy('valid', { ...material, declared: [], contrasts: mainEffects(material.arms) });
      expect(compared).toHaveLength(4);
      if (compared.some(({ verdict }) => verdict === 'significant')) wrong += 1;
    }
    expect(wrong / times).toBeLessThan(0.05 + near(0.05));
    expect(wrong / times).toBeGreaterThan(0.01);
  });
});
