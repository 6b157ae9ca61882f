// What `icecore lake train` is asked for: everything is read and looked at here, and nothing is written.
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { canonicalJson } from '../../../../schemas/canonical.ts';
import { IcecoreError } from '../../../../schemas/errors.ts';
import type { LakeConfiguration } from '../../../../testbed/lake/configuration.ts';
import type { Checkpoint } from '../../../lab/policies/policy.ts';
import type { Budget, Trainer } from '../../../lab/trainers/trainer.ts';
import { sha256 } from '../../../ledger/identity/ids.ts';
import { allowTyped } from '../../../library/consent/programs.ts';
import { requireAgentSteps } from '../../../library/experiment/budget.ts';
import { stateOfFolder, type Training } from '../../../producers/trainers/folder.ts';
import { anyCheckpoint, checkpointsOn, openTrainer, ownCheckpoint } from '../../../producers/trainers/trainers.ts';
import type { Context } from '../../context.ts';
import { configurationOf } from '../generate.ts';

/** The word for the base snapshot, which is made when training begins. */
export const base = 'base';

export interface TrainOptions {
  readonly config?: string;
  readonly agents?: number;
  readonly budget: Budget;
  readonly seed?: string;
  readonly from?: string;
  readonly output?: string;
  readonly jobs?: number;
}

export interface Asked {
  readonly trainer: Trainer;
  readonly configuration: LakeConfiguration;
  readonly budget: Budget;
  readonly seed: string;
  readonly from: Checkpoint | typeof base | null;
  readonly folder: string;
  /** As it is typed. */
  readonly out: string;
  /** What tells it from other trainings. */
  readonly training: Training;
  /** Something of this training is in the folder already. */
  readonly isBegun: boolean;
}

export const environment = 'lake';
const usualSeed = 'icecore';

export async function askedFor(context: Context, options: TrainOptions, command: readonly string[]): Promise<Asked> {
  const { cwd } = context.io;
  const { registry } = await context.session.plugins.all();
  const isProgram = command.length > 0;
  if (isProgram && options.jobs !== undefined) throw notForPrograms('--jobs', 'a program sees to that itself');
  if (isProgram && options.from === base) throw notForPrograms('--from base', 'it is of the trainer that is built in');
  const { jobs: threads = availableParallelism(), budget, seed = usualSeed } = options;
  if (!isProgram) requireAgentSteps(budget);
  const configuration = configurationOf(context, options);
  const trainer = await openTrainer(isProgram ? [...command] : 'grpo', {
    environment,
    registry,
    folder: cwd,
    allow: allowTyped(context.session, command),
    threads,
  });
  const from = await startOf(options.from, isProgram, context);
  const training: Training = {
    environment,
    trainer: trainer.component,
    configuration: { ...configuration },
    budget,
    seed,
    from: from === null || from === base ? from : (from.digest ?? from.reference),
  };
  const out = options.output ?? `lake-training-${sha256(canonicalJson(training)).slice(0, 8)}`;
  const folder = resolve(cwd, out);
  const isBegun = (await stateOfFolder(folder, training)) === 'begun';
  return { trainer, configuration, budget, seed, from, folder, out, training, isBegun };
}

async function startOf(word: string | undefined, isProgram: boolean, { io, session }: Context): Promise<Asked['from']> {
  if (word === undefined) return null;
  if (word === base) return base;
  if (isProgram) return await anyCheckpoint(word, io.cwd);
  const { registry } = await session.plugins.all();
  return await ownCheckpoint(word, io.cwd, checkpointsOn(registry, environment));
}

function notForPrograms(option: string, why: string): IcecoreError {
  return new IcecoreError('usage', `lake train: ${option} together with a program: ${why}`, {
    facts: { command: 'lake train' },
    remedy: `Leave ${option} out.`,
  });
}
