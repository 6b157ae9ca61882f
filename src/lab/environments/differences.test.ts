import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Descriptor } from '../../../schemas/environment.ts';
import { golden } from '../../../schemas/testing/golden.ts';
import { differences, isWithinOneStep, stepsMoved } from './configuration.ts';
import { knobNamed, knobValues, withKnob } from './knobs.ts';
import { descriptors, proposalsFor } from './testing/descriptors.ts';

const lake = golden('RunStarted.v1').event.data['descriptor'] as Descriptor;
const sizes = (three: number, four: number, five: number, hole = 0.2) => ({
  agents: 2,
  sizes: { '3': size(three, hole), '4': size(four, 0.2), '5': size(five, 0.2) },
});
const size = (data: number, hole: number) => ({ data, hole, wait: 0.25 });

describe('the differences of two configurations', () => {
  it('are the changes that lead from one to the other', () => {
    const pairs = descriptors.chain((descriptor) =>
      fc.tuple(fc.constant(descriptor), proposalsFor(descriptor), proposalsFor(descriptor)),
    );
    fc.assert(
      fc.property(pairs, ([descriptor, from, to]) => {
        let changed = from;
        for (const { knob, to: value } of differences(descriptor, from, to))
          changed = withKnob(changed, knobNamed(descriptor, knob), value);
        const values = knobValues(descriptor, changed);
        for (const [i, { value }] of knobValues(descriptor, to).entries())
          expect(values[i]?.value).toBeCloseTo(value, 6);
        expect(differences(descriptor, changed, to)).toEqual([]);
      }),
    );
  });

  it('have the knob, its family and both values, null for a missing one', () => {
    const { sizes: was } = sizes(0.2, 0.3, 0.5);
    expect(differences(lake, { sizes: was }, sizes(0.2, 0.3, 0.5, 0.3))).toEqual([
      { knob: '3.hole', family: '3', from: 0.2, to: 0.3 },
      { knob: 'agents', family: null, from: null, to: 2 },
    ]);
  });

  it('ignore rounding errors', () => {
    expect(differences(lake, sizes(0.3, 0.2, 0.5), sizes(0.1 + 0.2, 0.2, 0.5))).toEqual([]);
  });
});

describe('the distance that a knob moved', () => {
  it('is measured in its steps', () => {
    const moved = stepsMoved(lake, sizes(0.2, 0.3, 0.5, 0.2), sizes(0.2, 0.3, 0.5, 0.3));
    expect(moved.get('3.hole')).toBeCloseTo(2, 9);
    expect(moved.get('4.hole')).toBe(0);
    expect([...moved.keys()]).toEqual(lake.knobs.map(({ name }) => name));
  });

  it('treats shares as parts of their total', () => {
    const same = stepsMoved(lake, sizes(0.2, 0.3, 0.5), sizes(0.4, 0.6, 1));
    for (const share of ['3.data', '4.data', '5.data']) expect(same.get(share)).toBeCloseTo(0, 9);
    const back = stepsMoved(lake, sizes(0.4, 0.6, 1), sizes(0.2, 0.3, 0.5));
    for (const share of ['3.data', '4.data', '5.data']) expect(back.get(share)).toBeCloseTo(0, 9);
    const untouched = stepsMoved(lake, sizes(0.2, 0.3, 0.5), sizes(0.2, 0.3, 1));
    expect(untouched.get('4.data')).toBeCloseTo((0.3 - 0.2) / 0.05, 9);
  });

  it('is within one step up to and including exactly one', () => {
    const steps = (to: number): boolean =>
      isWithinOneStep(
        stepsMoved(lake, sizes(0.2, 0.3, 0.5, 0.1), sizes(0.2, 0.3, 0.5, to)).get('3.hole') ?? Number.NaN,
      );
    expect(steps(0.1)).toBe(true);
    expect(steps(0.15)).toBe(true);
    expect(steps(0.05)).toBe(true);
    expect(steps(0.151)).toBe(false);
  });
});
