// An ablation whose process is killed comes to what it would have come to.
import { expect, it } from 'vitest';
import { killAblations } from './testing/killed.ts';

it('an ablation killed at any moment and gone on with, comes to the same', async () => {
  const { finished, faults } = await killAblations(1, 1, () => 0.6);
  expect(faults).toEqual([]);
  expect(finished).toBeGreaterThan(0);
}, 120_000);
