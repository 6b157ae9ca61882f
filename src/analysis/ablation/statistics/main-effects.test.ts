// Main effects over made-up matrices whose cells are known.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mainEffect, mainEffects } from './compared.ts';
import { conclusionOf } from './conclusions.ts';
import type { ArmMade, Contrast } from './material.ts';
import { armNamed, contrast, materialOf, type Outcomes } from './testing/arms.ts';

const engineers = ['rules', 'base', 'gpt'];
const contexts = ['failures', 'stats', 'behaviour'];
const hard = [0.4, 0.45, 0.5, 0.42, 0.47, 0.44, 0.52, 0.39];

/** For each engineer and context, the base value of each seed plus an effect. */
function matrix(effectOf: (engineer: string, context: string, seed: number) => number): Outcomes {
  const cells = engineers.flatMap((engineer) => contexts.map((context) => ({ engineer, context })));
  return Object.fromEntries(
    cells.map(({ engineer, context }) => [
      `${engineer}/${context}`,
      hard.map((one, seed) => one + effectOf(engineer, context, seed)),
    ]),
  );
}

const armsOf = (outcomes: Outcomes, changed: (arm: ArmMade) => Partial<ArmMade> = () => ({})): ArmMade[] =>
  Object.keys(outcomes).map((name) => ({ ...armNamed(name), ...changed(armNamed(name)) }));

function concluded(outcomes: Outcomes, changed?: (arm: ArmMade) => Partial<ArmMade>) {
  const arms = armsOf(outcomes, changed);
  return conclusionOf(materialOf(outcomes, { arms, declared: [], contrasts: mainEffects(arms) }));
}

const found = ({ comparisons }: ReturnType<typeof concluded>, arm: string, reference: string) =>
  comparisons.find((one) => one.arm === arm && one.reference === reference);

describe('main effects', () => {
  it('are the differences of means over rows and columns, seed by seed', () => {
    const seedless = [0.01, 0.02, -0.01, 0.005, 0.01, 0.02, 0.01, 0.015];
    const outcomes = matrix(
      (engineer, context, seed) =>
        (engineer === 'gpt' ? 0.05 + (seedless[seed] ?? 0) : 0) + (context === 'behaviour' ? 0.03 : 0),
    );
    const conclusion = concluded(outcomes);
    const mean = seedless.reduce((sum, one) => sum + one, 0) / seedless.length;
    expect(found(conclusion, 'gpt', 'rules')).toMatchObject({
      ...{ factor: 'engineer', difference: expect.closeTo(0.05 + mean, 12), units: 8, p: 2 / 2 ** 8 },
      ...{ declared: false, verdict: 'significant' },
    });
    expect(found(conclusion, 'behaviour', 'stats')).toMatchObject({
      factor: 'context',
      difference: expect.closeTo(0.03, 12),
    });
    expect(found(conclusion, 'base', 'rules')).toMatchObject({ p: 1, verdict: 'inconclusive' });
    expect(conclusion.says).toContain(
      'gpt is significantly better than rules by 6.0 points valid [5.2, 6.7], 8 seeds, p = 0.0469 after Holm. Main effect of the engineer over 3 contexts.',
    );
    expect(conclusion.says).toContain(
      'Inconclusive main effects: engineer base against rules and context stats against failures.',
    );
  });

  it('are corrected for each other, and not for contrasts of arms', () => {
    const { comparisons } = concluded(matrix((engineer) => (engineer === 'gpt' ? 0.05 : 0)));
    const tested = comparisons.filter(({ adjusted }) => adjusted !== undefined);
    expect(tested).toHaveLength(6);
    expect(found({ comparisons, results: [], says: [] }, 'gpt', 'base')?.adjusted).toBeCloseTo(6 * (2 / 2 ** 8), 12);
  });

  it('of a context exclude an engineer that cannot use it, and say so', () => {
    const isBlind = ({ arm }: ArmMade): boolean => arm === 'rules/stats';
    const outcomes = matrix((engineer, context) => (engineer === 'rules' && context === 'stats' ? -0.06 : 0));
    const blind = concluded(outcomes, (arm) => (isBlind(arm) ? { notApplicable: ['stats'] } : {}));
    expect(found(blind, 'stats', 'failures')).toMatchObject({ difference: 0, p: 1 });
    expect(found(concluded(outcomes), 'stats', 'failures')).toMatchObject({ difference: expect.closeTo(-0.02, 12) });
    expect(blind.says.find((one) => one.startsWith('stats against failures'))).toBe(
      'stats against failures is inconclusive: 0.0 points valid with each of 8 seeds, p = 1 after Holm. Without variation there is no interval. Main effect of the context over 2 engineers. Left out: rules, which can use nothing of stats.',
    );
  });

  it('of an engineer exclude a context that one of both cannot use, unless it is the only one', () => {
    const arms = ['rules', 'base'].flatMap((engineer) =>
      contexts.map((context) => ({
        ...armNamed(`${engineer}/${context}`),
        notApplicable: engineer === 'rules' && context === 'stats' ? ['stats'] : [],
      })),
    );
    const effect = mainEffects(arms).find(({ kind }) => kind === 'engineer');
    expect(effect?.of).toEqual(['base/failures', 'base/behaviour']);
    expect(effect?.leftOut).toEqual([{ level: 'stats', reason: 'of which rules can use nothing', isErrored: false }]);
    const alone = arms.filter(({ form }) => form === 'stats');
    expect(mainEffect('engineer', { arm: 'base', reference: 'rules' }, alone)).toMatchObject({
      ...{ of: ['base/stats'], less: ['rules/stats'], leftOut: [] },
    });
  });

  it('of contexts that are the same to every engineer are not tested', () => {
    const conclusion = concluded(
      matrix(() => 0),
      ({ engineer, modules }) => ({ modules: ['history', ...(modules ?? [])], reads: ['history', engineer] }),
    );
    expect(found(conclusion, 'stats', 'failures')).toMatchObject({ verdict: 'not-applicable', units: 0 });
    expect(found(conclusion, 'stats', 'failures')).not.toHaveProperty('p');
    expect(conclusion.says).toContain(
      'stats and failures were not tested. Main effect of the context. Left out: rules, which decides from the same in both; base, which decides from the same in both; gpt, which decides from the same in both.',
    );
  });

  it('exclude errored arms by name, and are not compared if no arms are left', () => {
    const outcomes = matrix(() => 0);
    const names = ['gpt/failures', 'gpt/stats', 'gpt/behaviour'];
    const lost = (errored: readonly string[]) =>
      concluded(outcomes, ({ arm }) => ({ isErrored: errored.includes(arm) }));
    const some = lost(names.slice(0, 1));
    expect(found(some, 'gpt', 'rules')).toMatchObject({ p: 1 });
    expect(some.says.find((one) => one.startsWith('gpt against rules'))).toContain(
      'Main effect of the engineer over 2 contexts. Left out: failures, where gpt/failures errored.',
    );
    const all = lost(names);
    expect(all.comparisons.filter(({ arm, reference }) => arm === 'gpt' || reference === 'gpt')).toEqual([]);
    expect(all.says).toContain(
      'gpt and rules are not compared. Main effect of the engineer. Left out: failures, where gpt/failures errored; stats, where gpt/stats errored; behaviour, where gpt/behaviour errored.',
    );
    expect(all.says.join(' ')).not.toContain('not tested');
    expect(found(all, 'base', 'rules')).toMatchObject({ p: 1, units: 8 });
  });

  it('of a single row or column exist only if declared', () => {
    const arms = ['rules/failures', 'rules/stats', 'base/failures'].map(armNamed);
    expect(mainEffects(arms)).toEqual([]);
    const declared = mainEffect('engineer', { arm: 'base', reference: 'rules' }, arms);
    expect(declared).toMatchObject({ of: ['base/failures'], less: ['rules/failures'] });
  });

  it('are not tested in addition to a contrast of the same two arms', () => {
    const outcomes = Object.fromEntries(
      engineers.map((engineer, i) => [`${engineer}/failures`, hard.map((one, seed) => one + i * (1 + seed / 100))]),
    );
    const arms = armsOf(outcomes);
    const [ofArms, other] = ['base', 'gpt'].map((one) => contrast(`${one}/failures`, 'rules/failures'));
    if (ofArms === undefined || other === undefined) throw new Error('there are two contrasts');
    const effect = mainEffect('engineer', { arm: 'rules', reference: 'base' }, arms);
    const tested = (declared: readonly Contrast[], contrasts: readonly Contrast[]) =>
      conclusionOf(materialOf(outcomes, { arms, declared, contrasts })).comparisons.map(
        ({ arm, reference, declared }) => [arm, reference, declared],
      );
    expect(tested([effect], [ofArms, other])).toEqual([
      ['rules', 'base', true],
      ['gpt/failures', 'rules/failures', false],
    ]);
    expect(tested([ofArms], [effect])).toEqual([['base/failures', 'rules/failures', true]]);
    expect(tested([], [effect, ofArms])).toEqual([['base/failures', 'rules/failures', false]]);
  });

  it('of leave-one-out contexts are against the whole context, not among each other', () => {
    const arms = ['rules', 'base'].flatMap((engineer) => [
      armNamed(`${engineer}/failures+stats`),
      ...['failures', 'stats'].map((less) => ({
        ...{ ...armNamed(`${engineer}/failures+stats-${less}`), modules: ['failures', 'stats'], without: [less] },
      })),
    ]);
    const effects = mainEffects(arms).filter(({ kind }) => kind === 'context');
    expect(effects.map(({ arm, reference }) => [arm, reference])).toEqual([
      ['failures+stats-failures', 'failures+stats'],
      ['failures+stats-stats', 'failures+stats'],
    ]);
  });

  it('have the same rows or columns on both sides, whichever cells are missing', () => {
    const some = fc.subarray(
      engineers.flatMap((engineer) => contexts.map((context) => `${engineer}/${context}`)),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(some, (names) => {
        for (const { of, less, kind, arm, reference } of mainEffects(names.map(armNamed))) {
          expect(of.length).toBe(less.length);
          const place = kind === 'engineer' ? 0 : 1;
          expect(new Set(of.map((name) => name.split('/')[place]))).toEqual(new Set([arm]));
          expect(new Set(less.map((name) => name.split('/')[place]))).toEqual(new Set([reference]));
          const others = (side: readonly string[]) => side.map((name) => name.split('/')[1 - place]);
          expect(others(of)).toEqual(others(less));
        }
      }),
    );
  });
});
