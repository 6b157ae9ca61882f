import { expect, it } from 'vitest';
import type { AblationRecord } from '../../producers/ablation/record.ts';
import { exemplarConfounds } from './conclude.ts';

interface Arm {
  readonly arm: string;
  /** The number of rollouts shown after each stage; undefined if its form shows none. */
  readonly exemplars: readonly (number | undefined)[];
  readonly without?: readonly string[];
}

function recordOf(arms: readonly Arm[], depth = 'propose'): AblationRecord {
  const proposals = arms.flatMap(({ arm, exemplars }) =>
    exemplars.map((shown, i) => ({
      ...{ run: 'a-run', place: { arm, unit: '1', stage: i + 1 } },
      data: { context: { digest: '', ...(shown === undefined ? {} : { exemplars: shown }) } },
    })),
  );
  return {
    started: { data: { depth, arms: arms.map(({ arm, without = [] }) => ({ arm, without })) } },
    proposals: new Map(proposals.map((one, i) => [String(i), one])),
    rejections: new Map(),
  } as unknown as AblationRecord;
}

it('arms that are shown the same number of rollouts at each stage are not confounded', () => {
  const same = [
    { arm: 'a', exemplars: [4, 3] },
    { arm: 'b', exemplars: [4, 3] },
    { arm: 'c', exemplars: [undefined, undefined] },
  ];
  expect(exemplarConfounds(recordOf(same))).toEqual([]);
});

it('an arm that was shown fewer rollouts is named as confounded', () => {
  const arms = [
    { arm: 'a', exemplars: [4, 4] },
    { arm: 'b', exemplars: [4, 1] },
    { arm: 'c', exemplars: [2, 2] },
  ];
  expect(exemplarConfounds(recordOf(arms))).toEqual([
    'Confounded: b, c were shown fewer rollouts than others, as few as 1 where others were shown 4: their contexts had no room for more. They differ in more than their forms.',
  ]);
});

it('at depth run, later differences are not confounds, because the failures of arms differ', () => {
  const later = [
    { arm: 'a', exemplars: [4, 4] },
    { arm: 'b', exemplars: [4, 2] },
  ];
  expect(exemplarConfounds(recordOf(later, 'run'))).toEqual([]);
  expect(exemplarConfounds(recordOf(later, 'train'))).not.toEqual([]);
  const first = later.map(({ arm }, i) => ({ arm, exemplars: [4 - i, 4] }));
  expect(exemplarConfounds(recordOf(first, 'run'))).not.toEqual([]);
});

it('a rollout that was left out on purpose is not a confound', () => {
  const arms = [
    { arm: 'a', exemplars: [4] },
    { arm: 'b', exemplars: [3], without: ['F1'] },
  ];
  expect(exemplarConfounds(recordOf(arms))).toEqual([]);
});
