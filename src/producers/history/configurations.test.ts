import { expect, it } from 'vitest';
import { type Configuration, knobDifferences } from './configurations.ts';

const knobs = (values: Readonly<Record<string, number>>): Configuration => ({
  digest: 'a'.repeat(64),
  whole: {},
  knobs: Object.entries(values).map(([knob, value]) => ({ knob, family: null, value })),
});

it('knobs are compared by name, in any order; rounding errors are not a difference', () => {
  const earlier = knobs({ same: 1, up: 1, dusty: 1, gone: 4 });
  const later = knobs({ dusty: 1 + 1e-11, up: 2, added: 3, same: 1 });
  const changed = knobDifferences(null, earlier, later).filter(({ isChanged }) => isChanged);
  expect(changed.map(({ knob, from, to }) => [knob, from, to])).toEqual([
    ['up', 1, 2],
    ['added', null, 3],
    ['gone', 4, null],
  ]);
});
