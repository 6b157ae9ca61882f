// Verification repeats what an ablation recorded, with the settings that applied to each part of it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ablateTiny } from '../../producers/ablation/testing/tiny-ablation.ts';
import { again, recordedRun, run } from '../../producers/recompute/testing/again.ts';
import type { TinyPlace } from '../../producers/run/testing/tiny.ts';
import { completion } from './conclude.ts';

let place: TinyPlace;

beforeAll(async () => {
  place = await recordedRun({ budget: { 'agent-steps': 60 }, validation: 4, trained: 4 });
});

afterAll(() => place.close());

describe('recomputing an ablation', () => {
  const tiny = { runs: [run], depth: 'train', forms: ['failures'], seeds: [1, 2], baselines: ['fixed'] } as const;

  it('finds no fault if its budget differs from that of its run', async () => {
    const budget = { 'agent-steps': 30 };
    await ablateTiny(place, { ...tiny, budget, conclude: completion });
    const { findings, skipped } = await again(place.ledger, { run: null, conclude: completion });
    expect([findings.kept, skipped]).toEqual([[], 0]);
  });

  it('finds no fault if its engineers are programs with different arguments', async () => {
    const code = "process.stdin.on('data', (text) => (asked += text)).on('end', () => console.log(answer()))";
    const answer = 'let asked = ""; const answer = () => JSON.stringify({ configuration: JSON.parse(asked).current });';
    const program = (argument: string) => [process.execPath, '-e', `${answer}${code}`, argument];
    const engineers = [program('one'), program('other')];
    const conclude = completion;
    const { record } = await ablateTiny(place, {
      runs: [run],
      forms: ['failures'],
      engineers,
      baselines: ['fixed'],
      conclude,
    });
    expect(record.completed?.data.unfinished).toEqual([]);
    const { findings, skipped } = await again(place.ledger, { run: null, conclude });
    expect([findings.kept, skipped]).toEqual([[], 0]);
  });

  it('does not compare conclusions that an earlier version worded', async () => {
    const conclude = (...of: Parameters<typeof completion>) => {
      const { version: _, ...completed } = completion(...of);
      return { ...completed, conclusions: ['rules/failures won.'] };
    };
    const { design } = await ablateTiny(place, { ...tiny, seeds: [3], conclude });
    const { findings } = await again(place.ledger, { run: null, conclude: completion });
    expect(findings.kept).toEqual([
      expect.objectContaining({
        kind: 'not-recomputed',
        where: `ablation-${design.ablation}`,
        says: expect.stringContaining('worded by version 1'),
      }),
    ]);
  });

  it('accepts intervals of no width of an earlier version, and no other ones', async () => {
    const withInterval = (high: number) => (of: Parameters<typeof completion>) => {
      const { version: _, ...completed } = completion(...of);
      return { ...completed, contrasts: completed.contrasts.map((one) => ({ ...one, low: 0, high })) };
    };
    const kindsFound = async (seed: number, high: number) => {
      const { design } = await ablateTiny(place, {
        ...{ ...tiny, seeds: [seed] },
        conclude: (...of) => withInterval(high)(of),
      });
      const { findings } = await again(place.ledger, { run: null, conclude: completion });
      const own = findings.kept.filter(({ where }) => where.startsWith(`ablation-${design.ablation}`));
      return own.map(({ kind }) => kind);
    };
    expect(await kindsFound(5, 0)).toEqual(['not-recomputed']);
    expect(await kindsFound(6, 1)).toContain('recomputed-decision');
  });

  it('finds changed figures even if an earlier version recorded them', async () => {
    const conclude = (...of: Parameters<typeof completion>) => {
      const { version: _, ...completed } = completion(...of);
      return { ...completed, results: completed.results.slice(1) };
    };
    await ablateTiny(place, { ...tiny, seeds: [4], conclude });
    const { findings } = await again(place.ledger, { run: null, conclude: completion });
    expect(findings.kept.map(({ kind }) => kind)).toContain('recomputed-decision');
  });
});
