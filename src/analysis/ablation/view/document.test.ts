import { describe, expect, it } from 'vitest';
import type { Ablated, AblationPlan } from '../../../../schemas/ablation-output.ts';
import { canUseNothing } from '../../../../schemas/arm-names.ts';
import { colours, displayWidth, noColours } from '../../../base/terminal.ts';
import { lines, ownColour, steering } from '../../../base/testing/terminal-text.ts';
import { markdownText } from '../../../document/markdown.ts';
import { terminalText } from '../../../document/terminal.ts';
import { unvariedMethod } from '../statistics/results.ts';
import { factorial, oneRunAsked, planOf, spoilt, stopped, tenSeedsTrained, withAsides } from '../testing/ablations.ts';
import { ablationDocument } from './document.ts';
import { planDocument } from './plan.ts';

const terminal = { isTTY: true, columns: 80, paint: noColours };
const shown = (ablated: Ablated, paint = noColours): string =>
  terminalText(ablationDocument(ablated), { ...terminal, paint });
type Family = AblationPlan['seeds']['families'][number];

const planText = (plan: AblationPlan): string => terminalText(planDocument(plan), terminal);

const one = oneRunAsked();
const ten = withAsides(tenSeedsTrained());
const effects = factorial();
const half = stopped();

describe('an ablation of one run without training', () => {
  const text = shown(one);

  it('shows its conclusions and the matrix on the first screen', () => {
    const screen = lines(text).slice(0, 40).join('\n');
    for (const conclusion of one.conclusions) expect(text.replaceAll(/\n {2}/g, ' ')).toContain(`- ${conclusion}`);
    expect(screen).toMatch(/^context +rules +gpt$/m);
    expect(screen).toMatch(/^failures +[\d.]+ +[\d.]+$/m);
    expect(screen).toMatch(/^actual +[\d.]+ +the actual decision: checkpoint, shown combined$/m);
    expect(text.indexOf('What the data support')).toBeLessThan(text.indexOf('By context and engineer'));
  });

  it('says how many decisions of models have no known cost', () => {
    const spent = { ...one, spent: {}, cost: { USD: 0.5 } };
    const unwrapped = (ablated: Ablated): string => shown(ablated).replaceAll(/\s+/g, ' ');
    expect(unwrapped(spent)).toContain('Spent: 0.50 USD.');
    const [first, second] = one.decisions.filter(({ answers }) => answers > 0);
    const decisions = one.decisions.map((made) => (made === first || made === second ? { ...made, cost: {} } : made));
    expect(unwrapped({ ...spent, decisions })).toContain(
      'Spent: 0.50 USD, and what 2 decisions of models cost is unknown.',
    );
  });

  it('shows the mean of every arm that has one', () => {
    for (const { arm, value } of one.results.filter(
      (result) => result.measure === 'citation' && result.statistic === 'mean',
    )) {
      if (one.arms.some((each) => each.arm === arm && canUseNothing(each))) continue;
      const figure = String(Number(Number(value).toPrecision(3)));
      expect(text).toMatch(new RegExp(`^${arm} +${figure.replace('.', '\\.')} `, 'm'));
    }
  });

  it('has no intervals, and no columns for them', () => {
    expect(text).not.toContain('±');
    expect(text).not.toMatch(/ p$/m);
  });

  it('marks contexts that an engineer cannot use, without a figure', () => {
    expect(text).toMatch(/^stats +not applicable° +[\d.]+$/m);
    expect(text).toContain('° not applicable: rules cannot use stats.');
  });

  it('shows what each arm decided at each stage, next to the actual decision', () => {
    for (const stage of [2, 3, 4]) expect(text).toContain(`for stage ${stage}`);
    expect(text).toMatch(/^fixed +0 +0 +no change$/m);
    expect(text).toMatch(/^rules\/failures +6 +5 +\d+\.\w+ 0\.125 → 0\.\d+, /m);
    expect(text).toContain('actual: ');
  });

  it('suggests an SQL query', () => {
    expect(text).toContain("WHERE ablation_name = 'contexts' AND measure = 'citation'");
    const quoted = { ...one, name: `it's "mine"` };
    expect(shown(quoted)).toContain(`WHERE ablation = '${one.ablation}'`);
  });
});

describe('an ablation of ten seeds', () => {
  const text = shown(ten);

  it('has intervals, differences and verdicts', () => {
    expect(text).toMatch(/^failures +[▁-█] \d+\.\d ±\d\.\d ▲ /m);
    expect(text).toMatch(/^uniform +\d+\.\d ±\d\.\d +-\d\.\d \[-\d\.\d, -\d\.\d\] +0\.\d{3} +worse$/m);
    expect(text).toMatch(/^rules\/failures .*better \*$/m);
    expect(text).toMatch(/^random .*inconclusive \(~\d+\)$/m);
    expect(text).toMatch(/^arm .* result \(seeds\)$/m);
    expect(text.replaceAll(/\n {2}/g, ' ')).toContain('inconclusive does not mean equivalent.');
    expect(text).toMatch(/^arm +worst validation % +valid %$/m);
    expect(text.replaceAll(/\n {2}/g, ' ')).toContain(
      'Arms are compared on validation; the benchmarks are only reported.',
    );
  });

  it('draws a bar only next to a triangle', () => {
    const rows = lines(text).filter((line) => / \d+\.\d ±\d\.\d/.test(line) && !/[[\]]/.test(line));
    expect(rows.some((line) => line.includes('▲'))).toBe(true);
    for (const cell of rows.flatMap((line) => line.split(/ {2,}/)))
      if (/±/.test(cell)) expect(/[▁-█]/.test(cell)).toBe(/[▲▼]/.test(cell));
    expect(shown(one)).not.toMatch(/[▁-█] [\d.]+/);
  });

  it('draws a triangle only for significant contrasts', () => {
    const isUsed = (name: string): boolean => !ten.arms.some((each) => each.arm === name && canUseNothing(each));
    const answer = ten.comparisons.filter(({ verdict, arm }) => verdict === 'significant' && isUsed(arm)).length;
    const [matrix = ''] =
      text.split('Arms against')[0]?.split('▲ better')[0]?.split('By context and engineer').slice(1) ?? [];
    expect(matrix.match(/[▲▼]/g)).toHaveLength(answer);
  });

  it('compares contrasts task by task if rollouts are recorded', () => {
    expect(text).toMatch(/^Task by task: rules\/failures against actual$/m);
    expect(text).toMatch(/^1 +400 +\+31 +-18 +\+3\.3 \[-0\.2, \+6\.6\] +0\.085$/m);
    expect(shown(one)).not.toContain('Task by task');
    const [seed] = ten.tasks;
    if (seed === undefined) throw new Error('it has one');
    const effect = { ...seed, factor: 'engineer' as const, arm: 'base', reference: 'rules' };
    const several = shown({
      ...ten,
      tasks: [seed, { ...effect, p: 0.01 }, { ...effect, unit: '2', worse: 31, difference: 0 }],
    });
    expect(several).toMatch(/^contrast +seeds +tasks +better +worse +points +p < 0\.05$/m);
    expect(several).toMatch(/^rules\/failures against actual +1 +400 +\+31 +-18 +\+3\.3 +0 of 1$/m);
    expect(several).toMatch(/^engineer base against rules +2 +800 +\+62 +-49 +\+1\.6 +1 of 2$/m);
  });

  it('says that published figures are of another policy, and lists the sensitivity to modules', () => {
    expect(text).toMatch(/^Published figures: .*\nFigures of the research are of another policy/m);
    expect(text).toMatch(/^V1 failures only +25\.2 \/ 18\.4 \/ 14\.9 +42\.0 +rules\/failures$/m);
    expect(text).toMatch(/^stats +1 +8\.data 0\.25 → 0\.125$/m);
    expect(text).toMatch(/^failures +- +rejected$/m);
  });

  it('names the unit whose decisions it shows', () => {
    const named = <Some extends { readonly unit: string }>(some: Some): Some => ({
      ...some,
      unit: `seed ${some.unit}`,
    });
    const seeds = shown({ ...ten, units: ten.units.map(named), decisions: ten.decisions.map(named) });
    expect(seeds).toMatch(/^What they decided with seed 1$/m);
  });

  it('prints every conclusion, even if they do not fit the first screen', () => {
    const whole = text.replaceAll(/\n {2}/g, ' ');
    for (const conclusion of ten.conclusions) expect(whole).toContain(`- ${conclusion}`);
  });
});

describe('other ablations', () => {
  it('of a factorial design show the average effect of each module', () => {
    const text = shown(effects);
    expect(text).toMatch(/^Average effects: with the module minus without it$/m);
    expect(text).toMatch(/^rules: stats +-\d\.\d \[-\d\.\d, -\d\.\d\] +0\.\d{3} +worse$/m);
    expect(text).toMatch(/^failures\+stats\+behaviour +[▁-█]? *\d/m);
    expect(text).not.toContain('All arms are also shown');
    const arms = effects.arms.map((arm) => ({ ...arm, modules: arm.modules && ['history', ...arm.modules] }));
    expect(shown({ ...effects, arms })).toContain(
      'Every context also has history; the one called none has nothing else.',
    );
  });

  it('that are not finished show their progress, rejected answers and errored arms', () => {
    const text = shown(half);
    expect(text).toMatch(/^Not finished: 330 of 360 decisions are recorded/m);
    expect(text).toMatch(/^base\/failures +- +- +rejected: unreadable; the configuration is$/m);
    expect(text).toMatch(/^Without .*schedule/m);
    expect(text).toMatch(/^- schedule: the spending cap of 1 USD is reached$/m);
    expect(text).toContain('The same command tries the errored arms again');
  });

  it('without any value show "no value"', () => {
    const empty = { ...one, values: [], results: [], comparisons: [], decisions: [], likeness: [], measures: [] };
    expect(shown(empty)).toContain('What the data support');
    expect(shown({ ...empty, measures: one.measures })).toMatch(/^uniform +no value /m);
  });

  it('do not explain a measure without values', () => {
    expect(shown(ten)).toContain('valid: reported');
    expect(shown({ ...ten, results: ten.results.filter(({ measure }) => measure !== 'valid') })).not.toContain(
      'valid: reported',
    );
  });

  it('say why a difference that is the same with every seed has no interval', () => {
    const legend = 'A difference that is the same with every seed has no interval.';
    expect(shown(ten)).not.toContain(legend);
    const comparisons = ten.comparisons.map(({ low: _, high: __, ...one }) => ({ ...one, method: unvariedMethod }));
    expect(shown({ ...ten, comparisons }).replaceAll(/\n */g, ' ')).toContain(legend);
  });

  it('sort a measure that is better lower in ascending order', () => {
    const measures = one.measures.filter(({ measure }) => measure === 'brier');
    const text = shown({ ...one, primary: null, contrasts: [], measures, comparisons: [] });
    const [, table = ''] = text.split(/^Arms, by brier$/m);
    const means = Array.from(table.split('Sorted by mean')[0]?.matchAll(/ (0\.\d+)$/gm) ?? [], ([, mean]) =>
      Number(mean),
    );
    expect(means).toHaveLength(one.arms.filter((arm) => !canUseNothing(arm)).length);
    expect(means).toEqual(means.toSorted((a, b) => a - b));
  });
});

describe('a terminal of 80 columns', () => {
  const wide = (engineers: number): Ablated => ({
    ...one,
    arms: one.arms.flatMap((arm) =>
      arm.form === null || arm.baseline
        ? [arm]
        : Array.from({ length: engineers }, (_, i) => ({ ...arm, arm: `a-rather-long-engineer-${i}/${arm.form}` })),
    ),
  });

  it.each([
    ['one', one],
    ['ten', ten],
    ['factorial', effects],
    ['stopped', half],
    ['many engineers', wide(9)],
  ])('has room for %s, with the same text without colours', (_, ablated) => {
    const plain = shown(ablated);
    for (const line of lines(plain)) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
    const coloured = shown(ablated, colours);
    expect(coloured).toMatch(ownColour);
    expect(coloured.replaceAll(ownColour, '')).toBe(plain);
  });

  it('splits the matrix into several tables, with each engineer once', () => {
    const matrix = shown(wide(9)).split('\nNext\n')[0] ?? '';
    for (let i = 0; i < 9; i++) expect(matrix.split(`a-rather-long-engineer-${i}`)).toHaveLength(2);
  });
});

describe('a plan', () => {
  it('shows the arms, the work and the cost, and that nothing was done', () => {
    const text = planText(planOf(one));
    expect(text).toMatch(/^stats +not applicable +yes$/m);
    expect(text).toMatch(/^baselines: actual, fixed, uniform/m);
    expect(text).toMatch(/^decisions +42 +3 of them enter no comparison: /m);
    expect(text).toMatch(/^questions to models +12 /m);
    expect(text).not.toContain('trainings');
    expect(text).toMatch(/^cost +about 0\.14 USD$/m);
    expect(text).toMatch(/^1 sd +11 +21$/m);
    expect(text.replaceAll(/\n {2}/g, ' ')).toContain(
      'With 1 seed nothing can be significant. Fewest seeds for a significant result: 6 for the declared contrast,',
    );
    const [, , first = ''] = text.split('\n');
    expect(first).toMatch(/^Nothing was done\. The same command without --plan runs it\./);
    expect(text).toMatch(/, 1 seed\. 14 arms: 4 contexts × 2\n {2}engineers \(rules\/stats cannot use its context\), /);
    for (const line of lines(text)) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
  });

  it('shows the number of trainings, and an unknown time', () => {
    const text = planText({ ...planOf(ten), seconds: null, done: 5, state: 'under-way' });
    expect(text).toMatch(/^trainings +540 +at most/m);
    expect(text).toMatch(/^time +unknown$/m);
    expect(text.replaceAll(/\n {2}/g, ' ')).toContain(
      'The declared contrast: 10 seeds detect differences of 1.01 sd or more.',
    );
    expect(planText(planOf(ten)).replaceAll(/\n {2}/g, ' ')).toContain('It would take up to about ');
    expect(text).toContain('5 of them recorded already');
    expect(text).toContain('Nothing was done.');
  });

  it('names the main effects and the other contrasts', () => {
    const plan = planOf(ten);
    const [declared, others] = plan.seeds.families as [Family, Family];
    const effects: Family = {
      ...{ ...others, family: 'main-effects', contrasts: 2 },
      compared: [
        { kind: 'engineer', arm: 'checkpoint', reference: 'rules' },
        { kind: 'context', arm: 'stats', reference: 'failures' },
      ],
    };
    const text = (families: Family[]): string =>
      planText({ ...plan, seeds: { ...plan.seeds, families } }).replaceAll(/\n {2}/g, ' ');
    const named = text([declared, effects, others]);
    expect(named).toMatch(/^Main effects: engineer checkpoint against rules, context stats against failures\.$/m);
    expect(named).toMatch(
      /^Other contrasts: engineer-0 against actual, .*engineer-7 against actual and 8 more \(--json has all\)\.$/m,
    );
    const modules: Family = {
      ...{ ...others, contrasts: 1 },
      compared: [{ kind: 'effect', arm: 'rules: failures x stats', reference: 'rules: without' }],
    };
    expect(text([declared, modules])).toMatch(/^Other contrast: the effect rules: failures x stats\.$/m);
  });
});

describe('hostile text', () => {
  const payload = 'x\u009b31m\u202e<script>|*_`\n# y';

  it('is escaped everywhere, without control characters', () => {
    for (const ablated of [one, ten, effects, half].map((each) => spoilt(each, payload))) {
      const text = shown(ablated);
      expect(steering(text.replaceAll('\n', ''))).toEqual([]);
      expect(text).not.toMatch(/^# y/m);
      const markdown = markdownText(ablationDocument(ablated));
      expect(steering(markdown.replaceAll('\n', ''))).toEqual([]);
      expect(markdown).not.toMatch(/(?<!\\)<script>/);
      expect(markdown).not.toMatch(/^# y/m);
      expect(steering(planText(planOf(ablated)).replaceAll('\n', ''))).toEqual([]);
    }
  });
});
