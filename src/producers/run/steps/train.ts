// Trains the policy on the configuration of a stage. What it leaves is durable before anything names it.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventData } from '../../../../schemas/catalogue.ts';
import type { Checkpoint } from '../../../lab/policies/policy.ts';
import type { Trained } from '../../../lab/trainers/trainer.ts';
import { occupy } from '../../trainers/occupied.ts';
import { type At, known, stageIn } from '../at.ts';
import { atHand, kept } from '../checkpoints.ts';
import type { Decision } from '../journal.ts';
import { seedOf } from '../seeds.ts';

export async function train(at: At, stage: number): Promise<Decision> {
  const { settings, lab, history, blobs } = at;
  const { started } = stageIn(history, stage);
  const configuration = known(started.data.configuration, 'a configuration');
  const seed = seedOf(settings.seed, 'train', stage);
  const from = await beginningOf(at, stage);
  const begun = performance.now();
  const trained = await trainedOn(at, stage, { configuration: configuration.whole, seed, from });
  const seconds = Number(((performance.now() - begun) / 1000).toFixed(3));
  return {
    type: 'TrainingRecorded',
    stage,
    index: 0,
    actor: 'producer/training',
    causes: [{ event: started.id }],
    data: {
      trainer: lab.trainer.component,
      policy: lab.learner.component,
      from: from === null ? null : await kept(from, null, blobs),
      checkpoint: trained.checkpoint === null ? null : await kept(trained.checkpoint, stage, blobs),
      configuration: configuration.digest,
      seed,
      budget: settings.budget,
      ...told(trained, seconds),
    },
  };
}

async function beginningOf({ history, lab, folder, blobs }: At, stage: number): Promise<Checkpoint | null> {
  const before = history.stages.find((one) => one.stage === stage - 1);
  if (before === undefined) return await lab.learner.beginning(join(folder, 'beginning'));
  return await atHand(before.completed?.data.checkpoint ?? null, join(folder, 'checkpoints'), blobs);
}

interface Given {
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly seed: string;
  readonly from: Checkpoint | null;
}

async function trainedOn(at: At, stage: number, given: Given): Promise<Trained> {
  const { settings, lab, signal, tell } = at;
  const folder = join(at.folder, `stage-${stage}`);
  await mkdir(folder, { recursive: true });
  const leave = await occupy(folder);
  try {
    const training = lab.trainer.train({ ...given, budget: settings.budget, folder, signal });
    for (;;) {
      const next = await training.next();
      if (next.done === true) return next.value;
      await tell({ kind: 'training', stage, progress: next.value });
    }
  } finally {
    await leave();
  }
}

function told(trained: Trained, seconds: number): Partial<EventData['TrainingRecorded']> {
  const { spent, curve, signal, sampled, results, exit, log, measured } = trained;
  return {
    spent,
    curve: [...curve],
    signal: [...signal],
    sampled: [...sampled],
    ...(results === undefined ? {} : { results }),
    ...(exit === undefined ? {} : { exit }),
    ...(log === undefined || log === '' ? {} : { log: { text: log } }),
    measured: { ...measured, seconds },
  };
}
