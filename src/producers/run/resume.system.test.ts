// A run whose process is killed has the same results after it is resumed.
import { expect, it } from 'vitest';
import { killRuns } from './testing/killed.ts';

it('a run killed at any moment and resumed has the same results', async () => {
  const { finished, faults } = await killRuns(4, 1, (process) => ((process * 7) % 10) / 10);
  expect(faults).toEqual([]);
  expect(finished).toBeGreaterThan(0);
}, 120_000);
