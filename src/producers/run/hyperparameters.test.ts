// The hyper-parameters of the built-in trainer: settings of a run, recorded with it and with each of its trainings.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunSettings } from '../../../schemas/run-file.ts';
import { readHistory } from '../history/reading.ts';
import { runTiny, type TinyPlace, tinyPlace, tinySettings } from './testing/tiny.ts';

let place: TinyPlace;
beforeAll(async () => {
  place = await tinyPlace();
});
afterAll(() => place.close());

async function recorded(run: string, trainer: RunSettings['trainer']) {
  await runTiny(place, { run, settings: tinySettings({ stages: 1, trainer }) });
  const { started, stages } = await readHistory(place.ledger, run);
  const [stage] = stages;
  return {
    options: started?.data.options?.['trainer'],
    ofRun: started?.data.trainer?.parameters,
    ofTraining: stage?.training?.data.trainer?.parameters,
    checkpoint: stage?.training?.data.checkpoint?.digest,
  };
}

it('hyper-parameters of the trainer are recorded and affect the result', async () => {
  const trainer = { name: 'grpo', learningRate: 0.02, groups: 12 } as const;
  const own = await recorded('own', trainer);
  const all = { learningRate: 0.02, groups: 12, samples: 8, bonus: 0.35 };
  expect(own).toMatchObject({ options: trainer, ofRun: all, ofTraining: all });
  const usual = await recorded('usual', 'grpo');
  expect(usual).toMatchObject({ options: 'grpo', ofTraining: { learningRate: 0.005, groups: 24 } });
  expect((await recorded('same', { name: 'grpo', groups: 24 })).checkpoint).toBe(usual.checkpoint);
  expect(own.checkpoint).not.toBe(usual.checkpoint);
});
