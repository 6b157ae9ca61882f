// An ablation whose process is killed has the same result after it is resumed.
import { expect, it } from 'vitest';
import { killAblations } from './testing/killed.ts';

it('an ablation killed at any moment and resumed has the same result', async () => {
  const { finished, faults } = await killAblations(1, 1, () => 0.6);
  expect(faults).toEqual([]);
  expect(finished).toBeGreaterThan(0);
}, 120_000);
