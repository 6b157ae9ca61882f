import { describe, expect, it } from 'vitest';
import { noColours } from '../../../base/terminal.ts';
import { terminalText } from '../../../document/terminal.ts';
import { oneRunAsked, tenSeedsTrained } from '../testing/ablations.ts';
import { ablationAnswer } from './answer.ts';

const shown = (ablated: ReturnType<typeof oneRunAsked>): string =>
  terminalText(ablationAnswer(ablated), { isTTY: true, columns: 200, paint: noColours });

describe('the answer of an ablation', () => {
  const text = shown(oneRunAsked());

  it('explains its columns', () => {
    expect(text).toContain(
      'citation: citation score: changes that rest on evidence; higher is better. differ: knobs with another value than in the actual decision, on average over decisions.',
    );
    expect(shown(tenSeedsTrained())).not.toContain('differ: ');
  });

  it('marks arms whose engineer cannot use their context as not applicable', () => {
    const one = oneRunAsked();
    const own = one.arms.filter(({ engineer, baseline }) => engineer === 'rules' || baseline);
    const text = shown({ ...one, arms: own });
    expect(text).toMatch(/^rules\/stats {10,}not applicable$/m);
    expect(text.replaceAll(/\n */g, ' ')).toContain('not applicable: rules cannot use stats.');
    expect(text).toContain(`${own.length} arms: `);
    expect(text).toContain('4 contexts × 1 engineer (rules/stats cannot use its context), and ');
    const arms = own.map((arm) => ({ ...arm, reads: ['failures', 'stats'] }));
    expect(shown({ ...one, arms }).replaceAll(/\n */g, ' ')).toContain(
      'rules can use stats only together with other modules.',
    );
  });

  it('says of which arms it compares nothing', () => {
    const one = oneRunAsked();
    const comparisons = one.comparisons.filter(({ arm }) => arm === 'gpt/stats');
    expect(shown({ ...one, comparisons })).toMatch(/^gpt\/failures .* not compared$/m);
  });

  it('says what each arm decided: the largest change, and how many more', () => {
    expect(text).toMatch(/^arm +main change +differ +citation/m);
    const rows = text.split('\n').filter((line) => /^(rules|gpt)\//.test(line));
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row).toMatch(/ \d+\.\w+ [\d.]+ → [\d.]+, \+\d+ more | not applicable$/);
    expect(shown(tenSeedsTrained())).toMatch(/^arm +validation %.* main change$/m);
    expect(shown(tenSeedsTrained())).toContain(
      'main change: the knob that a decision moved furthest, relative to the step size of the knob. Each arm decided 20 times, once for each stage and seed; shown is the first.',
    );
  });

  it('explains the figures of trained arms, and the seeds that inconclusive ones need', () => {
    const trained = shown(tenSeedsTrained());
    expect(trained).toMatch(/^arm +validation % +against actual +p +result +main change$/m);
    const ten = tenSeedsTrained();
    const open = ten.comparisons.map((one) => ({ ...one, verdict: 'inconclusive' as const, unitsNeeded: 1460 }));
    const inconclusive = shown({ ...ten, comparisons: open });
    expect(inconclusive).toMatch(/^arm .* result \(seeds\) +main change$/m);
    expect(inconclusive).toMatch(/ inconclusive \(~1,460\) /m);
    expect(trained.replaceAll(/\n */g, ' ')).toContain('±: half of the 95 % interval of the mean, over 10 seeds.');
    expect(inconclusive.replaceAll(/\n */g, ' ')).toContain(
      'seeds: about how many would make this difference significant.',
    );
    expect(text).not.toContain('±');
  });

  it('always shows the arms of declared contrasts, and baselines only if there is room', () => {
    const ten = tenSeedsTrained();
    const hasRow = (text: string, arm: string): boolean => text.split('\n').some((line) => line.startsWith(`${arm} `));
    const ofContrast = (arm: string) => ({
      ...{ factor: null, arm, reference: 'actual', measure: 'validation', better: 'higher' as const },
    });
    expect(ten.arms.length).toBeGreaterThan(10);
    for (const { arm } of ten.arms)
      expect(hasRow(shown({ ...ten, contrasts: [ofContrast(arm)] }), arm), arm).toBe(true);
    const own = ten.arms.filter(({ baseline }) => !baseline).length;
    const baselines = ten.arms.filter(({ arm, baseline }) => baseline && hasRow(shown(ten), arm));
    // The reference is an arm of the contrast.
    expect(baselines.length).toBe(Math.max(1, 10 - own));
  });

  it('says what p and the estimated seeds are corrected for, and marks the contrast that is not', () => {
    const ten = tenSeedsTrained();
    const others = ten.comparisons.filter(({ declared, p }) => !declared && p !== undefined);
    const comparisons = ten.comparisons.map((one) => ({
      ...one,
      verdict: 'inconclusive' as const,
      unitsNeeded: 8,
      ...(one.declared ? {} : { adjusted: 1 }),
    }));
    const text = shown({ ...ten, comparisons });
    expect(text.replaceAll(/\n */g, ' ')).toContain(
      `p and seeds: corrected for ${others.length} contrasts (Holm); the row with * is tested on its own and needs no correction.`,
    );
    expect(text).toMatch(/^rules\/failures .* inconclusive \(~8\) \* /m);
    expect(text).toMatch(/^base\/stats .* 1\.000 +inconclusive \(~8\) {2}/m);
  });

  it('names significant contrasts that are in no row', () => {
    const [first] = tenSeedsTrained().comparisons;
    if (first === undefined) return expect.fail();
    const effect = { ...first, arm: 'rules: failures', reference: 'rules: without', declared: false };
    const significant = {
      ...effect,
      verdict: 'significant' as const,
      difference: 0.481,
      low: 0.44,
      high: 0.52,
      p: 0.01,
    };
    const ten = tenSeedsTrained();
    const text = shown({ ...ten, comparisons: [...ten.comparisons, { ...significant, adjusted: 0.023 }] });
    expect(text.replaceAll(/\n */g, ' ')).toContain(
      'Also significant: showing failures to rules +48.1 [+44.0, +52.0], p 0.023.',
    );
    expect(shown(ten)).not.toContain('not in this table');
  });

  it('cuts the interval of a share at 0 and 100 %', () => {
    const ten = tenSeedsTrained();
    const results = ten.results.map((one) =>
      one.arm === 'base/stats' && one.statistic === 'mean' && one.measure === 'validation'
        ? { ...one, value: 0.984, low: 0.93, high: 1.038 }
        : one,
    );
    const text = shown({ ...ten, results });
    expect(text).toMatch(/^base\/stats +98\.4 \[93\.0, 100\.0\] /m);
    expect(text.replaceAll(/\n */g, ' ')).toContain('[low, high]: the 95 % interval of the mean, cut at 0 and 100 %.');
    const whole = ten.results.map(({ low: _, high: __, ...one }) => one);
    const two = shown({ ...ten, results: whole, units: ten.units.slice(0, 2) });
    expect(two.replaceAll(/\n */g, ' ')).toContain('2 seeds are too few for intervals of means.');
  });

  it('states in its headline how many seeds significance takes', () => {
    const ten = tenSeedsTrained();
    const comparisons = ten.comparisons.map((one) => ({ ...one, verdict: 'inconclusive' as const }));
    expect(shown({ ...ten, comparisons, units: ten.units.slice(0, 3) }).split('\n')[0]).toBe(
      'contexts: nothing significant (3 seeds; significance takes at least 6, for some contrasts 10)',
    );
  });

  it('counts the required seeds only of contrasts that are tested', () => {
    const ten = tenSeedsTrained();
    const comparisons = ten.comparisons.map((one) => ({
      ...one,
      verdict: one.declared ? ('not-applicable' as const) : ('inconclusive' as const),
    }));
    const [headline] = shown({ ...ten, comparisons, units: ten.units.slice(0, 6) }).split('\n');
    expect(headline).toBe('contexts: nothing significant (6 seeds; significance takes at least 10)');
  });

  it('counts the required seeds of declared contrasts, even if another contrast takes fewer', () => {
    const ten = tenSeedsTrained();
    const [first] = ten.comparisons;
    if (first === undefined) return expect.fail();
    const open = { ...first, verdict: 'inconclusive' as const, declared: true };
    const comparisons = [
      open,
      { ...open, reference: 'uniform' },
      { ...open, factor: 'context' as const, declared: false },
    ];
    const [headline] = shown({ ...ten, comparisons, units: ten.units.slice(0, 3) }).split('\n');
    expect(headline).toBe('contexts: nothing significant (3 seeds; significance takes at least 7)');
  });

  it('names the best arm if nothing is significant', () => {
    const ten = tenSeedsTrained();
    const comparisons = ten.comparisons.map((one) => ({ ...one, verdict: 'inconclusive' as const }));
    expect(shown({ ...ten, comparisons })).toMatch(/came out best in validation, .*; the difference is inconclusive\./);
    expect(shown(ten)).not.toContain('came out best');
  });

  it('suggests a command that tests the direction shown in its table', () => {
    const ten = tenSeedsTrained();
    const [first] = ten.comparisons;
    if (first === undefined) throw new Error('nothing is compared');
    const settle = {
      ...first,
      factor: null,
      depth: 'train' as const,
      seeds: 12,
      seconds: null,
      command: 'icecore ablate',
    };
    const asked = (difference: number): string =>
      shown({ ...ten, settle, comparisons: [{ ...first, difference, verdict: 'inconclusive' }] });
    expect(asked(-0.02)).toContain(`${first.arm} is worse than ${first.reference}, run this`);
    expect(asked(0.02)).toContain(`${first.arm} is better than ${first.reference}, run this`);
  });

  it('omits the main change if no decision is known', () => {
    const ten = tenSeedsTrained();
    expect(shown(ten)).toContain('main change: ');
    expect(shown({ ...ten, decisions: [] })).not.toContain('main change');
  });

  it('starts with a sentence for each engineer', () => {
    const one = oneRunAsked();
    const [first = '', second = ''] = one.conclusions;
    expect([first, second].map((text) => text.split(' ')[0])).toEqual(['rules', 'gpt']);
    expect(text).toContain(first);
    expect(text).toContain(second);
  });

  it('warns if all seeds are of one run', () => {
    const one = oneRunAsked();
    const answer = (...seeds: readonly number[]): string =>
      shown({ ...one, units: seeds.map((seed) => ({ unit: String(seed), run: one.units[0]?.run ?? '', seed })) });
    expect(answer(1, 2, 3)).toContain('All 3 seeds are of one run; another history may give another result.');
    expect(answer(1, 2)).toContain('Both seeds are of one run; another history may give another result.');
    expect(text).not.toContain('of one run;');
  });

  it('warns of seeds that share the history of a run, and of runs that share seeds', () => {
    const ten = tenSeedsTrained();
    const answer = (units: typeof ten.units): string => shown({ ...ten, units }).replaceAll(/\n */g, ' ');
    const unitOf = (run: string, seed: number) => ({ unit: `${run} seed ${seed}`, run, seed });
    const nested = answer([1, 2, 3].flatMap((seed) => [unitOf('a', seed), unitOf('b', seed)]));
    expect(nested).toContain('6 seeds of 2 runs: seeds of one run share its history, and are taken to be independent.');
    expect(nested).toContain('Where an effect differs from run to run, p is too small');
    expect(nested).toContain('3 training seeds in more than one run');
    const apart = answer([1, 2, 3].map((seed) => unitOf(`run-${seed}`, seed)));
    expect(apart).not.toContain('taken to be independent');
  });
});
