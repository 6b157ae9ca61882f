// The rollouts of a training on a real ledger: the same after any interruption, and nothing twice.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import type { TrainingRollout } from '../../lab/trainers/trainer.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { trainingPart } from './parts.ts';
import { Reports } from './reported.ts';
import { openTrainingEvidence, RolloutsMissing, type TrainingEvidence, type TrainingProvenance } from './training.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-recorded-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function newLedger(): Promise<Ledger> {
  const ledger = await openLedger(`sqlite:${join(temporaryFolder(), 'ledger.db')}`, { create: true });
  onTestFinished(() => ledger.close());
  return ledger;
}

const provenance = (isReproducible: boolean): TrainingProvenance => ({
  part: trainingPart,
  run: 'a-run',
  stage: 1,
  actor: 'producer/rollouts',
  isReproducible,
});
const common = { environment: 'lake', split: 'train', policy: 'neural' } as const;
const free = async (): Promise<void> => {};
const unreported = new Reports({ fencingToken: 1, check: free, finishedAt: async () => [], write: free });
const stream = (attempt: number): string => streamOf.evidence('a-run', 1, 'training', attempt);
const open = (ledger: Ledger, isReproducible: boolean): Promise<TrainingEvidence> =>
  openTrainingEvidence({ ledger, check: free, reports: unreported }, provenance(isReproducible));

const some = (word: string, count: number): TrainingRollout[] =>
  Array.from({ length: count }, (_, i) => ({ ...common, outcome: word, success: i % 2 === 0, sample: i }));

describe('training rollouts of an unreproducible trainer', () => {
  it('have one attempt per start, each counted up to the next saved state', async () => {
    const ledger = await newLedger();
    const first = await open(ledger, false);
    await first.record(0, some('a', 5));
    await first.record(5, some('b', 5));
    const second = await open(ledger, false);
    await second.record(7, some('c', 4));
    const third = await open(ledger, false);
    await third.record(3, some('d', 2));
    expect((await third.sealed(5)).map(({ stream, count }) => [stream, count])).toEqual([
      [stream(0), 3],
      [stream(2), 2],
    ]);
    expect((await second.sealed(11)).map(({ stream, count }) => [stream, count])).toEqual([
      [stream(0), 7],
      [stream(1), 4],
    ]);
  });

  it('are an error if some before a saved state are missing', async () => {
    const ledger = await newLedger();
    const evidence = await open(ledger, false);
    await expect(evidence.record(3, some('a', 2))).rejects.toThrow(RolloutsMissing);
    await evidence.record(0, some('a', 2));
    await expect(evidence.sealed(3)).rejects.toThrow(RolloutsMissing);
    expect(await evidence.sealed(0)).toEqual([]);
  });
});

it('rollouts that differ from recorded ones start another attempt', async () => {
  const ledger = await newLedger();
  const before = await open(ledger, true);
  await before.record(0, some('a', 4));
  const after = await open(ledger, true);
  await after.record(0, some('a', 2));
  await after.record(2, some('b', 3));
  expect((await after.sealed(5)).map(({ stream, count }) => [stream, count])).toEqual([
    [stream(0), 2],
    [stream(1), 3],
  ]);
});
