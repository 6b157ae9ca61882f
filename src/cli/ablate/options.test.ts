// What can be typed after `icecore ablate`, what it means, and how what is wrong with it is told.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IcecoreError } from '../../../schemas/errors.ts';
import { nameOfForm } from '../../producers/contexts/forms.ts';
import { type AblateOptions, type AblationQuery, queryFrom } from './options.ts';

const wanted = (options: AblateOptions, run?: string): AblationQuery => queryFrom(run, options);

function faultOf(options: AblateOptions, run?: string): IcecoreError {
  try {
    wanted(options, run);
  } catch (fault) {
    if (fault instanceof IcecoreError) return fault;
    throw fault;
  }
  return expect.fail('nothing is wrong with it');
}

describe('what is asked for', () => {
  it('is the last run where nothing is named, and what was decided after every stage', () => {
    expect(wanted({})).toEqual({
      ...{ runs: [{ run: 'latest', stage: null }], tag: null, depth: 'propose', kind: 'as-named', factors: [] },
      ...{
        engineers: null,
        forms: null,
        stages: null,
        seeds: null,
        contrasts: [],
        baselines: null,
        level: 0.95,
        margin: null,
        budget: null,
      },
    });
    expect(wanted({ tag: 'study' }).runs).toEqual([]);
    expect(wanted({ runs: 'b, c' }, 'a').runs.map(({ run }) => run)).toEqual(['a', 'b', 'c']);
    expect(wanted({}, 'mine@2').stages).toEqual([2]);
    expect(wanted({ stages: '3,1,3' }, 'mine').stages).toEqual([1, 3]);
    expect(wanted({ stages: 'all' }, 'mine').stages).toBe(null);
    expect(wanted({ preset: 'paper' })).toMatchObject({ kind: 'paper', depth: 'train' });
    expect(wanted({ preset: 'paper', depth: 'run' }).depth).toBe('run');
  });

  it('has forms by their names, with plus signs, and from one preset to another', () => {
    const forms = (contexts: string) => wanted({ contexts }).forms?.map(nameOfForm);
    expect(forms('failures, stats+failures,abstract')).toEqual(['failures', 'stats,failures', 'abstract']);
    expect(forms('v1..v6')).toEqual(['v1', 'v2', 'v3', 'v4', 'v5', 'v6']);
    expect(forms('v2..v2,stats')).toEqual(['v2', 'stats']);
  });

  it('has engineers and programs, whose commas stand in quotes', () => {
    const engineers = (...all: string[]) => wanted({ engineers: all }).engineers;
    expect(engineers('rules,checkpoint@1', 'gpt')).toEqual(['rules', 'checkpoint@1', 'gpt']);
    expect(engineers('"python3 engineer.py --only a,b",rules')).toEqual([
      ['python3', 'engineer.py', '--only', 'a,b'],
      'rules',
    ]);
  });

  it('has contrasts one by one and with commas between them, and the baselines that are wanted', () => {
    expect(wanted({ contrast: ['a/x:b/x,engineer', 'x:y'] }).contrasts).toEqual(['a/x:b/x', 'engineer', 'x:y']);
    expect(wanted({ baselines: 'none' }).baselines).toEqual([]);
    expect(wanted({ baselines: 'fixed, actual,fixed' }).baselines).toEqual(['fixed', 'actual']);
  });

  it('has seeds one by one and in ranges, each once', () => {
    expect(wanted({ seeds: '7,1..3,2' }).seeds).toEqual([7, 1, 2, 3]);
    fc.assert(
      fc.property(fc.nat(1e6), fc.nat(999), (from, more) => {
        const { seeds } = wanted({ seeds: `${from}..${from + more}` });
        expect(seeds).toHaveLength(more + 1);
        expect([seeds?.[0], seeds?.at(-1)]).toEqual([from, from + more]);
      }),
    );
  });
});

describe('what is wrong with it', () => {
  it.each<[AblateOptions, string, string]>([
    [{ contexts: 'failurs' }, 'failurs', 'failures'],
    [{ contexts: 'v6..v1' }, '--contexts: found "v6..v1"', ''],
    [{ contexts: 'v1,,v2' }, '--contexts: found "v1,,v2"', ''],
    [{ engineers: ['rules,'] }, '--engineers', ''],
    [{ engineers: [''] }, '--engineers', ''],
    [{ depth: 'trian' }, '--depth: found "trian"', 'train'],
    [{ seeds: '3..1' }, '--seeds: found "3..1"', ''],
    [{ seeds: '0..1000' }, '--seeds: found "0..1000"', ''],
    [{ seeds: '-1' }, '--seeds: found "-1"', ''],
    [{ seeds: '1.5' }, '--seeds: found "1.5"', ''],
    [{ stages: '0' }, '--stages: found "0"', ''],
    [{ stages: 'al' }, '--stages: found "al"', ''],
    [{ level: '0.5' }, '--level: found "0.5"', ''],
    [{ level: '95' }, '--level: found "95"', ''],
    [{ margin: '0' }, '--margin: found "0"', ''],
    [{ margin: ' ' }, '--margin', ''],
    [{ factorial: 'failures,stat' }, '--factorial: found "stat"', 'stats'],
    [{ factorial: 'objective,guideline,training,stats,behaviour,failures' }, '5 modules at most', ''],
    [{ leaveOneOut: true, preset: 'paper' }, 'found --leave-one-out and --preset, allowed: one of them', ''],
    [{ preset: 'papre' }, '--preset: found "papre"', ''],
    [{ sensitivity: true, depth: 'train' }, '--depth: found "train"', ''],
    [{ preset: 'paper', contexts: 'v1' }, '--contexts: found "v1"', ''],
    [{ factorial: 'stats', contexts: 'v1,v2' }, '--contexts: found "v1,v2"', ''],
    [{ sensitivity: true, contexts: 'v1..v2' }, '--contexts: found "v1..v2"', ''],
    [{ contrast: ['a:b,'] }, '--contrast: found "a:b,"', ''],
    [{ baselines: 'fixed,unifrom' }, '--baselines: found "unifrom"', 'uniform'],
    [{ measure: 'vald' }, '--measure: found "vald"', ''],
    [{ measure: 'vald', depth: 'train' }, '--measure: found "vald"', 'valid'],
    [{ measure: 'area', depth: 'train' }, '--measure: found "area"', ''],
  ])('is told with what is allowed: %j', (options, message, near) => {
    const fault = faultOf(options);
    expect(fault.message).toContain(message);
    if (near !== '') expect(fault.remedy).toContain(near);
  });
});
