import { expect, it } from 'vitest';
import { sumOf } from './test-all.ts';

const notes: string[] = [];
const counts = { passed: 2, failed: 0, skipped: 1 };

it('sums passed, failed and skipped tests of the parts', () => {
  const parts = [
    { code: 0, outcome: { counts, notes } },
    { code: 1, outcome: { counts: { passed: 3, failed: 4, skipped: 0 }, notes } },
  ];
  expect(sumOf(parts)).toEqual({ passed: 5, failed: 4, skipped: 1 });
});

it('counts a part that failed without a failed test, or before any test, as one failure', () => {
  expect(sumOf([{ code: 1, outcome: { counts, notes } }])).toEqual({ passed: 2, failed: 1, skipped: 1 });
  expect(
    sumOf([
      { code: 0, outcome: { counts, notes } },
      { code: 2, outcome: null },
    ]),
  ).toEqual({ passed: 2, failed: 1, skipped: 1 });
});
