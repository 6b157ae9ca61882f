// Trains the policy on the configuration of a stage. What it leaves is durable before anything names it.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventData } from '../../../../schemas/catalogue.ts';
import type { Checkpoint } from '../../../lab/policies/policy.ts';
import type { Trained, TrainRequest } from '../../../lab/trainers/trainer.ts';
import { external } from '../../trainers/external.ts';
import { occupy } from '../../trainers/occupied.ts';
import { type At, known, stageIn } from '../at.ts';
import { atHand, kept } from '../checkpoints.ts';
import type { Decision } from '../journal.ts';
import { seedOf } from '../seeds.ts';

export async function train(at: At, stage: number): Promise<Decision> {
  const { settings, lab, history, blobs } = at;
  const { started } = stageIn(history, stage);
  const request = await requestOf(at, stage);
  const { from, seed } = request;
  const begun = performance.now();
  const trained = await trainedOn(at, stage, request);
  const seconds = Number(((performance.now() - begun) / 1000).toFixed(3));
  // Of a training elsewhere nobody here knows how long it took.
  const measured = lab.trainer.component.name === external ? {} : { seconds };
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
      configuration: known(started.data.configuration, 'a configuration').digest,
      seed,
      budget: settings.budget,
      ...told(trained, measured),
    },
  };
}

type Request = Omit<TrainRequest, 'signal'>;

/** What a trainer is asked for, in a folder that is there. */
export async function requestOf(at: Omit<At, 'check' | 'signal' | 'tell'>, stage: number): Promise<Request> {
  const { settings, history } = at;
  const configuration = known(stageIn(history, stage).started.data.configuration, 'a configuration');
  const folder = join(at.folder, `stage-${stage}`);
  await mkdir(folder, { recursive: true });
  return {
    configuration: configuration.whole,
    from: await beginningOf(at, stage),
    budget: settings.budget,
    seed: seedOf(settings.seed, 'train', stage),
    folder,
  };
}

async function beginningOf(
  { history, lab, folder, blobs }: Pick<At, 'history' | 'lab' | 'folder' | 'blobs'>,
  stage: number,
): Promise<Checkpoint | null> {
  const before = history.stages.find((one) => one.stage === stage - 1);
  if (before === undefined) return await lab.learner.beginning(join(folder, 'beginning'));
  return await atHand(before.completed?.data.checkpoint ?? null, join(folder, 'checkpoints'), blobs);
}

async function trainedOn(at: At, stage: number, request: Request): Promise<Trained> {
  const { lab, signal, tell } = at;
  const leave = await occupy(request.folder);
  try {
    const training = lab.trainer.train({ ...request, signal });
    for (;;) {
      const next = await training.next();
      if (next.done === true) return next.value;
      await tell({ kind: 'training', stage, progress: next.value });
    }
  } finally {
    await leave();
  }
}

function told(trained: Trained, here: Readonly<Record<string, unknown>>): Partial<EventData['TrainingRecorded']> {
  const { spent, curve, signal, sampled, results, exit, log, measured } = trained;
  return {
    spent,
    curve: [...curve],
    signal: [...signal],
    sampled: [...sampled],
    ...(results === undefined ? {} : { results }),
    ...(exit === undefined ? {} : { exit }),
    ...(log === undefined || log === '' ? {} : { log: { text: log } }),
    measured: { ...measured, ...here },
  };
}
