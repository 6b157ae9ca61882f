// Figures of an ablation that is under way.
import { expect, it } from 'vitest';
import { measuredOf } from './figures.ts';

it('an arm counts as measured when it was evaluated, not when its decision has a score', () => {
  const measures = [
    { measure: 'validation', better: 'higher', is: 'share', split: 'validation', says: 'success rate on validation' },
    { measure: 'citation', better: 'higher', is: 'number', split: null, says: 'how close its evidence is' },
  ] as const;
  const of = (arm: string, measure: string, value: number | null) => ({
    arm,
    unit: 'first@2 1',
    measure,
    value,
    worst: null,
  });
  const values = [
    of('one', 'citation', 1),
    of('two', 'citation', 1),
    of('one', 'validation', 0.5),
    of('two', 'validation', null),
  ];
  expect(measuredOf({ measures: [...measures], values })).toBe(1);
});
