// Arms with runs of their own are based on the rollouts of these runs, and `actual` on those of the history.
import { expect, it, onTestFinished } from 'vitest';
import { ablateTiny, keptRuns } from '../ablation/testing/tiny-ablation.ts';
import { tinySettings } from '../run/testing/tiny.ts';
import { again } from './testing/again.ts';

it('ablations at depth run are recomputed without a fault', async () => {
  const run = 'whole0000000';
  const small = { budget: { 'agent-steps': 60 }, validation: 2, trained: 2, record: 'all' as const };
  const kept = await keptRuns({ run, settings: tinySettings(small) });
  const at = await kept.copy();
  onTestFinished(() => at.close());
  const arms = ['rules/failures', 'actual', 'fixed'];
  const { record } = await ablateTiny(at, { runs: [run], depth: 'run', arms });
  const evaluated = [...record.evaluations.values()].flat();
  expect(new Set(evaluated.map(({ data }) => data.arm))).toEqual(new Set(arms));
  expect(evaluated.every(({ rollouts }) => rollouts !== undefined)).toBe(true);
  const { findings, counts } = await again(at.ledger, { run: null });
  // Only the conclusion is skipped, which a higher layer computes.
  expect(findings.kept).toMatchObject([
    { kind: 'not-recomputed', says: expect.stringContaining('cannot be concluded') },
  ]);
  expect(counts.evaluations).toBeGreaterThan(evaluated.length);
}, 60_000);
