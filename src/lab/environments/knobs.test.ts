import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Descriptor, Knob } from '../../../schemas/environment.ts';
import { golden } from '../../../schemas/testing/golden.ts';
import { digestOf } from './environment.ts';
import { knobNamed, knobValue, knobValues, recordedConfiguration, withKnob } from './knobs.ts';
import { descriptors, proposalsFor } from './testing/descriptors.ts';

const adopted = golden('ConfigAdopted.v1').event.data['configuration'] as ReturnType<typeof recordedConfiguration>;
const lake = golden('RunStarted.v1').event.data['descriptor'] as Descriptor;
const hole: Knob = knobNamed(lake, '4.hole');

describe('the knobs of a configuration', () => {
  it('are read by their paths, through objects and lists, and only numbers count', () => {
    expect(knobValue({ sizes: { 4: { hole: 0.2 } } }, hole)).toBe(0.2);
    const inList = { ...hole, path: ['sizes', '0', 'hole'] };
    expect(knobValue({ sizes: [{ hole: 0.2 }] }, inList)).toBe(0.2);
    for (const value of ['0.2', null, true, Number.NaN, [0.2]])
      expect(knobValue({ sizes: { 4: { hole: value } } }, hole)).toBe(undefined);
    for (const configuration of [{}, { sizes: null }, { sizes: 4 }])
      expect(knobValue(configuration, hole)).toBe(undefined);
    for (const path of [['length'], ['sizes', 'length'], ['constructor', 'length']])
      expect(knobValue({ sizes: [1, 2] }, { ...hole, path })).toBe(undefined);
  });

  it('are recorded next to the configuration, with its digest', () => {
    const recorded = recordedConfiguration(lake, adopted.whole);
    expect(recorded.digest).toBe(adopted.digest);
    expect(new Set(recorded.knobs)).toEqual(new Set(adopted.knobs));
    expect(recordedConfiguration(lake, { sizes: { 4: { hole: 0.2 } } })).toEqual({
      digest: digestOf({ sizes: { 4: { hole: 0.2 } } }),
      whole: { sizes: { 4: { hole: 0.2 } } },
      knobs: [{ knob: '4.hole', family: '4', value: 0.2 }],
    });
  });

  it('are changed one at a time, without modifying the input', () => {
    const turning = descriptors.chain((descriptor) =>
      fc.tuple(fc.constant(descriptor), proposalsFor(descriptor), fc.constantFrom(...descriptor.knobs), fc.integer()),
    );
    fc.assert(
      fc.property(turning, ([descriptor, configuration, knob, value]) => {
        const before = structuredClone(configuration);
        const after = withKnob(configuration, knob, value);
        expect(configuration).toEqual(before);
        const expected = knobValues(descriptor, configuration).map((one) =>
          one.knob === knob.name ? { ...one, value } : one,
        );
        expect(knobValues(descriptor, after)).toEqual(expected);
        expect(after['seedWords']).toEqual(before['seedWords']);
      }),
    );
  });

  it('can be set where no value was, and within lists', () => {
    expect(withKnob({}, hole, 0.3)).toEqual({ sizes: { 4: { hole: 0.3 } } });
    const inList = { ...hole, path: ['sizes', '1', 'hole'] };
    expect(withKnob({ sizes: [{ hole: 0 }, { hole: 0 }] }, inList, 0.3)).toEqual({
      sizes: [{ hole: 0 }, { hole: 0.3 }],
    });
  });

  it('are found by name, with similar names in the error', () => {
    expect(() => knobNamed(lake, '4.hloe')).toThrow(
      expect.objectContaining({ kind: 'not-found', message: 'lake has no knob "4.hloe"' }),
    );
    expect(() => knobNamed(lake, '4.hloe')).toThrow(
      expect.objectContaining({ remedy: 'Did you mean 4.hole, 3.hole or 5.hole?' }),
    );
  });
});
