// Programs as environment, trainer and engineer work at every depth, and unreproducible results are reported.
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hasPython } from '../../lab/environments/command/testing/arithmetic.ts';
import { readHistory } from '../history/reading.ts';
import { type TinyPlace, tinySettings } from '../run/testing/tiny.ts';
import { ablateTiny, keptRuns, type RecordedRuns } from './testing/tiny-ablation.ts';

const run = 'reckoning000';
const python = ['python3', '-S'];
const families = {
  addition: { share: 0.5, digits: 2, terms: 2 },
  multiplication: { share: 0.25, digits: 1, terms: 2 },
  chains: { share: 0.25, digits: 1, terms: 3 },
};
const settings = tinySettings({
  environment: [...python, 'examples/arithmetic/environment.py'],
  trainer: [...python, 'examples/arithmetic/trainer.py'],
  policy: 'pupil',
  configuration: { families, negatives: 0 },
  budget: { 'agent-steps': 400 },
  context: 'combined',
  validation: 4,
  trained: 4,
});
const asked = {
  ...{ runs: [run], engineers: [[...python, 'examples/engineers/easier.py']], forms: ['behaviour'] },
  arms: ['easier.py/behaviour', 'actual', 'fixed'],
};
let kept: RecordedRuns;

describe.skipIf(!hasPython)('an ablation of programs', () => {
  beforeAll(async () => {
    kept = await keptRuns({ run, settings });
  }, 60_000);

  async function place(): Promise<TinyPlace> {
    const made = await kept.copy();
    onTestFinished(() => made.close());
    return made;
  }

  it.each(['train', 'run'] as const)(
    'completes at depth %s, and reports which recorded checkpoint was trained again',
    async (depth) => {
      const at = await place();
      const { record, design } = await ablateTiny(at, { ...asked, depth });
      expect(record.completed?.data.unfinished).toEqual([]);
      expect([...record.proposals.values()].map(({ data }) => data.arm)).toContain('easier.py/behaviour');
      const own = record.evaluations.get(JSON.stringify(['easier.py/behaviour', 'seed 1', 2])) ?? [];
      expect(own.map(({ data }) => data.suite.name)).toEqual(['validation']);
      const reproduced = [...record.trainings.values()].flatMap(({ data }) => data.reproduces ?? []);
      const { stages } = await readHistory(at.ledger, run);
      expect(reproduced.map(({ checkpoint }) => checkpoint)).toEqual([stages[1]?.training?.data.checkpoint?.digest]);
      if (depth === 'train') {
        expect(record.trainings.size).toBe(design.arms.length);
        for (const { data } of record.trainings.values()) expect(data.measured).not.toHaveProperty('sharedWith');
      }
    },
    60_000,
  );

  it('reports a different checkpoint of an unreproducible program instead of refusing it', async () => {
    const { record } = await ablateTiny(await place(), {
      ...{ ...asked, arms: ['actual'] },
      depth: 'train',
      histories: (of) => ({
        ...of,
        stages: of.stages.map(({ training, ...one }) => {
          const checkpoint = { reference: 'other', digest: 'f'.repeat(64) };
          if (one.stage !== 2 || training === null) return { ...one, training };
          return { ...one, training: { ...training, data: { ...training.data, checkpoint } } };
        }),
      }),
    });
    const reproduced = [...record.trainings.values()].flatMap(({ data }) => data.reproduces ?? []);
    expect(reproduced).toEqual([{ checkpoint: 'f'.repeat(64), equal: false }]);
    expect(record.completed?.data.unfinished).toEqual([]);
  }, 60_000);
});
