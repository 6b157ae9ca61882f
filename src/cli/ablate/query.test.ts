// The options of `icecore ablate`: their meaning and their errors.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IcecoreError } from '../../../schemas/errors.ts';
import { type AblationPlanOptions, type AblationQuery, queryFrom } from '../../library/ablation/query.ts';
import type { RunReference } from '../../library/reference.ts';
import { nameOfForm } from '../../producers/contexts/forms.ts';
import { typedFor } from '../testing/typed.ts';

async function parse(...words: readonly string[]): Promise<AblationQuery> {
  const { args, options } = await typedFor<{ readonly runs: readonly RunReference[] }, AblationPlanOptions>(
    'ablate',
    words,
  );
  return queryFrom(args.runs, options);
}

async function faultOf(...words: readonly string[]): Promise<IcecoreError> {
  try {
    await parse(...words);
  } catch (fault) {
    if (fault instanceof IcecoreError) return fault;
    throw fault;
  }
  return expect.fail('no error was thrown');
}

describe('the options of icecore ablate', () => {
  it('default to the last run and to every decision', async () => {
    expect(await parse()).toEqual({
      ...{ runs: [{ run: 'latest', stage: null }], tag: null, depth: 'propose', kind: 'as-named', factors: [] },
      ...{
        engineers: null,
        forms: null,
        decisions: null,
        seeds: null,
        contrasts: [],
        baselines: null,
        level: 0.95,
        margin: null,
        budget: null,
      },
    });
    expect((await parse('--tag', 'study')).runs).toEqual([]);
    expect((await parse('a', 'b', 'c')).runs.map(({ run }) => run)).toEqual(['a', 'b', 'c']);
    expect((await parse('mine@2')).runs).toEqual([{ run: 'mine', stage: 2 }]);
    expect((await parse('mine', '--decisions', '3,2,3')).decisions).toEqual([2, 3]);
    expect((await parse('mine', '--decisions', 'all')).decisions).toBe(null);
    expect(await parse('--preset', 'paper')).toMatchObject({ kind: 'paper', depth: 'train' });
    expect((await parse('--preset', 'paper', '--depth', 'run')).depth).toBe('run');
  });

  it('name context forms singly, joined by plus signs, and as ranges of presets', async () => {
    const forms = async (contexts: string) => (await parse('--context', contexts)).forms?.map(nameOfForm);
    expect(await forms('failures, stats+failures,combined')).toEqual(['failures', 'stats+failures', 'combined']);
    expect(await forms('v1..v6')).toEqual(['v1', 'v2', 'v3', 'v4', 'v5', 'v6']);
    expect(await forms('v2..v2,stats')).toEqual(['v2', 'stats']);
    expect(await forms('v1-v3,stats')).toEqual(['v1', 'v2', 'v3', 'stats']);
  });

  it('name engineers and programs; commas within quotes do not separate', async () => {
    const engineers = async (...all: string[]) => (await parse(...all.flatMap((one) => ['--engineer', one]))).engineers;
    expect(await engineers('rules,checkpoint@1', 'gpt')).toEqual(['rules', 'checkpoint@1', 'gpt']);
    expect(await engineers('"python3 engineer.py --only a,b",rules')).toEqual([
      ['python3', 'engineer.py', '--only', 'a,b'],
      'rules',
    ]);
  });

  it('take contrasts and baselines, repeated or separated by commas', async () => {
    expect((await parse('--contrast', 'a/x:b/x,engineer', '--contrast', 'x:y')).contrasts).toEqual([
      'a/x:b/x',
      'engineer',
      'x:y',
    ]);
    expect((await parse('--baselines', 'none')).baselines).toEqual([]);
    expect((await parse('--baselines', 'fixed, actual,fixed')).baselines).toEqual(['fixed', 'actual']);
  });

  it('take single seeds and ranges of seeds, without duplicates', async () => {
    expect((await parse('--seed', '4,1-3')).seeds).toEqual([4, 1, 2, 3]);
    expect((await parse('--seed', '7,1..3,2')).seeds).toEqual([7, 1, 2, 3]);
    await fc.assert(
      fc.asyncProperty(fc.nat(1e6), fc.nat(999), async (from, more) => {
        const { seeds } = await parse('--seed', `${from}..${from + more}`);
        expect(seeds).toHaveLength(more + 1);
        expect([seeds?.[0], seeds?.at(-1)]).toEqual([from, from + more]);
      }),
    );
  });
});

describe('an option given twice', () => {
  it('joins its lists', async () => {
    expect((await parse('--seed', '3', '--seed', '4-5,3')).seeds).toEqual([3, 4, 5]);
    expect((await parse('mine', '--decisions', '3', '--decisions', '2')).decisions).toEqual([2, 3]);
    expect((await parse('--baselines', 'fixed', '--baselines', 'actual')).baselines).toEqual(['fixed', 'actual']);
    const { forms } = await parse('--context', 'failures', '--context', 'stats');
    expect(forms?.map(nameOfForm)).toEqual(['failures', 'stats']);
  });

  it('is refused if it takes a single value', async () => {
    expect(await faultOf('--depth', 'train', '--depth', 'run')).toMatchObject({
      message: '--depth: found "train" and "run", allowed: one of them',
      remedy: '--depth can be given once.',
    });
    expect((await faultOf('--ledger', 'sqlite:a.db', '--ledger', 'sqlite:b.db')).message).toBe(
      '--ledger: found "sqlite:a.db" and "sqlite:b.db", allowed: one of them',
    );
  });
});

describe('a bad option of icecore ablate', () => {
  it.each<[string[], string, string]>([
    [['--context', 'failurs'], 'failurs', 'failures'],
    [['--context', 'v6..v1'], '--context: found "v6..v1"', ''],
    [['--context', 'v1,,v2'], '--context: found "v1,,v2"', ''],
    [['--engineer', 'rules,'], '--engineer', ''],
    [['--engineer', ''], '--engineer', ''],
    [['--depth', 'trian'], '--depth: found "trian"', 'train'],
    [['--seed', '3..1'], '--seed: found "3..1"', ''],
    [['--seed', '0..1000'], '--seed: found "0..1000"', ''],
    [['--seed', '1,x'], '--seed: found "x"', ''],
    [['--seed', '1.5'], '--seed: found "1.5"', ''],
    [['--decisions', '1'], '--decisions: found "1"', ''],
    [['mine@2', '--decisions', '2'], 'none together with mine@2', ''],
    [['--decisions', 'al'], '--decisions: found "al"', ''],
    [['--level', '0.5'], '--level: found "0.5"', ''],
    [['--level', '95'], '--level: found "95"', ''],
    [['--margin', '0'], '--margin: found "0"', ''],
    [['--margin', ' '], '--margin', ''],
    [['--factorial', 'failures,stat'], '--factorial: found "stat"', 'stats'],
    [['--factorial', 'objective,guideline,training,stats,behaviour,failures'], '5 modules at most', ''],
    [['--leave-one-out', '--preset', 'paper'], 'found --leave-one-out and --preset, allowed: one of them', ''],
    [['--preset', 'papre'], '--preset: found "papre"', ''],
    [['--sensitivity', '--depth', 'train'], '--depth: found "train"', ''],
    [['--preset', 'paper', '--context', 'v1'], '--context: found "v1"', ''],
    [['--factorial', 'stats', '--context', 'v1,v2'], '--context: found "v1,v2"', ''],
    [['--sensitivity', '--context', 'v1..v2'], '--context: found "v1,v2"', ''],
    [['--contrast', 'a:b,'], '--contrast: found "a:b,"', ''],
    [['--baselines', 'fixed,unifrom'], '--baselines: found "unifrom"', 'uniform'],
    [['--measure', 'vald'], '--measure: found "vald"', ''],
    [['--measure', 'benchmark', '--depth', 'train'], '--measure: found "benchmark"', 'benchmarks'],
    [['--measure', 'area', '--depth', 'train'], '--measure: found "area"', ''],
  ])('is refused with the allowed values: %j', async (words, message, near) => {
    const fault = await faultOf(...words);
    expect(fault.message).toContain(message);
    if (near !== '') expect(fault.remedy).toContain(near);
  });
});
