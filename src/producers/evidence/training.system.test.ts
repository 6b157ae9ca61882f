// The rollouts of a training on a real ledger are the same after any interruption.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { EventData } from '../../../schemas/catalogue.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { openGrpo } from '../../../testbed/grpo/grpo.ts';
import { configured } from '../../../testbed/grpo/testing/configured.ts';
import type { Trained, Trainer } from '../../lab/trainers/trainer.ts';
import { collect } from '../../ledger/contract/fixture.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { trainingPart } from './parts.ts';
import { Reports } from './reported.ts';
import { openTrainingEvidence, type TrainingEvidence, type TrainingProvenance } from './training.ts';

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

const idsOf = async (ledger: Ledger, attempt: number): Promise<readonly string[]> =>
  (await collect(ledger.read(stream(attempt)))).map(({ id }) => id);

describe('training rollouts of a reproducible trainer', () => {
  let trainer: Trainer;
  const knobs = { data: 0.5, hole: 0.1, wait: 0 };
  const settings = { groups: 4, samples: 4, saveEvery: 3 };
  const request = {
    configuration: configured({ 3: knobs, 4: knobs }),
    from: null,
    budget: { 'agent-steps': 4000 },
    seed: '7',
  } as const;

  beforeAll(() => {
    trainer = openGrpo({ settings, threads: 1 });
  });
  afterAll(() => trainer.close());

  /** Stops after a number of lists; the last of them is recorded or not, as when a process is killed. */
  async function train(
    ledger: Ledger,
    folder: string,
    lists: number,
    isLastRecorded: boolean,
  ): Promise<Trained | null> {
    const evidence = await open(ledger, true);
    const training = trainer.train({ ...request, folder, rollouts: common });
    for (let list = 0; ; ) {
      const next = await training.next();
      if (next.done === true) return next.value;
      const progress = next.value;
      if (progress.kind !== 'rollouts') continue;
      list += 1;
      if (list < lists || isLastRecorded) await evidence.record(progress.from, progress.rollouts);
      if (list < lists) continue;
      await training.return(undefined as never);
      return null;
    }
  }

  it('are the same after any interruption, in one attempt', async () => {
    const unstopped = await newLedger();
    const whole = await train(unstopped, temporaryFolder(), Number.POSITIVE_INFINITY, true);
    const expected = await (await open(unstopped, true)).sealed(whole?.rollouts ?? 0);
    const stopped = await newLedger();
    const folder = temporaryFolder();
    let trained: Trained | null = null;
    for (let stop = 0; trained === null; stop++) {
      trained = await train(stopped, folder, stop < 6 ? 1 + (stop % 3) : Number.POSITIVE_INFINITY, stop % 2 === 0);
    }
    expect(trained.checkpoint?.digest).toBe(whole?.checkpoint?.digest);
    expect(trained.rollouts).toBe(whole?.rollouts);
    expect(await idsOf(stopped, 0)).toEqual(await idsOf(unstopped, 0));
    expect(await idsOf(stopped, 1)).toEqual([]);
    const sealed = await (await open(stopped, true)).sealed(trained.rollouts ?? 0);
    expect(sealed.map(({ stream, count }) => [stream, count])).toEqual([[stream(0), expected[0]?.count]]);
  }, 60_000);

  it('add up to the curve, the learning signal and the spending of the training', async () => {
    const ledger = await newLedger();
    const trained = await train(ledger, temporaryFolder(), Number.POSITIVE_INFINITY, true);
    const rollouts = (await collect(ledger.read(stream(0)))).map(
      ({ envelope }) => envelope.data as EventData['RolloutRecorded'],
    );
    const overAll = trained?.signal.find(({ family }) => family === null);
    expect(rollouts).toHaveLength((overAll?.sampleGroups ?? 0) * settings.samples);
    expect(rollouts.reduce((sum, { agentSteps = 0 }) => sum + agentSteps, 0)).toBe(trained?.spent['agent-steps']);
    const last = trained?.curve.at(-1);
    const before = trained?.curve.at(-2)?.step ?? 0;
    const lately = rollouts.filter(({ trainingStep: step = 0 }) => step > before);
    expect(lately.filter(({ success }) => success).length / lately.length).toBe(last?.values['valid']);
  }, 60_000);
});
