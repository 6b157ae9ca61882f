// The plan of an ablation before and after it has run.
import { expect, it } from 'vitest';
import { AblationRecord } from '../../producers/ablation/record.ts';
import { ablateTiny, keptRuns } from '../../producers/ablation/testing/tiny-ablation.ts';
import { tinySettings } from '../../producers/run/testing/tiny.ts';
import { planned } from './plan.ts';

const run = 'whole0000000';
const settings = tinySettings({ budget: { 'agent-steps': 60 }, validation: 4, trained: 4 });

it('a plan leaves out work that is done, at depths train and run', async () => {
  const kept = await keptRuns({ run, settings });
  const place = await kept.copy();
  try {
    const { design, record } = await ablateTiny(place, { runs: [run], forms: ['v1'], depth: 'train' });
    const none = new AblationRecord(design.ablation);
    const arms = design.arms.length;
    for (const depth of ['train', 'run'] as const) {
      const plan = async (done: AblationRecord) =>
        await planned({
          ledger: place.ledger,
          design: { ...design, depth },
          record: done,
          entries: new Map(),
          isDeclared: false,
        });
      // At depth run, the actual arm needs no training: its run exists.
      const trainings = depth === 'train' ? arms : arms - 1;
      const first = { state: 'new', decisions: arms, done: 0, trainings, evaluations: trainings, repeats: 1 };
      expect(await plan(none)).toMatchObject(first);
      const then = { done: arms, trainings: 0, evaluations: 0, repeats: 0, seconds: null };
      expect(await plan(record)).toMatchObject({ ...first, ...then, state: 'completed' });
    }
  } finally {
    await place.close();
  }
}, 60_000);
