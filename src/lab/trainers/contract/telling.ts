// The contract: what a trainer tells of itself and of a training, and that events can hold it.
import { describe, expect, it } from 'vitest';
import { issuesOf } from '../../policies/contract/events.ts';
import type { Point, Trained, Trainer } from '../trainer.ts';
import { type Bench, followed, lasting, newFolder, pointsIn } from './fixture.ts';

export function telling(bench: Bench): void {
  describe('training', () => {
    const train = async (trainer: Trainer, change = {}) =>
      await followed(trainer.train({ ...bench.request, from: null, folder: newFolder(), ...change }));

    it('takes its budget and at most an update more', async () => {
      const { spent } = (await train(await bench.trainer())).trained;
      for (const [unit, given] of Object.entries(bench.request.budget)) {
        expect(spent[unit]).toBeGreaterThanOrEqual(given);
        expect(spent[unit]).toBeLessThanOrEqual(given + (bench.overshoot[unit] ?? 0));
      }
    });

    it('tells of its points as they come, each later than the one before and none cheaper', async () => {
      const { progress, trained } = await train(await bench.trainer());
      const points = pointsIn(progress);
      expect(trained.curve).toEqual(points);
      expect(points.length).toBeGreaterThan(1);
      for (const [i, point] of points.entries()) if (i > 0) expectLater(point, points[i - 1] as Point);
      for (const [unit, amount] of Object.entries(points.at(-1)?.spent ?? {}))
        expect(amount).toBeLessThanOrEqual(trained.spent[unit] ?? 0);
    });

    it('saves what can be gone on from before it is over, and leaves a checkpoint', async () => {
      const { progress, trained } = await train(await bench.trainer());
      expect(progress.map(({ kind }) => kind)).toContain('saved');
      expect(trained.checkpoint).not.toBe(null);
    });

    it('becomes the event of a training', async () => {
      const trainer = await bench.trainer();
      const { progress, trained } = await train(trainer);
      expect(issuesOf('TrainingRecorded', recorded(trainer, trained))).toEqual([]);
      for (const told of progress) {
        if (told.kind === 'saved') expect(issuesOf('TrainingRecorded', { checkpoint: told.checkpoint })).toEqual([]);
      }
    });

    it('goes on from a checkpoint of another training', async () => {
      const trainer = await bench.trainer();
      const { checkpoint } = (await train(trainer)).trained;
      const further = (await train(trainer, { from: checkpoint })).trained;
      expect(further.checkpoint).not.toBe(null);
      expect(further.checkpoint?.digest).not.toBe(checkpoint?.digest);
    });

    it('leads to the same on every machine, and with another seed elsewhere, where the trainer says so', async () => {
      const trainer = await bench.trainer();
      if (!trainer.isReproducible) return;
      const once = (await train(trainer)).trained;
      expect(lasting((await train(await bench.trainer())).trained)).toEqual(lasting(once));
      const other = (await train(trainer, { seed: `${bench.request.seed} no more` })).trained;
      expect(other.checkpoint?.digest).not.toBe(once.checkpoint?.digest);
    });
  });
}

function expectLater(point: Point, before: Point): void {
  expect(point.step).toBeGreaterThan(before.step);
  for (const [unit, amount] of Object.entries(before.spent ?? {}))
    expect(point.spent?.[unit] ?? 0).toBeGreaterThanOrEqual(amount);
}

/** The data of TrainingRecorded, as far as the trainer has it. */
function recorded({ component }: Trainer, { log, signal: learningSignal, ...trained }: Trained): object {
  return { trainer: component, ...trained, learningSignal, ...(log === undefined ? {} : { log: { text: log } }) };
}
