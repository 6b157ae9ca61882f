import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { grounded, type Labels } from './grounded.ts';

/** Two labels of each of three groups, and one of them all. */
const labels: Labels = labelled({
  'B4.valid': '4',
  F1: '4',
  'B6.valid': '6',
  F2: '6',
  'B8.valid': '8',
  F3: '8',
  T: null,
});

function labelled(groups: Readonly<Record<string, string | null>>): Labels {
  return Object.fromEntries(
    Object.entries(groups).map(([label, group]) => [label, { module: 'behaviour', events: [], group }]),
  );
}

function change(group: string | null, ...because: readonly string[]) {
  return { group, because: [...because] };
}

describe('a proposal is grounded', () => {
  it.each<[string, string | null, readonly string[], number]>([
    ['what is of its group is all it takes', '8', ['F3'], 1],
    ['all of its group is no worse', '8', ['F3', 'B8.valid'], 1],
    ['what is of all groups is half of it', '8', ['T'], 0.5],
    ['and is half of it beside what is of its group', '8', ['F3', 'T'], 0.75],
    ['a label that there is not costs its part', '8', ['F3', 'F99'], 0.5],
    ['one of the four of other groups as well, and a quarter', '8', ['F3', 'F1'], 0.375],
    ['what is of other groups alone is nothing', '8', ['F1', 'F2'], 0],
    ['labels that there are not are nothing', '8', ['F99', 'constructor', '__proto__'], 0],
    ['without labels there is nothing', '8', [], 0],
    ['all labels are nothing', '8', Object.keys(labels), 0],
    ['a knob of all groups rests on what is of them all', null, ['T'], 1],
    ['and half on what is of one', null, ['F3'], 0.5],
    ['each other one of it costs a sixth', null, ['F3', 'F1', 'F2'], 0.333333],
    ['all labels are nothing to it either', null, Object.keys(labels), 0],
  ])('%s', (_, group, because, score) => {
    expect(grounded([change(group, ...because)], labels)).toBe(score);
  });

  it('as far as its changes are in the mean, one without any reason included', () => {
    expect(grounded([change('8', 'F3'), change('6', 'T'), { group: '4', because: null }], labels)).toBe(0.5);
  });

  it('neither is nor is not where nothing changed, and where nothing could be cited', () => {
    expect(grounded([], labels)).toEqual({ value: null, reason: 'nothing was changed' });
    for (const none of [null, {}])
      expect(grounded([change('8', 'F3')], none)).toEqual({ value: null, reason: 'nothing could be cited' });
  });
});

const groups = fc.constantFrom('4', '6', '8');
const contexts = fc
  .array(fc.option(groups), { minLength: 1, maxLength: 20 })
  .map((of) => labelled(Object.fromEntries(of.map((group, i) => [`L${i}`, group]))));
const citing = contexts.chain((context) =>
  fc.record({
    context: fc.constant(context),
    group: fc.option(groups),
    because: fc.array(fc.constantFrom(...Object.keys(context), 'X1', 'X2'), { maxLength: 12 }),
  }),
);

describe('evidence', () => {
  const told: Labels = {
    ...labelled({ 'B8.valid': '8', 'B6.valid': '6', 'B.entropy': null }),
    'O.stages-to-go': { module: 'objective', events: [], group: null },
    N1: { module: 'self-summary', events: [], group: null },
    'H1.8.data': { module: 'history', events: [], group: '8' },
    'H1.8.valid': { module: 'history', events: [], group: '8' },
    'H1.a.b.valid~2': { module: 'history', events: [], group: '8' },
    'T8.signal': { module: 'training', events: [], group: '8' },
  };

  it.each<[string, string | null, number]>([
    ['O.stages-to-go', null, 0],
    ['O.stages-to-go', '8', 0],
    ['N1', '8', 0],
    ['H1.8.data', '8', 0],
    ['H1.8.valid', '8', 1],
    ['H1.a.b.valid~2', '8', 1],
    ['T8.signal', '8', 1],
    ['B.entropy', '8', 0.5],
    ['B.entropy', null, 1],
  ])('is what the policy did: %s for a knob of %s', (label, group, score) => {
    expect(grounded([change(group, label)], told)).toBe(score);
  });

  it('is diluted by what is none', () => {
    expect(grounded([change('8', 'B8.valid', 'O.stages-to-go')], told)).toBe(0.5);
  });

  it('may not have been shown, whatever else was', () => {
    const { N1, 'O.stages-to-go': toGo } = told;
    const reason = 'nothing could be cited';
    expect(grounded([change('8', 'N1')], { N1, 'O.stages-to-go': toGo } as Labels)).toEqual({ value: null, reason });
  });
});

describe('citing more than what concerns a knob', () => {
  it('never helps', () => {
    fc.assert(
      fc.property(citing, ({ context, group, because }) => {
        const strange = Object.entries(context)
          .filter(([, evidence]) => group !== null && evidence.group !== null && evidence.group !== group)
          .map(([label]) => label);
        const before = grounded([change(group, ...because)], context) as number;
        expect(before).toBeGreaterThanOrEqual(0);
        expect(before).toBeLessThanOrEqual(1);
        for (const label of [...strange, 'X1', 'X3'])
          expect(grounded([change(group, ...because, label)], context)).toBeLessThanOrEqual(before);
      }),
    );
  });

  it('leaves nothing where everything is cited and some of it concerns another group', () => {
    fc.assert(
      fc.property(contexts, groups, (context, group) => {
        const of = Object.entries(context);
        fc.pre(of.some(([, evidence]) => evidence.group !== group && evidence.group !== null));
        expect(grounded([change(group, ...Object.keys(context))], context)).toBe(0);
        const right = of.filter(([, evidence]) => evidence.group === group).map(([label]) => label);
        for (const label of right) expect(grounded([change(group, label)], context)).toBe(1);
      }),
    );
  });

  it('twice is citing once, in whichever order', () => {
    fc.assert(
      fc.property(citing, ({ context, group, because }) => {
        const again = change(group, ...because.toReversed(), ...because);
        expect(grounded([again], context)).toBe(grounded([change(group, ...because)], context));
      }),
    );
  });
});
