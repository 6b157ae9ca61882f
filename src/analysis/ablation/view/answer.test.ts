import { describe, expect, it } from 'vitest';
import { noColours } from '../../../base/terminal.ts';
import { terminalText } from '../../../document/terminal.ts';
import { oneRunAsked, tenSeedsTrained } from '../testing/ablations.ts';
import { ablationAnswer } from './answer.ts';

const shown = (ablated: ReturnType<typeof oneRunAsked>): string =>
  terminalText(ablationAnswer(ablated), { isTTY: true, columns: 200, paint: noColours });

describe('the answer of an ablation that trained nothing', () => {
  const text = shown(oneRunAsked());

  it('explains its columns', () => {
    expect(text).toContain(
      'citation: citation score: changes that rest on evidence; higher is better. differ: knobs with another value than in the actual decision.',
    );
    expect(shown(tenSeedsTrained())).not.toContain('differ: ');
  });

  it('counts and compares no arm whose engineer cannot use its context', () => {
    const one = oneRunAsked();
    const own = one.arms.filter(({ engineer, baseline }) => engineer === 'rules' || baseline);
    const text = shown({ ...one, arms: own });
    expect(text).toMatch(/^rules\/stats {10,}not applicable$/m);
    expect(text.replaceAll(/\n */g, ' ')).toContain('not applicable: rules cannot use stats.');
    expect(text).toContain(`${own.length - 1} arms: `);
    expect(text).toContain('(without 1 not applicable)');
    const arms = own.map((arm) => ({ ...arm, reads: ['failures', 'stats'] }));
    expect(shown({ ...one, arms }).replaceAll(/\n */g, ' ')).toContain(
      'rules can use stats only together with other modules.',
    );
  });

  it('says what each arm decided: the largest change, and how many more', () => {
    expect(text).toMatch(/^arm +main change +differ +citation/m);
    const rows = text.split('\n').filter((line) => /^(rules|gpt)\//.test(line));
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row).toMatch(/ \d+\.\w+ [\d.]+ → [\d.]+, \+\d+ more | not applicable$/);
    expect(shown(tenSeedsTrained())).toMatch(/^arm +validation %.* main change$/m);
    expect(shown(tenSeedsTrained())).toContain('main change: in the first of 20 decisions of each arm.');
  });

  it('explains the figures of trained arms, and how many seeds would settle the rest', () => {
    const trained = shown(tenSeedsTrained());
    expect(trained).toMatch(/^arm +validation % +against actual +p +result +main change$/m);
    const ten = tenSeedsTrained();
    const open = ten.comparisons.map((one) => ({ ...one, verdict: 'inconclusive' as const, unitsNeeded: 1460 }));
    const inconclusive = shown({ ...ten, comparisons: open });
    expect(inconclusive).toMatch(/^arm .* result ~seeds +main change$/m);
    expect(inconclusive).toMatch(/ inconclusive ~1,460 /m);
    expect(trained).toContain('±: half of the 95 % interval of the mean, over 10 seeds.');
    expect(inconclusive).toContain('~seeds: about how many seeds would make this difference significant.');
    expect(text).not.toContain('±');
  });

  it('says in its headline from how many seeds on there can be a result', () => {
    const ten = tenSeedsTrained();
    const comparisons = ten.comparisons.map((one) => ({ ...one, verdict: 'inconclusive' as const }));
    expect(shown({ ...ten, comparisons, units: ten.units.slice(0, 3) }).split('\n')[0]).toBe(
      'contexts: nothing significant (3 seeds; a result takes at least 6)',
    );
  });

  it('starts with a sentence for each engineer', () => {
    const one = oneRunAsked();
    const [first = '', second = ''] = one.conclusions;
    expect([first, second].map((text) => text.split(' ')[0])).toEqual(['rules', 'gpt']);
    expect(text).toContain(first);
    expect(text).toContain(second);
  });

  it('warns of seeds that are all of one run', () => {
    const one = oneRunAsked();
    const units = [1, 2, 3].map((seed) => ({ unit: String(seed), run: one.units[0]?.run ?? '', seed }));
    expect(shown({ ...one, units })).toContain('All 3 seeds are of one run');
    expect(text).not.toContain('of one run:');
  });
});
