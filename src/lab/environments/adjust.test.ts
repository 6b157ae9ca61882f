import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Descriptor, Knob } from '../../../schemas/environment.ts';
import { adjusted, checkConfiguration } from './configuration.ts';
import { knobValue, knobValues, renormalised, withKnob } from './knobs.ts';
import { descriptors, proposalsFor } from './testing/descriptors.ts';

const proposals = descriptors.chain((descriptor) => fc.tuple(fc.constant(descriptor), proposalsFor(descriptor)));

describe('a proposed configuration', () => {
  it('is clamped to what the descriptor allows, for any input', () => {
    fc.assert(
      fc.property(proposals, ([descriptor, proposed]) => {
        expect(checkConfiguration(descriptor, adjusted(descriptor, proposed).configuration)).toEqual([]);
      }),
    );
  });

  it('stays unchanged if it is valid', () => {
    fc.assert(
      fc.property(proposals, ([descriptor, proposed]) => {
        const { configuration } = adjusted(descriptor, proposed);
        const again = adjusted(descriptor, configuration);
        expect(again.clamps).toEqual([]);
        expect(again.configuration).toBe(configuration);
      }),
    );
  });

  it('reports every change', () => {
    fc.assert(
      fc.property(proposals, ([descriptor, proposed]) => {
        const { configuration, clamps } = adjusted(descriptor, proposed);
        const before = knobValues(descriptor, proposed);
        const changed = knobValues(descriptor, configuration).flatMap(({ knob, family, value }, i) => {
          const was = before[i]?.value;
          return was === value ? [] : [{ knob, family, proposed: was, used: value }];
        });
        expect(clamps.map(({ rule, ...clamp }) => clamp)).toEqual(changed);
      }),
    );
  });

  it('reports which rule each value broke', () => {
    const [descriptor] = fc.sample(descriptors, { numRuns: 1, seed: 1 });
    const knobs = [
      knob('a', { range: { min: 0, max: 0.5 } }),
      knob('b'),
      knob('level', { range: { min: 1, max: 9 }, integer: true }),
    ];
    const shared = { ...(descriptor as Descriptor), knobs, sharesSum: [{ knobs: ['a', 'b'], total: 1 }] };
    expect(adjusted(shared, { a: 0.8, b: 0.4, level: 2.6 })).toEqual({
      configuration: { a: 0.5, b: 0.5, level: 3 },
      clamps: [
        { knob: 'a', family: null, proposed: 0.8, used: 0.5, rule: 'range' },
        { knob: 'b', family: null, proposed: 0.4, used: 0.5, rule: 'shares-sum' },
        { knob: 'level', family: null, proposed: 2.6, used: 3, rule: 'step' },
      ],
    });
  });

  it('keeps values that are not numbers, which the check reports', () => {
    const [descriptor] = fc.sample(descriptors, { numRuns: 1, seed: 1 });
    const shared = {
      ...(descriptor as Descriptor),
      knobs: [knob('a'), knob('b')],
      sharesSum: [{ knobs: ['a', 'b'], total: 1 }],
    };
    for (const value of ['0.5', null, Number.NaN]) {
      const configuration = { a: 0.2, b: value };
      expect(adjusted(shared, configuration)).toEqual({ configuration, clamps: [] });
    }
  });
});

describe('shares', () => {
  const sharesOf = (values: readonly number[], max = 1) =>
    values.map((value, i) => ({ knob: knob(`${i}`, { range: { min: 0, max } }), value }));

  it('keep their proportions unless one reaches the end of its range', () => {
    const values = fc.array(fc.double({ min: 0.01, max: 1, noNaN: true }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(values, (values) => {
        const sum = values.reduce((a, b) => a + b);
        for (const [i, value] of renormalised(sharesOf(values), 1).entries())
          expect(value).toBeCloseTo((values[i] as number) / sum, 12);
      }),
    );
  });

  it('never change their order', () => {
    const values = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(values, fc.double({ min: 0.5, max: 1, noNaN: true }), (values, max) => {
        const result = renormalised(sharesOf(values, max), 1);
        for (const [i, a] of values.entries())
          for (const [j, b] of values.entries())
            if (a < b) expect(result[i]).toBeLessThanOrEqual((result[j] as number) + 1e-12);
      }),
    );
  });

  it('that are all zero become equal, and an excess over the range goes to shares at zero', () => {
    expect(renormalised(sharesOf([0, 0, 0, 0]), 1)).toEqual([0.25, 0.25, 0.25, 0.25]);
    expect(renormalised(sharesOf([1, 0, 0], 0.5), 1)).toEqual([0.5, 0.25, 0.25]);
  });

  it('as integers are rounded by largest remainder', () => {
    const whole = [5, 5, 4].map((value, i) => ({
      knob: knob(`${i}`, { range: { min: 0, max: 10 }, integer: true }),
      value,
    }));
    expect(renormalised(whole, 10)).toEqual([4, 3, 3]);
    expect(renormalised(whole, 28)).toEqual([10, 10, 8]);
  });
});

function knob(name: string, change: Partial<Knob> = {}): Knob {
  return { name, path: [name], meaning: '', family: null, range: { min: 0, max: 1 }, step: 0.05, ...change };
}

it('clamping keeps a valid knob unchanged', () => {
  fc.assert(
    fc.property(proposals, ([descriptor, proposed]) => {
      const players = descriptor.knobs.at(-1) as Knob;
      const sound = withKnob(proposed, players, 3);
      expect(knobValue(adjusted(descriptor, sound).configuration, players)).toBe(3);
    }),
  );
});
