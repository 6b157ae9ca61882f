// The contract that every trainer must satisfy. A fixture provides how to open the trainer, and a small training.

import { hash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { issuesOf } from '../../policies/contract/policy-contract.ts';
import {
  type Budget,
  type Point,
  type Progress,
  type Trained,
  type Trainer,
  TrainerClosed,
  type TrainRequest,
} from '../trainer.ts';

export function trainerContract(name: string, { open, ...fixture }: Fixture): void {
  describe(`the trainer contract: ${name}`, () => {
    const bench: Bench = {
      ...fixture,
      trainer: async () => {
        const trainer = await open();
        onTestFinished(() => trainer.close());
        return trainer;
      },
    };
    for (const part of [telling, resuming, ending]) part(bench);
  });
}

// What the fixture of a trainer provides.

export interface Fixture {
  /** A new trainer that shares nothing with earlier ones. */
  open(): Promise<Trainer>;
  /** A training of about a second, with several points and at least one save before its end. */
  readonly request: Pick<TrainRequest, 'configuration' | 'budget' | 'seed'>;
  /** By unit of the budget: the maximum excess of the last update. */
  readonly overshoot: Budget;
}

interface Bench extends Omit<Fixture, 'open'> {
  /** A new trainer, closed after the test. */
  trainer(): Promise<Trainer>;
}

export interface Followed {
  readonly progress: readonly Progress[];
  readonly trained: Trained;
}

/** Trains to the end. */
export async function followed(training: AsyncGenerator<Progress, Trained, undefined>): Promise<Followed> {
  const progress: Progress[] = [];
  for (;;) {
    const next = await training.next();
    if (next.done === true) return { progress, trained: next.value };
    progress.push(next.value);
  }
}

/** Reads until the first progress of a kind; returns what was read. */
export async function until(
  kind: Progress['kind'],
  training: AsyncGenerator<Progress, Trained, undefined>,
): Promise<Progress[]> {
  const progress: Progress[] = [];
  while (progress.at(-1)?.kind !== kind) {
    const next = await training.next();
    if (next.done === true) throw new Error(`training was over before there was a ${kind}`);
    progress.push(next.value);
  }
  return progress;
}

/** The progress until it fails with the reason. */
async function progressUntil(
  reason: string,
  training: AsyncGenerator<Progress, Trained, undefined>,
): Promise<Progress[]> {
  const progress: Progress[] = [];
  const reading = async (): Promise<void> => {
    for await (const next of training) progress.push(next);
  };
  await expect(reading()).rejects.toThrow(reason);
  return progress;
}

export function pointsIn(progress: readonly Progress[]): Point[] {
  return progress.flatMap((next) => (next.kind === 'point' ? [next.point] : []));
}

/** The result, which must be the same on every machine and in any folder. */
function lasting({ measured, checkpoint, log, ...trained }: Trained): object {
  return { ...trained, checkpoint: checkpoint?.digest ?? null };
}

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-training-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

// The contract: the trainer's description and results can be recorded in events.

function telling(bench: Bench): void {
  describe('training', () => {
    const train = async (trainer: Trainer, change = {}) =>
      await followed(trainer.train({ ...bench.request, from: null, folder: newFolder(), ...change }));

    it('spends its budget, exceeding it by at most one update', async () => {
      const { spent } = (await train(await bench.trainer())).trained;
      for (const [unit, given] of Object.entries(bench.request.budget)) {
        expect(spent[unit]).toBeGreaterThanOrEqual(given);
        expect(spent[unit]).toBeLessThanOrEqual(given + (bench.overshoot[unit] ?? 0));
      }
    });

    it('reports points as they come, with increasing steps and non-decreasing spending', async () => {
      const { progress, trained } = await train(await bench.trainer());
      const points = pointsIn(progress);
      expect(trained.curve).toEqual(points);
      expect(points.length).toBeGreaterThan(1);
      for (const [i, point] of points.entries()) if (i > 0) expectLater(point, points[i - 1] as Point);
      for (const [unit, amount] of Object.entries(points.at(-1)?.spent ?? {}))
        expect(amount).toBeLessThanOrEqual(trained.spent[unit] ?? 0);
    });

    it('saves a resumable state before its end, and leaves a checkpoint', async () => {
      const { progress, trained } = await train(await bench.trainer());
      expect(progress.map(({ kind }) => kind)).toContain('saved');
      expect(trained.checkpoint).not.toBe(null);
    });

    it('can be recorded as a training event', async () => {
      const trainer = await bench.trainer();
      const { progress, trained } = await train(trainer);
      expect(issuesOf('TrainingRecorded', recorded(trainer, trained))).toEqual([]);
      for (const next of progress) {
        if (next.kind === 'saved') expect(issuesOf('TrainingRecorded', { checkpoint: next.checkpoint })).toEqual([]);
      }
    });

    it('continues from a checkpoint of another training', async () => {
      const trainer = await bench.trainer();
      const { checkpoint } = (await train(trainer)).trained;
      const further = (await train(trainer, { from: checkpoint })).trained;
      expect(further.checkpoint).not.toBe(null);
      expect(further.checkpoint?.digest).not.toBe(checkpoint?.digest);
    });

    it('is reproducible on every machine, and differs with another seed, if the trainer declares it', async () => {
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

/** The data of TrainingRecorded, as far as the trainer provides it. */
function recorded({ component }: Trainer, { log, signal: learningSignal, ...trained }: Trained): object {
  return { trainer: component, ...trained, learningSignal, ...(log === undefined ? {} : { log: { text: log } }) };
}

// The contract: an interrupted training resumes in the same folder with the same request.

function resuming(bench: Bench): void {
  describe('resuming', () => {
    const requestIn = (folder: string): TrainRequest => ({ ...bench.request, from: null, folder });
    const whole = async (): Promise<Followed> => followed((await bench.trainer()).train(requestIn(newFolder())));

    it.each(['aborted', 'left'])(
      'a training that was %s after a save gives the curve of an uninterrupted one',
      async (how) => {
        const folder = newFolder();
        const stop = new AbortController();
        const training = (await bench.trainer()).train({ ...requestIn(folder), signal: stop.signal });
        const before = await until('saved', training);
        if (how === 'left') await training.return(undefined as never);
        stop.abort(new Error('stopped by a person'));
        if (how === 'aborted') before.push(...(await progressUntil('stopped by a person', training)));
        expectThere(before);
        const trainer = await bench.trainer();
        const { progress, trained } = await followed(trainer.train(requestIn(folder)));
        const uninterrupted = (await whole()).trained;
        expect(trained.curve.map(({ step }) => step)).toEqual(uninterrupted.curve.map(({ step }) => step));
        const points = pointsIn(before);
        const resumedPoints = pointsIn(progress);
        expect(trained.curve.slice(0, points.length)).toEqual(points);
        expect(trained.curve.slice(trained.curve.length - resumedPoints.length)).toEqual(resumedPoints);
        expect(resumedPoints.length).toBeLessThan(trained.curve.length);
        if (trainer.isReproducible) expect(lasting(trained)).toEqual(lasting(uninterrupted));
      },
    );

    it('an interrupted training without a save starts again', async () => {
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

    it('a complete training has the same result again', async () => {
      const folder = newFolder();
      const { trained } = await followed((await bench.trainer()).train(requestIn(folder)));
      const again = (await followed((await bench.trainer()).train(requestIn(folder)))).trained;
      expect(lasting(again)).toEqual(lasting(trained));
    });

    it('files of another request are refused or replaced, and never used', async () => {
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

/** The last reported save is usable if it is a file. */
function expectThere(progress: readonly Progress[]): void {
  const saved = progress.flatMap((one) => (one.kind === 'saved' ? [one.checkpoint] : [])).at(-1);
  if (saved?.digest === undefined) throw new Error('nothing was saved');
  expect(hash('sha256', readFileSync(saved.reference))).toBe(saved.digest);
}

// The contract: aborting and closing.

function ending(bench: Bench): void {
  const request = (): TrainRequest => ({ ...bench.request, from: null, folder: newFolder() });

  describe('stopping', () => {
    it('an aborted training throws the reason, before it starts or in the middle', async () => {
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

    it('a training aborted while it waits for a point throws the reason', async () => {
      const reason = new Error('stopped by a person');
      const stop = new AbortController();
      const training = (await bench.trainer()).train({ ...request(), signal: stop.signal });
      await until('point', training);
      const rest = followed(training);
      stop.abort(reason);
      await expect(rest).rejects.toBe(reason);
    });

    it('leaves the trainer intact', async () => {
      const trainer = await bench.trainer();
      for await (const next of trainer.train(request())) if (next.kind === 'point') break;
      expect((await followed(trainer.train(request()))).trained.checkpoint).not.toBe(null);
    });
  });

  describe('closing', () => {
    it('close ends trainings in progress, refuses later ones, and is idempotent', async () => {
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
