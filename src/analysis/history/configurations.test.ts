import { expect, it } from 'vitest';
import { sharesIn } from '../../producers/history/configurations.ts';
import { configurationOf, descriptorOf, evenly } from './testing/recording.ts';

const families = ['4', '8'];
const configuration = configurationOf(
  evenly(families, { '4.data': 0.25, '8.data': 0.75, '4.hole': 0.4, '8.hole': 0.6 }),
);

it('only knobs that the descriptor declares as shares are shares, even if others sum to one', () => {
  expect(sharesIn(descriptorOf(families), configuration)).toEqual([
    { family: '4', share: 0.25 },
    { family: '8', share: 0.75 },
  ]);
  const { sharesSum: _, ...without } = descriptorOf(families);
  for (const unknown of [null, without]) expect(sharesIn(unknown, configuration)).toEqual([]);
});
