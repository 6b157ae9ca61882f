import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ablationCompleted } from '../../../../schemas/ablation.ts';
import { unitsNeeded } from '../../../lab/statistics/power.ts';
import { conclusionOf, leadingConclusion } from './conclusions.ts';
import { armNamed, contrast, materialOf } from './testing/arms.ts';

/** The base value of each of ten seeds. */
const hard = [0.4, 0.45, 0.5, 0.42, 0.47, 0.44, 0.52, 0.39, 0.46, 0.41];
const above = (...points: readonly number[]): number[] => hard.map((one, i) => one + (points[i % points.length] ?? 0));
const says = (...args: Parameters<typeof materialOf>): string => conclusionOf(materialOf(...args)).says.join('\n');

describe('the results of an arm', () => {
  it('have a mean, a median, the worst cells and the number of seeds', () => {
    const material = materialOf({ 'rules/stats': [0.2, 0.4, 0.9], uniform: [0.5, 0.5, null] });
    const values = material.values.map((one) => ({ ...one, worst: one.arm === 'uniform' ? null : 0.1 }));
    expect(conclusionOf({ ...material, values }).results).toEqual([
      // Student's t: 4.3027 * 0.3606 / sqrt(3).
      { arm: 'rules/stats', measure: 'valid', statistic: 'mean', value: 0.5, units: 3, low: expect.closeTo(-0.3957, 4), high: expect.closeTo(1.3957, 4) }, // biome-ignore format: a line a result
      { arm: 'rules/stats', measure: 'valid', statistic: 'median', value: 0.4, units: 3 },
      { arm: 'rules/stats', measure: 'valid', statistic: 'p10', value: expect.closeTo(0.1, 9), units: 3 },
      { arm: 'uniform', measure: 'valid', statistic: 'mean', value: 0.5, units: 2 },
      { arm: 'uniform', measure: 'valid', statistic: 'median', value: 0.5, units: 2 },
    ]);
  });

  it('have a reason if there is no value', () => {
    const { results, says } = conclusionOf(materialOf({ 'rules/stats': [0.2, 0.4], uniform: [null, null] }));
    const nothing = { value: null, reason: 'no unit has a value' };
    expect(results.find(({ arm }) => arm === 'uniform')).toMatchObject({ value: nothing, units: 0 });
    expect(says[0]).toBe('rules/stats and uniform could not be compared: no seed has valid on both sides.');
  });
});

describe('the declared contrast', () => {
  it('states the difference in points, with interval, seeds and p', () => {
    const better = above(0.02, 0.04, 0.03);
    expect(says({ 'rules/stats': better, 'rules/failures': hard }).split('\n')[0]).toBe(
      'rules/stats is significantly better than rules/failures by 2.9 points valid [2.3, 3.5], 10 seeds, p = 0.00195.',
    );
    expect(says({ 'rules/failures': hard, 'rules/stats': better })).toContain(
      'rules/failures is significantly worse than rules/stats by 2.9 points valid [2.3, 3.5], 10 seeds, p = 0.00195.',
    );
  });

  it('is better below if lower is better, and not in points if it is not a share', () => {
    const lower = { tested: { measure: 'valid', better: 'lower' }, better: { valid: 'lower' } } as const;
    expect(says({ 'a/x': hard, 'b/x': above(0.02, 0.04, 0.03) }, lower)).toContain(
      'a/x is significantly better than b/x by 0.029 valid [0.0225, 0.035], 10 seeds',
    );
  });

  it('estimates the seeds that an inconclusive difference would need', () => {
    const { comparisons, says } = conclusionOf(materialOf({ a: above(0.05, -0.04, 0.02), b: hard }));
    // p, interval, effect and the noncentral t were checked against scipy 1.17.1.
    expect(comparisons[0]).toMatchObject({
      ...{ verdict: 'inconclusive', units: 10, unitsNeeded: 77, p: 0.30859375 },
      ...{ low: expect.closeTo(-0.016, 12), high: expect.closeTo(0.0425, 12), effect: expect.closeTo(0.3239309778, 9) },
    });
    expect(says[0]).toMatch(
      /^a against b is inconclusive: \+1\.4 points valid \[-1\.6, 4\.3\], 10 seeds, p = 0\.309\. About 77 seeds would show a difference this large\.$/,
    );
  });

  it('is equivalent only if a margin is given and both tests of it hold', () => {
    const alike = above(0.005, -0.004, 0.002, -0.003);
    expect(says({ a: alike, b: hard }, { margin: 0.01 })).toContain('a and b are equivalent within 1 point: ');
    expect(says({ a: alike, b: hard }, { margin: 0.001 })).toContain(
      'Nor are they shown to be equivalent within 0.1 points.',
    );
    expect(says({ a: alike, b: hard })).not.toContain('equivalent');
  });

  it('is equivalent despite a significant difference that is within the margin', () => {
    const { comparisons, says } = conclusionOf(materialOf({ a: above(0.005, 0.006), b: hard }, { margin: 0.02 }));
    expect(comparisons[0]).toMatchObject({ verdict: 'equivalent', p: 2 / 1024 });
    expect(says[0]).toContain('there is a difference, p = 0.00195, of a size that counts as none');
  });

  it('says if there are too few seeds for any difference', () => {
    const few = { a: [0.5, 0.6, 0.7, 0.65, 0.9], b: [0.1, 0.1, 0.1, 0.1, 0.1] };
    const [first] = conclusionOf(materialOf(few)).comparisons;
    expect(first).toMatchObject({ verdict: 'inconclusive', p: 0.0625 });
    expect(first).not.toHaveProperty('low');
    expect(says(few)).toContain('5 seeds are too few: p cannot fall below 0.0625. At least 6 are needed.');
    const noisy = { a: [0.5, 0.1, 0.6], b: [0.4, 0.2, 0.3] };
    const { comparisons } = conclusionOf(materialOf(noisy));
    expect(comparisons[0]?.unitsNeeded).toBeGreaterThan(6);
    expect(says(noisy)).toContain(
      `At least 6 are needed, and about ${comparisons[0]?.unitsNeeded} to show a difference this large.`,
    );
  });

  it('states the seeds needed after Holm if several contrasts are declared', () => {
    const [a, d] = [above(0.05, -0.04, 0.04, -0.01, 0.03), above(0.04, -0.03, 0.03, -0.02, 0.03)];
    const all = materialOf({ a, b: hard, c: hard.toReversed(), d }, { declared: [] });
    const [first, second] = [
      ['a', 'b'],
      ['c', 'b'],
    ].map(([arm = '', reference = '']) => ({
      ...{ arm, reference, kind: 'arms' as const, of: [arm], less: [reference] },
    }));
    if (first === undefined || second === undefined) return expect.fail();
    expect(conclusionOf({ ...all, declared: [first, second] }).says[0]).toMatch(
      /after Holm\. About \d+ seeds would show a difference this large after Holm\.$/,
    );
    const few = materialOf({ a: a.slice(0, 6), b: hard.slice(0, 6), c: hard.toReversed().slice(0, 6) });
    expect(conclusionOf({ ...few, declared: [first, second] }).says[0]).toMatch(
      /\. 6 seeds are too few: p cannot fall below 0\.0625 after Holm\. At least 7 are needed/,
    );
  });

  it('names the measure of a difference that is not in points', () => {
    const score = { shares: [], values: [], better: {} };
    const material = materialOf({ a: [0.5], b: [0.5] });
    expect(
      conclusionOf({ ...material, ...{ ...score, values: material.values, better: material.better } }).says[0],
    ).toContain('a against b is inconclusive: a difference of 0 in valid, 1 seed');
  });

  it('has no interval if all seeds differ by the same, and says that there is no variation', () => {
    const same = conclusionOf(materialOf({ a: hard, b: hard }));
    expect(same.says[0]).toBe(
      'a against b is inconclusive: 0.0 points valid with each of 10 seeds, p = 1. Without variation there is no interval.',
    );
    expect(same.comparisons[0]).toMatchObject({ p: 1, method: expect.stringContaining('no interval') });
    expect(same.comparisons[0]).not.toHaveProperty('low');
    const { comparisons, says } = conclusionOf(materialOf({ a: above(0.02), b: hard }));
    expect(says[0]).toBe(
      'a is significantly better than b by 2.0 points valid with each of 10 seeds, p = 0.00195. Without variation there is no interval.',
    );
    expect(comparisons[0]).not.toHaveProperty('high');
    const few = conclusionOf(materialOf({ a: hard.slice(0, 4), b: hard.slice(0, 4) }));
    expect(few.says[0]).toContain('0.0 points valid, 4 seeds, p = 1. 4 seeds are too few');
  });

  it('has intervals of means only from three seeds on', () => {
    const few = (count: number) =>
      conclusionOf(materialOf({ a: [0.02, 0.12, 0.07].slice(0, count), b: [0, 0, 0].slice(0, count) }));
    const mean = (count: number) =>
      few(count).results.find(({ arm, statistic }) => arm === 'a' && statistic === 'mean');
    expect(mean(3)).toHaveProperty('low');
    expect(mean(2)).not.toHaveProperty('low');
    expect(few(2).says).toContain('Two seeds: means have no intervals, and other seeds may differ.');
  });

  it('is inconclusive with one seed, without interval or p, and says why', () => {
    const { comparisons, says } = conclusionOf(materialOf({ a: [0.9], b: [0.1] }, { margin: 0.5 }));
    expect(Object.keys(comparisons[0] ?? {})).not.toEqual(
      expect.arrayContaining(['low', 'p', 'effect', 'unitsNeeded']),
    );
    expect(comparisons[0]).toMatchObject({ verdict: 'inconclusive', units: 1, method: 'none: one pair' });
    expect(says[0]).toContain('One seed cannot show how much is chance');
    expect(says).toContain('One seed: means have no intervals, and other seeds may differ.');
  });

  it('excludes seeds that lack a value on either side, and says so', () => {
    const { comparisons, says } = conclusionOf(materialOf({ a: [null, ...above(0.03).slice(1)], b: hard }));
    expect(comparisons[0]?.units).toBe(9);
    expect(says).toContain('Without valid, of 10 seeds: a in 1. Pairs go without these seeds.');
  });
});

describe('arms that are not tested', () => {
  const blindTo = (arm: string, ...notApplicable: readonly string[]) => ({ ...armNamed(arm), notApplicable });
  const outcomes = { 'rules/failures+stats': above(0.03), 'rules/failures': hard };

  it('differ only in modules that their engineer cannot use', () => {
    const arms = [blindTo('rules/failures+stats', 'stats'), armNamed('rules/failures')];
    const { comparisons, says } = conclusionOf(materialOf(outcomes, { arms }));
    expect(comparisons[0]).toMatchObject({ verdict: 'not-applicable' });
    expect(comparisons[0]).not.toHaveProperty('p');
    expect(says[0]).toBe(
      'rules/failures+stats and rules/failures were not tested: rules cannot use stats, and everything else is the same on both sides.',
    );
    expect(conclusionOf(materialOf(outcomes)).comparisons[0]?.verdict).toBe('significant');
  });

  it('are leave-one-out arms only if the engineer cannot use what is left out', () => {
    const left = (without: string) => ({ ...armNamed('rules/failures'), form: 'failures+stats', modules: ['failures', 'stats'], without: [without] }); // biome-ignore format: one line
    const verdict = (without: string) =>
      conclusionOf(materialOf(outcomes, { arms: [blindTo('rules/failures+stats', 'stats'), left(without)] }))
        .comparisons[0]?.verdict;
    expect(verdict('stats')).toBe('not-applicable');
    expect(verdict('failures')).toBe('significant');
    expect(verdict('F3')).toBe('significant');
  });

  it('do not count in the Holm correction, nor do arms with the same decisions', () => {
    const others = { ...outcomes, 'rules/failures+combined': above(0.01), uniform: above(0.02, 0.01), fixed: hard };
    const arms = Object.keys(others).map((arm) =>
      arm.includes('combined') ? blindTo(arm, 'combined') : armNamed(arm),
    );
    const { comparisons, says } = conclusionOf(materialOf(others, { arms, same: [['fixed', 'rules/failures']] }));
    expect(comparisons.map(({ arm, verdict, adjusted }) => [arm, verdict, adjusted])).toEqual([
      ['rules/failures+stats', 'significant', undefined],
      ['rules/failures+combined', 'not-applicable', undefined],
      ['uniform', 'significant', 2 / 1024],
      ['fixed', 'not-applicable', undefined],
    ]);
    expect(says).toContain(
      'rules/failures and fixed made the same decisions everywhere: there is nothing to test between them.',
    );
    expect(says).toContain(
      'rules cannot use combined: rules/failures+combined says nothing about what combined is worth to others.',
    );
  });

  it('do not include arms with the same decisions and different results, which have a note', () => {
    expect(says(outcomes, { same: [['rules/failures', 'rules/failures+stats']] })).toContain(
      'Both decided on the same configurations: whatever differs is not what they chose.',
    );
  });
});

describe('the other contrasts', () => {
  const others = {
    a: above(0.001, -0.001),
    b: hard,
    c: above(0.05, 0.06),
    d: above(0.01, -0.02, 0.005),
    e: above(0.04),
  };

  it('are stated if significant after Holm, and otherwise counted', () => {
    const { comparisons, says } = conclusionOf(materialOf(others));
    const p = 3 * (2 / 1024);
    expect(comparisons.find(({ arm }) => arm === 'c')).toMatchObject({ p: 2 / 1024, adjusted: expect.closeTo(p, 12) });
    expect(says).toContain(
      'c is significantly better than b by 5.5 points valid [5.0, 6.0], 10 seeds, p = 0.00586 after Holm.',
    );
    expect(says).toContain('Of 3 other contrasts 2 are significant (Holm); 1 is inconclusive.');
  });

  it('that are inconclusive have a seed estimate corrected for all of them', () => {
    const { comparisons } = conclusionOf(materialOf(others));
    const { verdict, effect, unitsNeeded: needed } = comparisons.find(({ arm }) => arm === 'd') ?? {};
    expect(verdict).toBe('inconclusive');
    expect(needed).toBe(unitsNeeded({ effect: Number(effect), alpha: 0.05 / 3, power: 0.8 }));
  });

  it('cannot be significant if they are too many for the seeds, and the text says so', () => {
    const few = Object.fromEntries(Object.entries(others).map(([arm, values]) => [arm, values.slice(0, 6)]));
    expect(says(few)).toContain(
      'With 6 seeds none of 3 contrasts can be significant, however large the difference: at least 7 seeds are needed.',
    );
  });

  it('may be effects over several arms, without units that one of these lacks', () => {
    const effect = { arm: 'c', reference: 'without', kind: 'effect', of: ['c', 'e'], less: ['a', 'b'] } as const;
    const whole = conclusionOf(materialOf(others, { contrasts: [effect] }));
    expect(whole.comparisons[1]).toMatchObject({ difference: expect.closeTo(0.0475, 9), units: 10 });
    expect(whole.says).toContain('The effect c is significant: +4.8 points valid [4.5, 5.0], 10 seeds, p = 0.00195.');
    const lacking = { ...others, e: [null, ...above(0.04).slice(1)] };
    expect(conclusionOf(materialOf(lacking, { contrasts: [effect] })).comparisons[1]?.units).toBe(9);
  });
});

describe('the best arm', () => {
  it('is better than all others if it differs significantly from each, corrected for having been picked', () => {
    expect(says({ a: above(0.01), b: hard, c: above(0.05, 0.06, 0.07) })).toContain(
      'c came out best in valid, 50.5 % on average over 10 seeds, and is significantly better than each of the 2 others, p = 0.00293, corrected for having picked the best of 3 different arms.',
    );
  });

  it('is inconclusive against the second best if chance may explain it', () => {
    expect(says({ a: above(0.06, -0.03, 0.02), b: hard })).toMatch(
      /a came out best in valid, 46\.7 % on average over 10 seeds, 2\.1 points ahead of b; the difference is inconclusive\.$/m,
    );
  });

  it('is not compared with an arm that decided the same with the same outcome', () => {
    const twin = { a: above(0.05, 0.06, 0.07), b: hard, c: above(0.05, 0.06, 0.07) };
    expect(says(twin)).toContain('a and c came out best in valid together, 50.5 % on average over 10 seeds.');
    expect(says(twin, { same: [['a', 'c']] })).toContain(
      'a and c, which always decided the same, came out best in valid, 50.5 % on average over 10 seeds, and are significantly better than b, p = 0.00195, corrected for having picked the best of 2 different arms',
    );
  });

  it('is not named unless two arms have a value in every seed', () => {
    expect(says({ a: [0.1, null, 0.2], b: [0.2, 0.3, 0.1] })).not.toContain('best');
  });

  it('is the lowest if lower is better', () => {
    const lower = { better: { valid: 'lower' }, tested: null, declared: [], contrasts: [contrast('a', 'b')] } as const;
    expect(says({ a: above(0.01), b: hard }, lower)).toContain('b came out best in valid');
  });
});

describe('arms that decide the same with every seed', () => {
  it('are compared among themselves once per run, and with others for every seed', () => {
    const ones = hard.map(() => 0.9);
    const outcomes = { 'rules/a': ones, 'rules/b': hard.map(() => 0.1), 'gpt/stats': hard };
    const repeating = { arms: ['rules/a', 'rules/b'], units: ['seed 1'] };
    expect(conclusionOf(materialOf(outcomes)).comparisons[0]?.verdict).toBe('significant');
    const { comparisons, says: answer } = conclusionOf(materialOf(outcomes, { depth: 'propose', repeating }));
    expect(comparisons.map(({ units, verdict }) => [units, verdict])).toEqual([
      [1, 'inconclusive'],
      [10, 'significant'],
    ]);
    expect(answer.join('\n')).not.toContain('10 seeds, and is significantly better');
    expect(answer).toContain(
      'Nothing is trained, and with every seed of a run rules/a and rules/b decided the same: among such arms a run counts once.',
    );
  });
});

describe('units of one seed', () => {
  it('have a note that they share their training seed', () => {
    const sameSeed = [['run', 'its fork']];
    expect(says({ a: hard, b: hard }, { sameSeed })).toContain('run and its fork have the same training seed: ');
    expect(says({ a: hard, b: hard })).not.toContain('the same training seed');
  });
});

describe('arms with equal means', () => {
  it('have no best arm', () => {
    const alike = { a: [0.5, 0.4], b: [0.5, 0.4], c: [0.5, 0.4] };
    expect(says(alike)).toContain('By valid no arm is ahead: a, b and c all came to 45.0 % on average over 2 seeds.');
  });
});

describe('the effect of contexts on decisions', () => {
  const values = { 'rules/failures': hard, 'rules/stats': hard, 'rules/behaviour': hard, uniform: hard };
  const first = (same: readonly (readonly [string, string])[], depth: 'propose' | 'train' = 'propose') =>
    conclusionOf(materialOf(values, { same, depth })).says[0];

  it('comes first if nothing is trained', () => {
    expect(first([])).toBe('rules decided differently with each of 3 contexts: failures, stats and behaviour.');
    const two = [['rules/failures', 'rules/stats']] as const;
    expect(first(two)).toBe(
      'rules made 2 different decisions with 3 contexts: one with failures or stats, the other with behaviour.',
    );
    expect(first([...two, ['rules/stats', 'rules/behaviour']])).toBe(
      'rules decided the same, whatever it was shown: failures, stats and behaviour.',
    );
    expect(first(two, 'train')).toContain(
      'were not tested: both sides decided the same everywhere, with the same results',
    );
  });

  it('does not count contexts that the engineer cannot use', () => {
    const arms = Object.keys(values).map((arm) => ({
      ...armNamed(arm),
      notApplicable: arm === 'rules/stats' ? ['stats'] : [],
    }));
    const { says } = conclusionOf(materialOf(values, { depth: 'propose', arms }));
    expect(says[0]).toBe(
      'rules decided differently with each of 2 contexts: failures and behaviour; it cannot use stats.',
    );
    expect(says).toContain('rules cannot use stats: rules/stats says nothing about what stats is worth to others.');
    const one = arms.filter(({ arm }) => arm !== 'rules/behaviour');
    expect(conclusionOf(materialOf(values, { depth: 'propose', arms: one })).says[0]).toBe(
      'rules cannot use stats alone and took part only with failures: nothing shows what contexts are worth to it.',
    );
  });

  it('is stated for each program', () => {
    const arms = ['easier/stats', 'easier/failures', 'harder/stats', 'harder/failures'].map((arm) => ({
      ...armNamed(arm),
      engineer: 'command',
    }));
    const outcomes = Object.fromEntries(arms.map(({ arm }) => [arm, hard]));
    const same = [['easier/stats', 'easier/failures']] as const;
    expect(conclusionOf(materialOf(outcomes, { depth: 'propose', arms, same })).says.slice(0, 2)).toEqual([
      'easier decided the same, whatever it was shown: stats and failures.',
      'harder decided differently with each of 2 contexts: stats and failures.',
    ]);
  });

  it('excludes arms whose answers were rejected, and says so', () => {
    const of = { count: 2, of: 2 };
    const rejected = [{ arm: 'rules/failures', ...of }];
    const decided = ['rules/stats', 'rules/behaviour'];
    const { says } = conclusionOf(materialOf(values, { depth: 'propose', rejected, decided }));
    expect(says[0]).toBe('rules decided differently with each of 2 contexts: stats and behaviour.');
    expect(says).toContain(
      'Some answers could not be used, and the configuration stayed the same: rules/failures (2 of 2).',
    );
  });
});

describe('the closing notes', () => {
  it('explain intervals, the number of runs behind the seeds, and scores of proposals', () => {
    const material = materialOf({ a: above(0.01), b: hard });
    expect(conclusionOf({ ...material, depth: 'propose', runs: 1, declared: [] }).says).toEqual(
      expect.arrayContaining([
        'No contrast was declared.',
        'All 10 seeds are of one run; another history may give another result.',
        'Intervals are 95 % intervals of single figures, not corrected for multiple comparisons.',
        'These are scores of proposals; they do not say how well training on them works.',
      ]),
    );
    expect(conclusionOf(material).says.join()).not.toContain('proposed');
  });
});

describe('the leading conclusion', () => {
  const untested = 'a and b were not tested: both sides decided the same everywhere, with the same results.';
  const best =
    'c came out best in valid, 50.0 % on average over 3 seeds, 1.0 points ahead of a; the difference is inconclusive.';
  const significant = 'c is significantly better than b by 3.0 points valid, 8 seeds, p = 0.00781.';
  const none = 'None of 5 other contrasts is significant (Holm).';

  it.each([
    [['a against b is inconclusive: +1.0 points valid.', best], 'a against b is inconclusive: +1.0 points valid.'],
    [[untested, none, best, significant], significant],
    [[untested, none, best], best],
    [[untested], untested],
    [[], null],
  ])('of %j', (conclusions, leading) => {
    expect(leadingConclusion(conclusions)).toBe(leading);
  });
});

describe('any outcomes', () => {
  const value = fc.option(fc.integer({ min: 0, max: 20 }).map((count) => count / 20));
  const arms = fc.array(fc.array(value, { minLength: 1, maxLength: 8 }), { minLength: 2, maxLength: 5 });
  const margin = fc.option(fc.constantFrom(0, 0.05, 0.5));

  it('have a conclusion that can be recorded, in which interval, p and verdict agree', () => {
    fc.assert(
      fc.property(arms, margin, fc.constantFrom(0.8, 0.95), (outcomes, stated, level) => {
        const named = Object.fromEntries(outcomes.map((values, i) => [`arm ${i}`, values]));
        const { results, comparisons, says } = conclusionOf(materialOf(named, { margin: stated, level }));
        ablationCompleted.versions[0].parse({ results, contrasts: comparisons, conclusions: says, unfinished: [] });
        expect(says.join()).not.toMatch(/NaN|undefined|null|Infinity|-0\.0\b/);
        for (const { low, high, p, adjusted, declared: primary, verdict, method } of comparisons) {
          const isUnvaried = method?.includes('no interval') === true;
          if (isUnvaried) expect(low).toBe(undefined);
          const leavesOutZero = low !== undefined && high !== undefined && (low > 0 || high < 0);
          if (typeof p === 'number' && !isUnvaried) expect(p < 1 - level - 1e-9).toBe(leavesOutZero);
          if (verdict === 'significant') expect(leavesOutZero || isUnvaried).toBe(true);
          if (verdict === 'equivalent') expect(stated).not.toBe(null);
          if (primary) expect(adjusted).toBe(undefined);
          if (verdict === 'significant') expect(says.join()).not.toContain('by 0.0 points');
        }
      }),
    );
  });
});
