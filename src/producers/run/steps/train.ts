// Trains the policy on the configuration of a stage, and records its rollouts as they come. The resulting checkpoint is
// stored before any event names it, and is tested before anything depends on it.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventData } from '../../../../schemas/catalogue.ts';
import type { Cause } from '../../../../schemas/envelope.ts';
import { IcecoreError } from '../../../../schemas/errors.ts';
import { wideInteger } from '../../../../schemas/primitives.ts';
import { commandIn, external, nameIn } from '../../../../schemas/run-file.ts';
import { traced } from '../../../base/tracing.ts';
import type { Task } from '../../../lab/environments/environment.ts';
import { suspectOf } from '../../../lab/policies/playing.ts';
import type { Checkpoint } from '../../../lab/policies/policy.ts';
import { nameOf } from '../../../lab/programs/program.ts';
import { hyperparametersIn, withoutHyperparameters } from '../../../lab/trainers/knobs.ts';
import type { RolloutsInCommon, Trained, TrainRequest } from '../../../lab/trainers/trainer.ts';
import { ownerOf, rolloutActor, trainingPart } from '../../evidence/parts.ts';
import { openTrainingEvidence, type TrainingEvidence } from '../../evidence/training.ts';
import { stageAt } from '../../history/run-history.ts';
import { occupy } from '../../trainers/folder.ts';
import { isRegistered, trainerInForce } from '../../trainers/trainers.ts';
import type { Decision } from '../journal.ts';
import { readableCheckpoint, recordedCheckpoint } from '../learner.ts';
import { seedOf } from '../pools.ts';
import { required, type StepInput, stageIn } from '../session.ts';
import type { RunFacts } from './bounds.ts';
import { recordingOf } from './evaluate.ts';

/** Throws UnusableCheckpoint if the trainer's checkpoint is unusable, and faults of the trainer and the environment. */
export async function train(
  at: StepInput,
  stage: number,
  { code, programs = async () => ({}) }: Pick<RunFacts, 'code' | 'programs'>,
): Promise<Decision> {
  const { settings, lab, history, blobs } = at;
  const { started } = stageIn(history, stage);
  const configuration = required(started.data.configuration, 'a configuration');
  const request = await requestOf(at, stage);
  const { from, seed } = request;
  const files = await programs();
  const begun = performance.now();
  const { trained, rollouts } = await traced('icecore.training', tracedAs(at, stage), () =>
    trainedOn(at, stage, request),
  );
  const seconds = Number(((performance.now() - begun) / 1000).toFixed(3));
  await requirePlayable(at, trained.checkpoint, { ...request, configuration: configuration.whole });
  // An external training has no known duration. The code version and the programs may differ from those at the start of the run.
  const measured = {
    ...(lab.trainer.component.name === external ? {} : { seconds }),
    ...(code === undefined ? {} : { code }),
    ...(Object.keys(files).length === 0 ? {} : { programs: files }),
  };
  return {
    type: 'TrainingRecorded',
    stage,
    index: 0,
    actor: 'producer/training',
    causes: [{ event: started.id }, ...rollouts],
    data: {
      trainer: trainerInForce(lab.trainer.component, configuration.whole, lab.trainerKnobs),
      policy: lab.learner.component,
      from: from === null ? null : await recordedCheckpoint(from, null, blobs),
      checkpoint: trained.checkpoint === null ? null : await recordedCheckpoint(trained.checkpoint, stage, blobs),
      configuration: configuration.digest,
      seed,
      budget: settings.budget,
      ...reportedFields(trained, measured),
    },
  };
}

function tracedAs({ history, lab }: StepInput, stage: number): Readonly<Record<string, string | number>> {
  const { name } = lab.trainer.component;
  return { 'icecore.run': history.run, 'icecore.stage': stage, 'icecore.trainer': name };
}

type Request = Omit<TrainRequest, 'signal'>;

/** The trainer's request, with an existing folder. */
export async function requestOf(
  at: Omit<StepInput, 'check' | 'reports' | 'signal' | 'tell'>,
  stage: number,
): Promise<Request> {
  const { settings, history, lab } = at;
  const configuration = required(stageIn(history, stage).started.data.configuration, 'a configuration');
  const folder = join(at.folder, `stage-${stage}`);
  await mkdir(folder, { recursive: true });
  const { trainerKnobs: knobs } = lab;
  const { families, outcomes } = lab.environment.descriptor;
  const hyperparameters = hyperparametersIn(configuration.whole, knobs);
  return {
    configuration: knobs.length === 0 ? configuration.whole : withoutHyperparameters(configuration.whole),
    families: families.map(({ family }) => family),
    ...(outcomes === undefined ? {} : { outcomes: outcomes.map(({ outcome }) => outcome) }),
    ...(hyperparameters === undefined ? {} : { hyperparameters }),
    from: await beginningOf(at, stage),
    budget: settings.budget,
    seed: seedOf(settings.seed, 'train', stage),
    folder,
  };
}

async function beginningOf(
  { settings, history, lab, folder, blobs }: Omit<StepInput, 'check' | 'reports' | 'signal' | 'tell'>,
  stage: number,
): Promise<Checkpoint | null> {
  const before = stageAt(history, stage - 1);
  if (before === null) return await lab.learner.beginning(join(folder, 'beginning'));
  return await readableCheckpoint(before.completed?.data.checkpoint ?? null, {
    folder: join(folder, 'checkpoints'),
    blobs,
    blobsOnly: lab.learner.isRegistered || isRegistered(settings.trainer),
  });
}

interface TrainedHere {
  readonly trained: Trained;
  /** Where its rollouts are recorded. */
  readonly rollouts: readonly Cause[];
}

async function trainedOn(at: StepInput, stage: number, request: Request): Promise<TrainedHere> {
  const { lab, settings, signal, tell } = at;
  const leave = await occupy(request.folder);
  try {
    const common = inCommon(at, request);
    const evidence = recordingOf(settings).training ? await evidenceOf(at, stage) : null;
    const training = lab.trainer.train({ ...request, ...(evidence === null ? {} : { rollouts: common }), signal });
    // Recording runs concurrently with training, one list after the other.
    let recording: Promise<void> = Promise.resolve();
    try {
      for (;;) {
        const next = await training.next();
        if (next.done === true) await recording;
        if (next.done === true) return { trained: next.value, rollouts: await recorded(evidence, next.value) };
        const progress = next.value;
        if (progress.kind !== 'rollouts') await tell({ kind: 'training', stage, progress });
        else {
          await recording;
          recording = evidence?.record(progress.from, progress.rollouts) ?? recording;
          recording.catch(() => {});
          if (!progress.isBeforeSave) continue;
          await recording;
          await evidence?.settle();
        }
      }
    } finally {
      // Training must not continue past rollouts that cannot be recorded.
      await training.return(undefined as never).catch(() => {});
      await recording.catch(() => {});
    }
  } finally {
    await leave();
  }
}

async function evidenceOf(at: StepInput, stage: number): Promise<TrainingEvidence> {
  const { run, evidence = ownerOf(run), lab } = at;
  const { isReproducible } = lab.trainer;
  const place = { run: evidence.run, stage, part: evidence.partOf(trainingPart) };
  return await openTrainingEvidence(at, { ...place, actor: rolloutActor, isReproducible });
}

function inCommon({ lab }: StepInput, { seed }: Request): RolloutsInCommon {
  return {
    environment: lab.environment.descriptor.environment,
    split: 'train',
    policy: lab.learner.component.name,
    ...(wideInteger.safeParse(seed).success ? { seed } : {}),
  };
}

async function recorded(evidence: TrainingEvidence | null, { rollouts = 0 }: Trained): Promise<Cause[]> {
  const sealed = (await evidence?.sealed(rollouts)) ?? [];
  return sealed.map(({ stream, count, root }) => ({ stream, from: 0, to: count - 1, root }));
}

/**
 * Once recorded, the run can continue from this checkpoint only. An environment that runs the policy itself may read the
 * checkpoint only when it plays, so it plays one training task. Throws UnusableCheckpoint, and faults of the environment
 * as they are.
 */
async function requirePlayable(at: StepInput, checkpoint: Checkpoint | null, request: Request): Promise<void> {
  const { lab, settings, signal } = at;
  const { learner } = lab;
  const isPlayedThere = !learner.isRegistered && learner.model === null;
  const tasks = isPlayedThere ? await trainingTask(at, request) : [];
  try {
    await play(at, checkpoint, tasks, request.seed);
  } catch (fault) {
    signal.throwIfAborted();
    if (isPlayedThere && (await isOfEnvironment(fault, at, tasks, request))) throw fault;
    const { trainer } = settings;
    const command = commandIn(trainer);
    const named = command === null ? String(nameIn(trainer)) : nameOf(command);
    const { folder } = request;
    throw new UnusableCheckpoint(named, learner.component.name, { checkpoint, folder, isPlayedThere }, fault);
  }
}

async function trainingTask({ lab, signal }: StepInput, { configuration, seed }: Request): Promise<readonly Task[]> {
  const tasks: Task[] = [];
  const request = { configuration, split: 'train', count: 1, seed, signal } as const;
  for await (const task of lab.environment.generate(request)) tasks.push(task);
  return tasks;
}

async function play(
  { lab, signal }: StepInput,
  checkpoint: Checkpoint | null,
  tasks: readonly Task[],
  seed: string,
): Promise<void> {
  const policy = await lab.learner.policyOf(checkpoint);
  try {
    if (tasks.length === 0) return;
    for await (const _ of policy.plan({ tasks, seed, signal })) break;
  } finally {
    await policy.close();
  }
}

/** Where the failed call does not say it: an environment that also fails without this training is at fault itself. */
async function isOfEnvironment(
  fault: unknown,
  at: StepInput,
  tasks: readonly Task[],
  { from, seed }: Request,
): Promise<boolean> {
  const suspect = suspectOf(fault);
  if (suspect !== 'either') return suspect === 'environment';
  try {
    await play(at, from, tasks, seed);
    return false;
  } catch {
    at.signal.throwIfAborted();
    return true;
  }
}

function reportedFields(
  trained: Trained,
  here: Readonly<Record<string, unknown>>,
): Partial<EventData['TrainingRecorded']> {
  const { spent, curve, signal, sampled, results, exit, log, measured } = trained;
  return {
    spent,
    curve: [...curve],
    learningSignal: [...signal],
    sampled: [...sampled],
    ...(results === undefined ? {} : { results }),
    ...(exit === undefined ? {} : { exit }),
    ...(log === undefined || log === '' ? {} : { log: { text: log } }),
    measured: { ...measured, ...here },
  };
}

interface LeftBehind {
  readonly checkpoint: Checkpoint | null;
  readonly folder: string;
  /** The environment plays the policy: it may be at fault all the same. */
  readonly isPlayedThere: boolean;
}

/** A training completed, but the policy cannot use its checkpoint. */
export class UnusableCheckpoint extends IcecoreError {
  override readonly name = 'UnusableCheckpoint';

  constructor(trainer: string, policy: string, { checkpoint, folder, isPlayedThere }: LeftBehind, cause: unknown) {
    const left = checkpoint === null ? 'no checkpoint' : `the checkpoint ${checkpoint.reference}`;
    const why = cause instanceof Error ? cause.message : String(cause);
    const isHandedIn = trainer === external;
    const what = isHandedIn
      ? `${policy} cannot use ${left}`
      : `trainer ${trainer} left ${left}, which the policy ${policy} cannot use`;
    const isFile = checkpoint === null || checkpoint.digest !== undefined;
    const missing = isFile
      ? ''
      : `There is no file ${checkpoint.reference} here, so it was taken for a name on a server. `;
    const mend = isPlayedThere
      ? 'If the environment is at fault, fix it and resume the run, which keeps this training. '
      : '';
    super('bad-input', `${what}: ${why}`, {
      facts: { trainer, policy, checkpoint, folder },
      cause,
      remedy: isHandedIn
        ? `${missing}Give a checkpoint that ${policy} can play, or start a run on an environment that plays yours.`
        : `Name a policy or an environment that plays such checkpoints: --environment "python3 environment.py". ${mend}If the trainer is at fault, fix it, remove ${folder}, and resume the run.`,
    });
  }
}
