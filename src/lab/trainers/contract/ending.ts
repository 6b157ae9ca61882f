// The contract: stopping in the middle, and closing.
import { describe, expect, it } from 'vitest';
import { TrainerClosed, type TrainRequest } from '../trainer.ts';
import { type Bench, followed, newFolder, until } from './fixture.ts';

export function ending(bench: Bench): void {
  const request = (): TrainRequest => ({ ...bench.request, from: null, folder: newFolder() });

  describe('stopping', () => {
    it('what is aborted throws the reason, before it begins or in the middle', async () => {
      const trainer = await bench.trainer();
      const reason = new Error('stopped by a person');
      const before = trainer.train({ ...request(), signal: AbortSignal.abort(reason) });
      await expect(before.next()).rejects.toBe(reason);
      const stop = new AbortController();
      const training = trainer.train({ ...request(), signal: stop.signal });
      await until('point', training);
      stop.abort(reason);
      await expect(followed(training)).rejects.toBe(reason);
      expect((await training.next()).done).toBe(true);
    });

    it('what is aborted while a point is waited for throws the reason', async () => {
      const reason = new Error('stopped by a person');
      const stop = new AbortController();
      const training = (await bench.trainer()).train({ ...request(), signal: stop.signal });
      await until('point', training);
      const rest = followed(training);
      stop.abort(reason);
      await expect(rest).rejects.toBe(reason);
    });

    it('leaves the trainer as it was', async () => {
      const trainer = await bench.trainer();
      for await (const told of trainer.train(request())) if (told.kind === 'point') break;
      expect((await followed(trainer.train(request()))).trained.checkpoint).not.toBe(null);
    });
  });

  describe('closing', () => {
    it('ends what is under way, refuses what comes later, and may be done twice', async () => {
      const trainer = await bench.trainer();
      const training = trainer.train(request());
      await until('point', training);
      await Promise.all([trainer.close(), trainer.close()]);
      await trainer.close();
      await expect(followed(training)).rejects.toThrow(TrainerClosed);
      await expect(trainer.train(request()).next()).rejects.toThrow(TrainerClosed);
    });
  });
}
