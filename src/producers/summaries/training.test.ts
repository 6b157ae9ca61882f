import { describe, expect, it } from 'vitest';
import { wilson } from '../../lab/statistics/distributions.ts';
import type { Fact } from './summary.ts';
import { collapses, forgettings } from './training.ts';

const signal = (withVariance: number, sampleGroups = 100) => ({
  family: '8',
  sampleGroups,
  withVariance,
  share: withVariance / sampleGroups,
});

const valid = (count: number, of: number, family = '8'): Fact => ({
  evidenceId: `B${family}.valid`,
  family,
  measure: 'valid',
  value: count / of,
  count,
  of,
  ...wilson(count, of),
});

describe('a collapse of the learning signal', () => {
  it('is reported with the previous value', () => {
    expect(collapses([signal(40)], [signal(5)])).toEqual([
      { kind: 'signal-collapse', family: '8', measure: 'signal', before: 0.4, now: 0.05 },
    ]);
  });

  it.each([
    ['it is still high after it fell', signal(90), signal(20)],
    ['it was hardly higher before', signal(9), signal(5)],
    ['it was close to zero before', signal(1), signal(0)],
    ['nothing was compared', signal(40), { ...signal(0), sampleGroups: 0 }],
    ['it rose', signal(2), signal(5)],
    ['too few sample groups were compared', signal(4, 20), signal(1, 20)],
    ['it is another family', { ...signal(40), family: '9' }, signal(5)],
    ['it is undefined', signal(40), { ...signal(0), share: { value: null, reason: 'none was drawn' } as const }],
  ])('is not reported if %s', (_, before, now) => {
    expect(collapses([before], [now])).toEqual([]);
  });

  it('is not reported in the first stage', () => {
    expect(collapses([], [signal(1)])).toEqual([]);
  });
});

describe('forgetting', () => {
  it('is reported if a rate is clearly below the best one, however long ago', () => {
    expect(forgettings([[valid(20, 100)], [valid(90, 100)], [valid(50, 100)]], [valid(55, 100)])).toEqual([
      { kind: 'forgetting', family: '8', measure: 'valid', before: 0.9, now: 0.55 },
    ]);
  });

  it('is not reported against a rate of few rollouts', () => {
    expect(forgettings([[valid(2, 2)], [valid(80, 100)]], [valid(70, 100)])).toEqual([]);
    expect(forgettings([[valid(2, 2)], [valid(80, 100)]], [valid(40, 100)])).toMatchObject([{ before: 0.8 }]);
  });

  it.each([
    ['the intervals touch', valid(60, 100), valid(50, 100)],
    ['it was another family', valid(90, 100, '9'), valid(10, 100)],
    ['it got better', valid(10, 100), valid(90, 100)],
    ['it is another measure', { ...valid(90, 100), measure: 'optimal' }, valid(10, 100)],
  ])('is not reported if %s', (_, before, now) => {
    expect(forgettings([[before]], [now])).toEqual([]);
  });
});
