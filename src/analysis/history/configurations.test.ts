import { expect, it } from 'vitest';
import { type Configuration, knobDifferences, sharesIn } from '../../producers/history/configurations.ts';
import { configurationOf, descriptorOf, evenly } from './testing/recording.ts';

const families = ['4', '8'];
const configuration = configurationOf(
  evenly(families, { '4.data': 0.25, '8.data': 0.75, '4.hole': 0.4, '8.hole': 0.6 }),
);

it('shares are the knobs that a descriptor says are shares, and no others that happen to come to one', () => {
  expect(sharesIn(descriptorOf(families), configuration)).toEqual([
    { family: '4', share: 0.25 },
    { family: '8', share: 0.75 },
  ]);
  const { sharesSum: _, ...without } = descriptorOf(families);
  for (const unknown of [null, without]) expect(sharesIn(unknown, configuration)).toEqual([]);
});

const knobs = (values: Readonly<Record<string, number>>): Configuration => ({
  digest: 'a'.repeat(64),
  whole: {},
  knobs: Object.entries(values).map(([knob, value]) => ({ knob, family: null, value })),
});

it('knobs are compared by name, wherever they are; rounding errors are no difference', () => {
  const earlier = knobs({ same: 1, up: 1, dusty: 1, gone: 4 });
  const later = knobs({ dusty: 1 + 1e-11, up: 2, added: 3, same: 1 });
  const changed = knobDifferences(null, earlier, later).filter(({ isChanged }) => isChanged);
  expect(changed.map(({ knob, from, to }) => [knob, from, to])).toEqual([
    ['up', 1, 2],
    ['added', null, 3],
    ['gone', 4, null],
  ]);
});
