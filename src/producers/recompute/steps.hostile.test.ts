// Training rollouts with forged updates: recomputing them still terminates.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TinyPlace } from '../run/testing/tiny.ts';
import { again, Copies, recordedRun } from './testing/again.ts';

const copies = new Copies();
let place: TinyPlace;

beforeAll(async () => {
  place = await recordedRun();
}, 60_000);

afterAll(async () => {
  await copies.close();
  await place.close();
});

it.each([3, 1_000_000, Number.MAX_SAFE_INTEGER])(
  'a rollout of update %i after one of update 1 is found at once',
  async (step) => {
    const ledger = await copies.forged(place, ({ type, envelope, revision }, data) => {
      const isLater = type === 'RolloutRecorded' && data.trainingStep === 1 && envelope.stage === 2 && revision >= 8;
      return isLater ? { ...data, trainingStep: step } : data;
    });
    const { findings } = await again(ledger);
    expect(findings.kept.map(({ says }) => says).join('\n')).toContain(
      `TrainingRecorded cites a rollout of update ${step} after one of update 1`,
    );
  },
);
