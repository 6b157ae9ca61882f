import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { descriptor, startConfiguration } from '../../../testbed/lake/configuration.ts';
import { openLake } from '../../../testbed/lake/environment.ts';
import { withEveryFamily } from './configuration.ts';

const start = { ...startConfiguration };
const complete = <Given>(given: Given) => withEveryFamily(descriptor, given, start);
const lake = openLake();

describe('families missing from a configuration', () => {
  it('are added without a share, and the others stay unchanged', () => {
    const sizes = fc.subarray(Object.keys(startConfiguration.sizes), { minLength: 1 });
    fc.assert(
      fc.property(sizes, (mentioned) => {
        const knobs = { data: 1 / mentioned.length, hole: 0.05, wait: 0 };
        const given = { agents: 3, sizes: Object.fromEntries(mentioned.map((size) => [size, knobs])) };
        const whole = complete(given);
        expect(lake.check(whole)).toEqual([]);
        expect(whole).toMatchObject(given);
        const others = Object.keys(startConfiguration.sizes).filter((size) => !mentioned.includes(size));
        const unmentioned = others.map((size) => [size, { ...startConfiguration.sizes[size], data: 0 }]);
        expect(whole).toMatchObject({ sizes: Object.fromEntries(unmentioned) });
        expect(complete(whole)).toBe(whole);
      }),
    );
  });

  it.each([[undefined], [null], [3], ['easy'], [[]], [{}], [{ agents: 2 }], [{ sizes: 3 }], [{ sizes: {} }]])(
    'are not added if the configuration has no family: %j',
    (given) => {
      expect(complete(given)).toBe(given);
    },
  );

  it('do not include one that lacks a single knob, which the check reports', () => {
    const { hole: _, ...rest } = { data: 1, hole: 0.1, wait: 0 };
    expect(lake.check(complete({ agents: 2, sizes: { 8: rest } }))).toMatchObject([{ field: 'sizes["8"].hole' }]);
  });
});
