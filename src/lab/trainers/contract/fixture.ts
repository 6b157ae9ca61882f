// What a trainer supplies to be held to the contract.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Budget, Point, Progress, Trained, Trainer, TrainRequest } from '../trainer.ts';

export interface Fixture {
  /** A new trainer: nothing is shared with one that was opened before. */
  open(): Promise<Trainer>;
  /** Something to train that takes about a second, with several points, and saves at least once before it is over. */
  readonly request: Pick<TrainRequest, 'configuration' | 'budget' | 'seed'>;
  /** By unit of the budget: the most that the last update may take beyond it. */
  readonly overshoot: Budget;
}

export interface Bench extends Omit<Fixture, 'open'> {
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

/** Reads until the first of a kind was told; what was read. */
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

/** What is told until it breaks for the reason. */
export async function toldUntil(
  reason: string,
  training: AsyncGenerator<Progress, Trained, undefined>,
): Promise<Progress[]> {
  const progress: Progress[] = [];
  const reading = async (): Promise<void> => {
    for await (const told of training) progress.push(told);
  };
  await expect(reading()).rejects.toThrow(reason);
  return progress;
}

export function pointsIn(progress: readonly Progress[]): Point[] {
  return progress.flatMap((told) => (told.kind === 'point' ? [told.point] : []));
}

/** What training leads to on every machine, wherever its folder is. */
export function lasting({ measured, checkpoint, log, ...trained }: Trained): object {
  return { ...trained, checkpoint: checkpoint?.digest ?? null };
}

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-training-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
