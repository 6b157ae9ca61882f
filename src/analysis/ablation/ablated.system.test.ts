// What an ablation whose arms are trained says of engineers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ablateTiny,
  keptRuns,
  type RecordedRuns,
  type TinyAblation,
} from '../../producers/ablation/testing/tiny-ablation.ts';
import { type TinyPlace, tinySettings } from '../../producers/run/testing/tiny.ts';
import { completion } from './conclude.ts';

const run = 'whole0000000';
const small = { budget: { 'agent-steps': 60 }, validation: 4, trained: 4 };
let kept: RecordedRuns;
let place: TinyPlace;

beforeAll(async () => {
  kept = await keptRuns({ run, settings: tinySettings({ stages: 3, ...small }) });
  place = await kept.copy();
}, 60_000);
afterAll(async () => {
  await place.close();
});

async function made(tiny: Omit<TinyAblation, 'runs'> = {}) {
  return await ablateTiny(place, { runs: [run], conclude: completion, ...tiny });
}

describe('an ablation as it is told', () => {
  it('has main effects over the arms that came to their end', async () => {
    const asked = {
      depth: 'train',
      forms: ['failures', 'behaviour', 'training'],
      engineers: ['rules', 'base'],
    } as const;
    const { record } = await made({ ...asked, stages: [1], seeds: [1, 2], baselines: [], contrasts: ['engineer'] });
    const engineers = (unfinished: Parameters<typeof completion>[1]) =>
      completion(record, unfinished).contrasts.find(({ factor }) => factor === 'engineer');
    expect(engineers([])).toMatchObject({ arm: 'base', reference: 'rules', declared: true, units: 2 });
    const end = completion(record, [{ arm: 'base/behaviour', reason: 'it broke' }]);
    expect(end.conclusions[0]).toContain('Main effect of the engineer over 2 contexts.');
    expect(end.contrasts.filter(({ arm }) => arm === 'base/behaviour')).toEqual([]);
    expect(engineers([{ arm: 'base/behaviour', reason: 'it broke' }])).toMatchObject({ units: 2 });
  });
});
