// The contract: what was stopped is gone on with, in the same folder with the same request.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Progress, TrainRequest } from '../trainer.ts';
import { type Bench, type Followed, followed, lasting, newFolder, pointsIn, toldUntil, until } from './fixture.ts';

export function resuming(bench: Bench): void {
  describe('going on', () => {
    const requestIn = (folder: string): TrainRequest => ({ ...bench.request, from: null, folder });
    const whole = async (): Promise<Followed> => followed((await bench.trainer()).train(requestIn(newFolder())));

    it.each(['aborted', 'left'])('training that was %s after it saved is as if it never had been', async (how) => {
      const folder = newFolder();
      const stop = new AbortController();
      const training = (await bench.trainer()).train({ ...requestIn(folder), signal: stop.signal });
      const before = await until('saved', training);
      if (how === 'left') await training.return(undefined as never);
      stop.abort(new Error('stopped by a person'));
      if (how === 'aborted') before.push(...(await toldUntil('stopped by a person', training)));
      expectThere(before);
      const trainer = await bench.trainer();
      const { progress, trained } = await followed(trainer.train(requestIn(folder)));
      const uninterrupted = (await whole()).trained;
      expect(trained.curve.map(({ step }) => step)).toEqual(uninterrupted.curve.map(({ step }) => step));
      const told = pointsIn(before);
      const anew = pointsIn(progress);
      expect(trained.curve.slice(0, told.length)).toEqual(told);
      expect(trained.curve.slice(trained.curve.length - anew.length)).toEqual(anew);
      expect(anew.length).toBeLessThan(trained.curve.length);
      if (trainer.isReproducible) expect(lasting(trained)).toEqual(lasting(uninterrupted));
    });

    it('training that was stopped before it saved begins anew', async () => {
      const folder = newFolder();
      const stop = new AbortController();
      const training = (await bench.trainer()).train({ ...requestIn(folder), signal: stop.signal });
      const first = training.next();
      stop.abort(new Error('stopped by a person'));
      await expect(first).rejects.toThrow('stopped by a person');
      const { trained } = await followed((await bench.trainer()).train(requestIn(folder)));
      const uninterrupted = (await whole()).trained;
      expect(trained.curve.map(({ step }) => step)).toEqual(uninterrupted.curve.map(({ step }) => step));
    });

    it('training that came to its end has the same result again', async () => {
      const folder = newFolder();
      const { trained } = await followed((await bench.trainer()).train(requestIn(folder)));
      const again = (await followed((await bench.trainer()).train(requestIn(folder)))).trained;
      expect(lasting(again)).toEqual(lasting(trained));
    });

    it('what another request left in the folder is refused or begun anew, and never gone on from', async () => {
      const folder = newFolder();
      const trainer = await bench.trainer();
      await followed(trainer.train(requestIn(folder)));
      const other = { ...requestIn(folder), seed: `${bench.request.seed} no more` };
      const again = await followed(trainer.train(other)).catch((error: Error) => error);
      if (again instanceof Error) {
        expect(again).toMatchObject({ kind: 'conflict', message: expect.stringContaining(folder) });
        return;
      }
      const elsewhere = await followed(trainer.train({ ...other, folder: newFolder() }));
      expect(pointsIn(again.progress).map(({ step }) => step)).toEqual(
        pointsIn(elsewhere.progress).map(({ step }) => step),
      );
      if (trainer.isReproducible) expect(lasting(again.trained)).toEqual(lasting(elsewhere.trained));
    });
  });
}

/** The last that was told to be saved can be gone on from, where it is a file. */
function expectThere(told: readonly Progress[]): void {
  const saved = told.flatMap((one) => (one.kind === 'saved' ? [one.checkpoint] : [])).at(-1);
  if (saved?.digest === undefined) throw new Error('nothing was saved');
  expect(hash('sha256', readFileSync(saved.reference))).toBe(saved.digest);
}
