// What an ablation can detect, given what an earlier one measured.
import { expect, it } from 'vitest';
import { effectFound, unitsNeeded } from '../../lab/statistics/power.ts';
import { AblationRecord } from '../../producers/ablation/record.ts';
import { ablateTiny, designTiny, keptRuns, type TinyAblation } from '../../producers/ablation/testing/tiny-ablation.ts';
import { tinySettings } from '../../producers/run/testing/tiny.ts';
import { completion } from './conclude.ts';
import { planned } from './plan.ts';

const run = 'whole0000000';
const settings = tinySettings({ budget: { 'agent-steps': 60 }, validation: 4, trained: 4 });

it('a plan states the effects that its seeds can detect, in points if an earlier ablation measured the same', async () => {
  const kept = await keptRuns({ run, settings });
  const place = await kept.copy();
  try {
    const tiny = { depth: 'train', forms: ['failures', 'behaviour'], engineers: ['rules', 'base'] } as const;
    const earlier = { ...tiny, seeds: [1, 2, 3], baselines: [], name: 'earlier', conclude: completion };
    const { record } = await ablateTiny(place, { runs: [run], ...earlier });
    const seeds = Array.from({ length: 10 }, (_, i) => i);
    const planOf = async (more: Omit<TinyAblation, 'runs'>) => {
      const design = await designTiny(place, { runs: [run], ...tiny, seeds, ...more });
      const of = {
        ledger: place.ledger,
        design,
        record: new AblationRecord(design.ablation),
        entries: new Map(),
        isDeclared: false,
      };
      return (await planned(of)).seeds;
    };
    const plan = await planOf({ baselines: ['fixed', 'uniform'] });
    // The declared contrast, four others with the reference, and a main effect each of engineers and contexts.
    expect(plan.families.map(({ family, contrasts }) => [family, contrasts])).toEqual([
      ['declared', 1],
      ['main-effects', 2],
      ['others', 4],
    ]);
    expect(plan.families.map(({ compared }) => compared.length)).toEqual([1, 2, 4]);
    expect(plan.families[1]?.compared).toEqual([
      { kind: 'engineer', arm: 'base', reference: 'rules' },
      { kind: 'context', arm: 'behaviour', reference: 'failures' },
    ]);
    for (const { effect, units } of plan.needed) {
      const needed = (contrasts: number) => unitsNeeded({ effect, alpha: 0.05 / contrasts, power: 0.8 });
      expect(units).toEqual([needed(1), needed(2), needed(4)]);
    }
    expect(plan.families[0]?.finds).toBe(effectFound(10, { alpha: 0.05, power: 0.8 }));
    const compared = record.completed?.data.contrasts.filter(
      ({ effect, factor }) => effect !== undefined && factor === undefined,
    );
    expect(plan.deviation?.contrasts ?? 0).toBe(compared?.filter(({ effect }) => effect !== 0).length);
    if (plan.deviation !== null) {
      expect(plan.deviation.ablations).toEqual(['earlier']);
      expect(plan.needed[2]?.difference).toBeCloseTo(plan.deviation.value, 12);
    }
    expect((await planOf({ measure: 'preservation' })).deviation).toBe(null);
    const few = await planOf({ seeds: [1, 2, 3], contrasts: ['engineer', 'rules/behaviour'] });
    expect(few.families[0]).toMatchObject({ family: 'declared', contrasts: 2, finds: null, findsBy: null, least: 7 });
  } finally {
    await place.close();
  }
}, 60_000);

it('a plan states the possible gain from earlier ablations, and warns if its seeds cannot detect it', async () => {
  const kept = await keptRuns({ run, settings });
  const place = await kept.copy();
  try {
    const tiny = { depth: 'train', forms: ['failures'], engineers: ['rules'] } as const;
    const planOf = async (seeds: readonly number[]) => {
      const design = await designTiny(place, { runs: [run], ...tiny, seeds, baselines: ['random'] });
      return await planned({
        ledger: place.ledger,
        design,
        record: new AblationRecord(design.ablation),
        entries: new Map(),
        isDeclared: false,
      });
    };
    const before = await planOf([1, 2, 3, 4, 5, 6, 7]);
    expect(before.seeds.headroom).toBe(null);
    expect(before.notes[0]).toBe(
      'No earlier ablation shows what can be gained here: icecore lab headroom lake measures it.',
    );
    const [few = ''] = (await planOf([1, 2])).notes;
    expect(few).toBe('Nothing can be found: with 2 seeds no difference, however large, is significant.');
    const wide = {
      seeds: [1, 2, 3, 4],
      baselines: ['uniform', 'random', 'schedule'],
      name: 'wide',
      conclude: completion,
    };
    const { record } = await ablateTiny(place, { runs: [run], ...tiny, ...wide });
    const means = (record.completed?.data.results ?? []).flatMap(({ arm, measure, statistic, value }) =>
      measure === 'validation' && statistic === 'mean' && typeof value === 'number' ? [{ arm, value }] : [],
    );
    const most = Math.max(...means.map(({ value }) => value));
    const usual = means.find(({ arm }) => arm === 'uniform')?.value ?? Number.NaN;
    const after = await planOf([1, 2, 3, 4, 5, 6, 7]);
    expect(after.seeds.headroom).toMatchObject({ gain: most - usual, arms: 4, ablation: 'wide' });
    const isHopeless = after.seeds.families.some(({ findsBy }) => findsBy !== null && findsBy > most - usual);
    expect(
      after.notes.some((note) => note.startsWith('Probably nothing can be found: in wide the best of 4 arms')),
    ).toBe(isHopeless);
  } finally {
    await place.close();
  }
}, 60_000);
