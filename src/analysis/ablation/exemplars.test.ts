import { expect, it } from 'vitest';
import type { AblationRecord } from '../../producers/ablation/record.ts';
import { exemplarConfounds } from './conclude.ts';

interface Arm {
  readonly arm: string;
  /** After each stage, how many rollouts were shown; undefined: its form shows none. */
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

it('nothing is confounded where all forms that show rollouts show as many, however many after which stage', () => {
  const same = [
    { arm: 'a', exemplars: [4, 3] },
    { arm: 'b', exemplars: [4, 3] },
    { arm: 'c', exemplars: [undefined, undefined] },
  ];
  expect(exemplarConfounds(recordOf(same))).toEqual([]);
});

it('an arm that was shown fewer is named', () => {
  const arms = [
    { arm: 'a', exemplars: [4, 4] },
    { arm: 'b', exemplars: [4, 1] },
    { arm: 'c', exemplars: [2, 2] },
  ];
  expect(exemplarConfounds(recordOf(arms))).toEqual([
    'Confounded: b, c were shown fewer rollouts than others, as few as 1 where others were shown 4: their contexts had no room for more. They differ in more than their forms.',
  ]);
});

it('nothing is confounded where arms go on as runs of their own, whose failures differ', () => {
  const later = [
    { arm: 'a', exemplars: [4, 4] },
    { arm: 'b', exemplars: [4, 2] },
  ];
  expect(exemplarConfounds(recordOf(later, 'run'))).toEqual([]);
  expect(exemplarConfounds(recordOf(later, 'train'))).not.toEqual([]);
  const first = later.map(({ arm }, i) => ({ arm, exemplars: [4 - i, 4] }));
  expect(exemplarConfounds(recordOf(first, 'run'))).not.toEqual([]);
});

it('a rollout that was left out on purpose is no confound', () => {
  const arms = [
    { arm: 'a', exemplars: [4] },
    { arm: 'b', exemplars: [3], without: ['F1'] },
  ];
  expect(exemplarConfounds(recordOf(arms))).toEqual([]);
});
