// Checkpoints of later stages than the last one before a decision.
import { expect, it } from 'vitest';
import { earlierSnapshots, snapshotStage } from './conclude.ts';

it('the latest checkpoint decides instead of a missing one, and the output says so', () => {
  expect(['checkpoint@12', 'checkpoint', 'rules'].map(snapshotStage)).toEqual([12, null, null]);
  expect(earlierSnapshots(['rules', 'checkpoint', 'checkpoint@1'], [1, 2])).toEqual([]);
  expect(earlierSnapshots(['checkpoint@3', 'checkpoint@3', 'checkpoint@2'], [3, 1, 2, 1])).toEqual([
    'For stages 2 and 3 there was no checkpoint@3 yet: the latest weights decided in its place, as checkpoint does.',
    'For stage 2 there was no checkpoint@2 yet: the latest weights decided in its place, as checkpoint does.',
  ]);
});
