// Conclusions about engineers from an ablation whose arms are trained.
import { describe, expect, it } from 'vitest';
import { completion } from './conclude.ts';
import { ablatingTinyRun } from './testing/tiny-history.ts';

const made = ablatingTinyRun();

describe('an ablation', () => {
  it('has main effects over the arms that finished', async () => {
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
