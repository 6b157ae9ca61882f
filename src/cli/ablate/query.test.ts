// What can be typed after `icecore ablate`, what it means, and the errors.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IcecoreError } from '../../../schemas/errors.ts';
import { type AblationPlanOptions, type AblationQuery, queryFrom } from '../../library/ablation/query.ts';
import type { RunReference } from '../../library/reference.ts';
import { nameOfForm } from '../../producers/contexts/forms.ts';
import { typedFor } from '../testing/typed.ts';

async function wanted(...words: readonly string[]): Promise<AblationQuery> {
  const { args, options } = await typedFor<{ readonly runs: readonly RunReference[] }, AblationPlanOptions>(
    'ablate',
    words,
  );
  return queryFrom(args.runs, options);
}

async function faultOf(...words: readonly string[]): Promise<IcecoreError> {
  try {
    await wanted(...words);
  } catch (fault) {
    if (fault instanceof IcecoreError) return fault;
    throw fault;
  }
  return expect.fail('nothing is wrong with it');
}

describe('what is asked for', () => {
  it('is the last run where nothing is named, and what was decided after every stage', async () => {
    expect(await wanted()).toEqual({
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
    expect((await wanted('--tag', 'study')).runs).toEqual([]);
    expect((await wanted('a', 'b', 'c')).runs.map(({ run }) => run)).toEqual(['a', 'b', 'c']);
    expect((await wanted('mine@2')).runs).toEqual([{ run: 'mine', stage: 2 }]);
    expect((await wanted('mine', '--decisions', '3,2,3')).decisions).toEqual([2, 3]);
    expect((await wanted('mine', '--decisions', 'all')).decisions).toBe(null);
    expect(await wanted('--preset', 'paper')).toMatchObject({ kind: 'paper', depth: 'train' });
    expect((await wanted('--preset', 'paper', '--depth', 'run')).depth).toBe('run');
  });

  it('has forms by their names, with plus signs, and from one preset to another', async () => {
    const forms = async (contexts: string) => (await wanted('--context', contexts)).forms?.map(nameOfForm);
    expect(await forms('failures, stats+failures,combined')).toEqual(['failures', 'stats+failures', 'combined']);
    expect(await forms('v1..v6')).toEqual(['v1', 'v2', 'v3', 'v4', 'v5', 'v6']);
    expect(await forms('v2..v2,stats')).toEqual(['v2', 'stats']);
    expect(await forms('v1-v3,stats')).toEqual(['v1', 'v2', 'v3', 'stats']);
  });

  it('has engineers and programs, whose commas stand in quotes', async () => {
    const engineers = async (...all: string[]) =>
      (await wanted(...all.flatMap((one) => ['--engineer', one]))).engineers;
    expect(await engineers('rules,checkpoint@1', 'gpt')).toEqual(['rules', 'checkpoint@1', 'gpt']);
    expect(await engineers('"python3 engineer.py --only a,b",rules')).toEqual([
      ['python3', 'engineer.py', '--only', 'a,b'],
      'rules',
    ]);
  });

  it('has contrasts one by one and with commas between them, and the baselines that are wanted', async () => {
    expect((await wanted('--contrast', 'a/x:b/x,engineer', '--contrast', 'x:y')).contrasts).toEqual([
      'a/x:b/x',
      'engineer',
      'x:y',
    ]);
    expect((await wanted('--baselines', 'none')).baselines).toEqual([]);
    expect((await wanted('--baselines', 'fixed, actual,fixed')).baselines).toEqual(['fixed', 'actual']);
  });

  it('has seeds one by one and in ranges, each once', async () => {
    expect((await wanted('--seed', '4,1-3')).seeds).toEqual([4, 1, 2, 3]);
    expect((await wanted('--seed', '7,1..3,2')).seeds).toEqual([7, 1, 2, 3]);
    await fc.assert(
      fc.asyncProperty(fc.nat(1e6), fc.nat(999), async (from, more) => {
        const { seeds } = await wanted('--seed', `${from}..${from + more}`);
        expect(seeds).toHaveLength(more + 1);
        expect([seeds?.[0], seeds?.at(-1)]).toEqual([from, from + more]);
      }),
    );
  });
});

describe('an option that is given twice', () => {
  it('joins its lists', async () => {
    expect((await wanted('--seed', '3', '--seed', '4-5,3')).seeds).toEqual([3, 4, 5]);
    expect((await wanted('mine', '--decisions', '3', '--decisions', '2')).decisions).toEqual([2, 3]);
    expect((await wanted('--baselines', 'fixed', '--baselines', 'actual')).baselines).toEqual(['fixed', 'actual']);
    const { forms } = await wanted('--context', 'failures', '--context', 'stats');
    expect(forms?.map(nameOfForm)).toEqual(['failures', 'stats']);
  });

  it('is refused where only one value can count', async () => {
    expect(await faultOf('--depth', 'train', '--depth', 'run')).toMatchObject({
      message: '--depth: found "train" and "run", allowed: one of them',
      remedy: '--depth can be given once.',
    });
    expect((await faultOf('--ledger', 'sqlite:a.db', '--ledger', 'sqlite:b.db')).message).toBe(
      '--ledger: found "sqlite:a.db" and "sqlite:b.db", allowed: one of them',
    );
  });
});

describe('what is wrong with it', () => {
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
  ])('is refused with what is allowed: %j', async (words, message, near) => {
    const fault = await faultOf(...words);
    expect(fault.message).toContain(message);
    if (near !== '') expect(fault.remedy).toContain(near);
  });
});
