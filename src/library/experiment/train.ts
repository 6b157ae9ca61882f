// Trains outside of runs, in a folder that names the training and holds its checkpoints. Nothing is recorded in a ledger.

import { resolve } from 'node:path';
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { Configuration, Seed } from '../../lab/environments/environment.ts';
import type { Checkpoint } from '../../lab/policies/policy.ts';
import type { Registry } from '../../lab/registry.ts';
import type { Budget, Progress, Trained, Trainer } from '../../lab/trainers/trainer.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import { claim, occupy, stateOfFolder, type Training } from '../../producers/trainers/folder.ts';
import {
  anyCheckpoint,
  baseCheckpoint,
  checkpointsOn,
  openTrainer,
  ownCheckpoint,
} from '../../producers/trainers/trainers.ts';
import { allowTyped } from '../consent/programs.ts';
import type { Session } from '../session.ts';
import { requireAgentSteps } from './budget.ts';

/** What to train, and where. */
export interface TrainingRequest {
  readonly environment: string;
  /** A registered trainer by its name, or a program with its arguments. */
  readonly trainer: string | readonly string[];
  readonly configuration: Configuration;
  readonly budget: Budget;
  readonly seed: Seed;
  /** A checkpoint, the folder of a training, or `base`: a checkpoint with little training. */
  readonly from?: string;
  /** The folder; by default named after the request. */
  readonly folder?: string;
  /** Number of threads of a registered trainer (default: one per core). */
  readonly threads?: number;
}

/** A training that is ready to start or resume. */
export interface OpenTraining {
  /** The name it was given. */
  readonly name: string;
  readonly folder: string;
  readonly trainer: Trainer['component'];
  /** The folder already contains a part of this training, which is resumed. */
  readonly isBegun: boolean;
  /** The result includes the starting checkpoint. */
  train(signal?: AbortSignal): AsyncGenerator<Progress, FolderTrained, undefined>;
  /** Releases the trainer. */
  close(): Promise<void>;
}

/** The result of a training, and what it started from. */
export interface FolderTrained extends Trained {
  readonly from: Checkpoint | null;
}

const base = 'base';

/** Nothing is written before `train`. Throws if the folder contains anything else, and if a name is unknown. */
export async function openTraining(session: Session, request: TrainingRequest): Promise<OpenTraining> {
  const { environment, configuration, budget, seed, threads } = request;
  const { cwd } = session;
  const { registry } = await session.plugins.all();
  const program = typeof request.trainer === 'string' ? null : request.trainer;
  const units = typeof request.trainer === 'string' ? registry.trainers.get(request.trainer)?.units : undefined;
  if (units?.every((unit) => unit === 'agent-steps') === true) requireAgentSteps(budget);
  const trainer = await openTrainer(typeof request.trainer === 'string' ? request.trainer : [...request.trainer], {
    ...{ environment, registry, folder: cwd, allow: allowTyped(session, program ?? []) },
    ...(threads === undefined ? {} : { threads }),
  });
  const start = await startOf(request.from, program !== null, { cwd, registry, environment });
  const from = start === null || start === base ? start : (start.digest ?? start.reference);
  const training: Training = { environment, trainer: trainer.component, configuration, budget, seed, from };
  const name = request.folder ?? `${environment}-training-${sha256(canonicalJson(training)).slice(0, 8)}`;
  const folder = resolve(cwd, name);
  const isBegun = (await stateOfFolder(folder, training)) === 'begun';
  return {
    ...{ name, folder, isBegun, trainer: trainer.component },
    close: () => trainer.close(),
    async *train(signal = session.signal) {
      if (!isBegun) await claim(folder, training);
      const leave = await occupy(folder);
      try {
        if (start === base && !isBegun)
          await session.notify({ kind: 'note', text: 'training the base checkpoint, which takes some seconds' });
        const checkpoint =
          start === base
            ? await baseCheckpoint(checkpointsOn(registry, environment), { configuration, seed, folder })
            : start;
        const trained = yield* trainer.train({ configuration, from: checkpoint, budget, seed, folder, signal });
        return { ...trained, from: checkpoint };
      } finally {
        await leave();
      }
    },
  };
}

interface Place {
  readonly cwd: string;
  readonly registry: Registry;
  readonly environment: string;
}

async function startOf(
  word: string | undefined,
  isProgram: boolean,
  { cwd, registry, environment }: Place,
): Promise<Checkpoint | typeof base | null> {
  if (word === undefined) return null;
  if (isProgram) return await anyCheckpoint(word, cwd);
  return word === base ? base : await ownCheckpoint(word, cwd, checkpointsOn(registry, environment));
}
