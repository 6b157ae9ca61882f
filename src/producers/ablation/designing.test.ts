// From options to arms, units, the declared contrast and an identity; problems are reported by option.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blindNames as baselines } from '../../lab/engineers/registry.ts';
import { programName } from '../../lab/programs/program.ts';
import { formNamed, modules } from '../contexts/forms.ts';
import { type TinyPlace, tinySettings } from '../run/testing/tiny.ts';
import { armsOf, factorial, leaveOneOut, sightOf } from './arms.ts';
import type { EngineerWord } from './design.ts';
import { designTiny, keptRuns, type RecordedRuns, type TinyAblation } from './testing/tiny-ablation.ts';

const run = 'whole0000000';
const small = { budget: { 'agent-steps': 60 }, validation: 4, trained: 4 };
let kept: RecordedRuns;
let place: TinyPlace;

beforeAll(async () => {
  kept = await keptRuns({ run, settings: tinySettings(small) });
  place = await kept.copy();
}, 60_000);
afterAll(async () => {
  await place.close();
});

const designed = async (tiny: Omit<TinyAblation, 'runs'>) => await designTiny(place, { runs: [run], ...tiny });

const someModules = fc.subarray([...modules], { minLength: 1 });
const blind: readonly EngineerWord[] = baselines;
const words = fc.uniqueArray(
  fc.oneof(
    fc.constantFrom<EngineerWord>('rules', 'base', 'checkpoint', ...blind),
    fc
      .constantFrom('easier.py', 'easier.py-2', 'rules', 'fixed', 'actual')
      .chain((name) => fc.constantFrom('a', 'b').map((folder): EngineerWord => [`${folder}/${name}`])),
  ),
  { selector: (word) => JSON.stringify(word) },
);

describe('the arms of an ablation', () => {
  it('have unique names, with one arm per engineer without a context, and the baselines under their own names', () => {
    fc.assert(
      fc.property(words, fc.uniqueArray(fc.constantFrom('v1', 'v4', 'stats', 'stats,failures')), (engineers, forms) => {
        const isBlind = (word: EngineerWord): boolean => blind.includes(word);
        const arms = armsOf({
          rows: engineers.map((engineer) => ({ engineer, sights: forms.map((form) => sightOf(formNamed(form))) })),
          recorded: { identity: { name: 'gpt' }, form: null },
          baselines,
          engineerOf: (word) => ({
            identity: {
              name: typeof word === 'string' ? word : programName(word as [string]),
              ...(isBlind(word) ? {} : { reads: [...modules] }),
            },
          }),
        });
        const names = arms.map(({ arm }) => arm);
        expect(new Set(names).size).toBe(names.length);
        expect(names).toEqual(expect.arrayContaining([...baselines, 'actual']));
        expect(arms.filter(({ baseline }) => baseline)).toHaveLength(baselines.length + 1);
        const seeing = engineers.filter((word) => !isBlind(word)).length;
        expect(arms).toHaveLength(seeing * forms.length + baselines.length + 1);
      }),
    );
  });

  it('come before the requested baselines, and list modules that their engineer cannot use', async () => {
    const { arms, options } = await designed({ forms: ['stats', 'stats,failures'], baselines: ['fixed'] });
    expect(arms.map(({ arm, notApplicable }) => [arm, notApplicable])).toEqual([
      // Rules can only use failures and rates: generated counts alone are not enough.
      ['rules/stats', ['stats']],
      ['rules/stats+failures', []],
      ['fixed', []],
    ]);
    expect(options.baselines).toEqual(['fixed']);
    const names = (await designed({ baselines: ['actual'] })).arms.map(({ arm }) => arm);
    expect(names).toEqual(['rules/failures', 'actual']);
  });

  it('of a factorial cover every combination of its factors once, and keep all other modules', () => {
    fc.assert(
      fc.property(someModules, fc.subarray([...modules], { minLength: 1, maxLength: 4 }), (shown, factors) => {
        const sights = factorial(formNamed(shown.join(',')), factors);
        const chosen = sights.map(({ form }) => factors.filter((factor) => form.modules.includes(factor)).join());
        expect(new Set(chosen).size).toBe(2 ** factors.length);
        expect(sights).toHaveLength(2 ** factors.length);
        expect(new Set(sights.map(({ name }) => name)).size).toBe(sights.length);
        const rest = sights.map(({ form }) =>
          form.modules.filter((module) => !factors.some((one) => one === module)).join(),
        );
        if (shown.some((module) => !factors.includes(module))) expect(new Set(rest).size).toBe(1);
        for (const { form } of sights)
          expect(form.modules).toEqual(modules.filter((one) => form.modules.includes(one)));
      }),
    );
  });

  it('of leave-one-out are the whole form and the form without each single module', () => {
    fc.assert(
      fc.property(someModules, (shown) => {
        const [whole, ...less] = leaveOneOut(formNamed(shown.join(',')));
        expect(whole?.without).toEqual([]);
        expect(less.map(({ without }) => without)).toEqual(shown.length === 1 ? [] : shown.map((module) => [module]));
        for (const { form, without } of less)
          expect([...form.modules, ...without].toSorted()).toEqual(shown.toSorted());
      }),
    );
  });
});

describe('the declared contrast', () => {
  const declared = async (tiny: Omit<TinyAblation, 'runs'>) =>
    (await designed(tiny)).declared.map(({ factor, arm, reference }) => [factor, arm, reference]);

  it('defaults to the next usable arm against the first, or to a single arm against a baseline', async () => {
    const of = async (tiny: Omit<TinyAblation, 'runs'>) => {
      const [first, ...others] = await declared(tiny);
      expect(others).toEqual([]);
      return first?.slice(1) ?? null;
    };
    expect(await of({ forms: ['v1', 'behaviour'] })).toEqual(['rules/behaviour', 'rules/v1']);
    // Arms that their engineer cannot use are not compared by default.
    expect(await of({ forms: ['v1', 'stats'] })).toEqual(['rules/v1', 'actual']);
    expect(await of({ forms: ['stats'] })).toBe(null);
    expect(await of({ forms: ['v1'] })).toEqual(['rules/v1', 'actual']);
    expect(await of({ forms: ['v1'], depth: 'train' })).toEqual(['rules/v1', 'uniform']);
    const named = { contrasts: ['rules/v1'] };
    expect(await of({ forms: ['v1', 'behaviour'], ...named })).toEqual(['rules/v1', 'rules/behaviour']);
    expect(await of({ forms: ['v1', 'stats'], ...named })).toEqual(['rules/v1', 'actual']);
    // Modules that its engineer cannot use do not distinguish arms.
    expect(await of({ forms: ['v1', 'v2', 'behaviour'] })).toEqual(['rules/behaviour', 'rules/v1']);
    expect(await of({ forms: ['v1', 'v2'] })).toEqual(['rules/v2', 'rules/v1']);
    expect(await of({ forms: ['v1'], contrasts: ['rules/v1'] })).toEqual(['rules/v1', 'actual']);
    expect(await of({ forms: ['v1', 'stats'], contrasts: ['rules/v1:rules/stats'] })).toEqual([
      'rules/v1',
      'rules/stats',
    ]);
    expect(await of({ engineers: ['uniform'] })).toBe(null);
    expect(await of({ forms: ['v1'], baselines: [] })).toBe(null);
    expect(await of({ forms: ['v1'], baselines: ['schedule', 'fixed'] })).toEqual(['rules/v1', 'fixed']);
  });

  it('may name several arm pairs and main effects, each counted once', async () => {
    const matrix = { engineers: ['rules', 'base'], forms: ['v1', 'stats'] };
    const joined = ['failures+behaviour', 'failures'];
    expect(
      await declared({ ...matrix, forms: joined, contrasts: ['rules/failures+behaviour:rules/failures'] }),
    ).toEqual([[null, 'rules/behaviour+failures', 'rules/failures']]);
    expect(await declared({ ...matrix, contrasts: ['rules/v1:fixed', 'base:rules', 'v1:stats'] })).toEqual([
      [null, 'rules/v1', 'fixed'],
      ['engineer', 'base', 'rules'],
      ['context', 'v1', 'stats'],
    ]);
    expect(await declared({ ...matrix, contrasts: ['engineer', 'context', 'rules:base'] })).toEqual([
      ['engineer', 'base', 'rules'],
      ['context', 'stats', 'v1'],
    ]);
  });

  it('between two levels of a factor is a pair of arms if the other factor has a single level', async () => {
    const pair = { engineers: ['rules', 'base'], forms: ['v1'] };
    expect(await declared({ ...pair, contrasts: ['base:rules', 'base/v1:rules/v1', 'engineer'] })).toEqual([
      [null, 'base/v1', 'rules/v1'],
    ]);
    expect(await declared({ engineers: ['rules'], forms: ['v1', 'stats'], contrasts: ['v1:stats'] })).toEqual([
      [null, 'rules/v1', 'rules/stats'],
    ]);
  });

  it('measures validation by default at depth train, and citation at depth propose', async () => {
    const measureOf = async (tiny: Omit<TinyAblation, 'runs'>) => (await designed(tiny)).declared[0]?.measure;
    expect(await measureOf({ depth: 'train' })).toBe('validation');
    expect(await measureOf({ depth: 'train', measure: 'benchmarks' })).toBe('benchmarks');
    expect(await measureOf({})).toBe('citation');
  });

  it.each([
    ['rules/v2', { name: 'UnknownArm', remedy: expect.stringContaining('rules/v1') }],
    ['rules/v1:unifrom', { kind: 'not-found', remedy: 'Did you mean uniform?' }],
    ['rules/v1:rules/v1', { kind: 'usage' }],
    ['rules/v1:rules', { kind: 'usage', message: expect.stringContaining('not two arms') }],
    ['engineer', { kind: 'usage', message: expect.stringContaining('a single engineer') }],
  ])('is refused if it compares nothing: %s', async (contrast, fault) => {
    await expect(designed({ forms: ['v1'], contrasts: [contrast] })).rejects.toMatchObject(fault);
  });
});

describe('an invalid design', () => {
  it.each([
    [{ engineers: ['ruls'] }, { name: 'UnknownEngineer', remedy: 'Did you mean rules?' }],
    [{ engineers: ['human'] }, { kind: 'usage', message: expect.stringContaining('an ablation cannot ask a person') }],
    [{ engineers: [['no-such-program-at-all']] }, { name: 'ProgramNotStarted' }],
    [{ forms: ['failurs'] }, { name: 'UnknownForm', remedy: 'Did you mean failures?' }],
  ])('is refused: %j', async (tiny, fault) => {
    await expect(designed(tiny)).rejects.toMatchObject(fault);
  });
});

describe('the identity of an ablation', () => {
  it('is the same for the same design, and differs for any other', async () => {
    const changes: Omit<TinyAblation, 'runs'>[] = [
      {},
      { name: 'again' },
      { depth: 'train' },
      { depth: 'run' },
      { forms: ['v1'] },
      { engineers: ['rules', 'base'] },
      { seeds: [1, 2] },
      { seeds: [2] },
      { level: 0.9 },
      { margin: 0.02 },
      { budget: { 'agent-steps': 100 } },
      { choice: { kind: 'leave-one-out' } },
      { measure: 'preservation' },
      { contrasts: ['fixed:uniform'] },
      { baselines: [] },
      {
        histories: (of) => ({
          ...of,
          stages: of.stages.map((one) =>
            one.completed === null
              ? one
              : { ...one, completed: { ...one.completed, digest: 'f'.repeat(64), revision: 10_000 } },
          ),
        }),
      },
    ];
    const all: string[] = [];
    for (const change of changes) all.push((await designed(change)).ablation);
    expect(new Set(all).size).toBe(changes.length);
    for (const change of [{}, { says: 'why not' }, { seeds: null }, { tags: ['a'] }]) {
      expect((await designed(change)).ablation).toBe(all[0]);
    }
  });
});
