import { describe, expect, it } from 'vitest';
import { contradictions } from './contradictions.ts';
import type { Descriptor, Knob } from './environment.ts';
import { describeIssue } from './errors.ts';
import { golden } from './testing/golden.ts';

const lake = golden('RunStarted.v1').event.data['descriptor'] as Descriptor;

function knob(name: string, change: Partial<Knob> = {}): Knob {
  return { name, path: name.split('.'), meaning: '', family: 'a', range: { min: 0, max: 1 }, step: 0.1, ...change };
}

const sound: Descriptor = {
  environment: 'sound',
  knobs: [knob('a.share'), knob('a.level', { range: { min: 1, max: 9 }, step: 1, integer: true })],
  families: [{ family: 'a' }],
  failed: { any: [{ field: ['outcome'], equals: 'wrong' }] },
  failureClass: { field: ['failureClass'] },
  family: { field: ['task', 'facts', 'level'] },
};

/** The issues of the valid descriptor after a change. */
function said(change: Partial<Descriptor>): string[] {
  return contradictions({ ...sound, ...change }, 'descriptor').map(describeIssue);
}

describe('a descriptor', () => {
  it('without contradictions has no issues', () => {
    expect(contradictions(lake, 'descriptor')).toEqual([]);
    expect(said({})).toEqual([]);
  });

  it('lists every name once', () => {
    const twice = said({
      knobs: [knob('a.share'), knob('a.share')],
      families: [{ family: 'a' }, { family: 'a' }],
      outcomes: ['right', 'right'].map((outcome) => ({ outcome, meaning: '' })),
      failureClasses: ['wrong', 'late', 'wrong'].map((wrong) => ({ class: wrong, meaning: '' })),
      facts: ['digits', 'digits'].map((fact) => ({ fact, meaning: '' })),
      metrics: ['cost', 'cost'].map((metric) => ({ metric, meaning: '' })),
    });
    expect(twice).toEqual([
      'descriptor.knobs[1].name: found "a.share" again, allowed: each knob once',
      'descriptor.families[1].family: found "a" again, allowed: each family once',
      'descriptor.outcomes[1].outcome: found "right" again, allowed: each outcome once',
      'descriptor.failureClasses[2].class: found "wrong" again, allowed: each failure class once',
      'descriptor.facts[1].fact: found "digits" again, allowed: each fact once',
      'descriptor.metrics[1].metric: found "cost" again, allowed: each metric once',
    ]);
  });

  it('gives each knob its own path', () => {
    const inside = knob('below', { path: ['a', 'share', 'low'] });
    const same = knob('again', { path: ['a', 'share'] });
    expect(said({ knobs: [inside, knob('a.share'), same] })).toEqual([
      'descriptor.knobs[0].path: found a place below that of the knob "a.share", allowed: a place of its own',
      'descriptor.knobs[2].path: found the place of the knob "a.share", allowed: a place of its own',
    ]);
    expect(said({ knobs: [knob('x', { path: ['__proto__', 'x'] })] })).toEqual([
      'descriptor.knobs[0].path: found the key "__proto__", allowed: any other name',
    ]);
  });

  it.each<[string, Partial<Knob>, string[]]>([
    [
      'a range upside down',
      { range: { min: 1, max: 0 } },
      ['knobs[0].range: found min 1 above max 0, allowed: min <= max'],
    ],
    [
      'a step wider than the range',
      { step: 2 },
      ['knobs[0].step: found 2, allowed: at most 1, the width of the range'],
    ],
    ['a step as wide as the range', { range: { min: 0.2, max: 0.3 }, step: 0.1 }, []],
    ['any step, if the range allows one value', { range: { min: 3, max: 3 }, step: 5 }, []],
    [
      'whole numbers between halves',
      { range: { min: 0.5, max: 3 }, step: 1, integer: true },
      ['knobs[0].range: found min 0.5, max 3, allowed: whole numbers, as the knob is one'],
    ],
    [
      'whole numbers by halves',
      { range: { min: 0, max: 3 }, step: 0.5, integer: true },
      ['knobs[0].step: found 0.5, allowed: a whole number, as the knob is one'],
    ],
    [
      'an unknown family',
      { family: 'b' },
      ['knobs[0].family: found "b", allowed: a family listed in `families`, or null'],
    ],
  ])('checks the fields of a knob: %s', (_, change, issues) => {
    expect(said({ knobs: [knob('x', change)] })).toEqual(issues.map((issue) => `descriptor.${issue}`));
  });

  it('lets a knob provoke only listed failure classes, and requires its harder direction', () => {
    const failureClasses = ['wrong', 'late'].map((name) => ({ class: name, meaning: '' }));
    const provoking = (change: Partial<Knob>) =>
      said({ failureClasses, knobs: [knob('x', { provokes: ['late'], ...change })] });
    expect(provoking({ harder: 'more' })).toEqual([]);
    expect(provoking({})).toEqual(['descriptor.knobs[0].provokes: found late, allowed: only together with `harder`']);
    expect(provoking({ harder: 'less', provokes: ['wrong', 'lat'] })).toEqual([
      'descriptor.knobs[0].provokes[1]: found "lat", allowed: a class listed in `failureClasses`',
    ]);
    expect(said({ knobs: [knob('x', { harder: 'more', provokes: ['anything'] })] })).toEqual([]);
  });

  it('lets a knob teach only listed failure classes, whatever its direction', () => {
    const failureClasses = [{ class: 'late', meaning: '' }];
    expect(said({ failureClasses, knobs: [knob('x', { teaches: ['late'] })] })).toEqual([]);
    expect(said({ failureClasses, knobs: [knob('x', { teaches: ['lat'] })] })).toEqual([
      'descriptor.knobs[0].teaches[0]: found "lat", allowed: a class listed in `failureClasses`',
    ]);
  });

  it('has shares whose ranges can sum to their total', () => {
    const knobs = [knob('a', { range: { min: 0.2, max: 0.4 } }), knob('b', { range: { min: 0.2, max: 0.4 } })];
    const sum = (total: number): string[] => said({ knobs, sharesSum: [{ knobs: ['a', 'b'], total }] });
    const allowed = 'a total from 0.4 to 0.8, which is what the ranges of its knobs can sum to';
    expect(sum(0.4)).toEqual([]);
    expect(sum(0.8)).toEqual([]);
    expect(sum(1)).toEqual([`descriptor.sharesSum[0].total: found 1, allowed: ${allowed}`]);
    expect(sum(0.3)).toEqual([`descriptor.sharesSum[0].total: found 0.3, allowed: ${allowed}`]);
  });

  it('has shares of one whole each, of existing knobs', () => {
    const knobs = [knob('x'), knob('y')];
    const sharesSum = [
      { knobs: ['x', 'z'], total: 1 },
      { knobs: ['y', 'x'], total: 1 },
    ];
    expect(said({ knobs, sharesSum })).toEqual([
      'descriptor.sharesSum[0].knobs[1]: found "z", allowed: a knob listed in `knobs`',
      'descriptor.sharesSum[1].knobs[1]: found "x" again, allowed: each knob a share of one whole, once',
    ]);
  });

  it('has shares that are all whole numbers, or none of them', () => {
    const knobs = [knob('x', { range: { min: 0, max: 9 }, step: 1, integer: true }), knob('y')];
    expect(said({ knobs, sharesSum: [{ knobs: ['x', 'y'], total: 1 }] })).toEqual([
      'descriptor.sharesSum[0].knobs: found whole numbers and others: x, y, allowed: all of them whole numbers, or none',
    ]);
    expect(said({ knobs, sharesSum: [{ knobs: ['x'], total: 1.5 }] })).toEqual([
      'descriptor.sharesSum[0].total: found 1.5, allowed: a whole number, as its knobs are',
    ]);
  });

  it('reads only fields that a rollout has', () => {
    const failed = { all: [{ field: ['succes'], equals: false }] };
    expect(said({ failed, family: { field: ['size'] } })).toEqual([
      'descriptor.failed.all[0].field[0]: found "succes", allowed: a field of RolloutRecorded\'s data, perhaps "success"',
      'descriptor.family.field[0]: found "size", allowed: a field of RolloutRecorded\'s data',
    ]);
  });
});
