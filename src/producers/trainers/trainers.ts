// Trainers by name: the built-in one, a program, or training outside of icecore; the checkpoint that training starts from, and the
// hyperparameters that an engineer may change.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { EventData } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { RunSettings, TrainerKnob } from '../../../schemas/run-file.ts';
import type { Configuration } from '../../lab/environments/environment.ts';
import type { LakeConfiguration } from '../../lab/lake/configuration.ts';
import type { Checkpoint } from '../../lab/policies/policy.ts';
import type { AllowProgram } from '../../lab/programs/program.ts';
import { openCommandTrainer } from '../../lab/trainers/command/open.ts';
import { writeBase } from '../../lab/trainers/grpo/base.ts';
import { openGrpo } from '../../lab/trainers/grpo/grpo.ts';
import { type GivenSettings, grpoKnobs } from '../../lab/trainers/grpo/settings.ts';
import { snapshotIn } from '../../lab/trainers/grpo/state.ts';
import { hyperparametersIn } from '../../lab/trainers/knobs.ts';
import type { Trained, Trainer } from '../../lab/trainers/trainer.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import { chosen, usableCheckpoint } from '../policies/policies.ts';
import { nameIn, refuseMissing } from '../programs.ts';

/** What a run's trainer is called where somebody else trains. */
export const external = 'external';

export function isExternal(trainer: RunSettings['trainer'] | undefined): boolean {
  return trainer !== undefined && nameIn(trainer) === external;
}

/** With what came of a training, it hands that in; without, it trains nothing. */
export function openExternal(run: string, trained: Trained | null = null): Trainer {
  return {
    component: { name: external, version: '1' },
    isReproducible: false,
    // biome-ignore lint/correctness/useYield: it knows of no progress
    async *train() {
      if (trained === null) throw new TrainedElsewhere(run);
      return trained;
    },
    close: async () => {},
  };
}

export class TrainedElsewhere extends IcecoreError {
  override readonly name = 'TrainedElsewhere';

  /** Null: a run that does not exist yet. */
  constructor(run: string | null) {
    const what =
      run === null ? `the trainer ${external} is not one that icecore starts` : `${run} is trained elsewhere`;
    super('usage', run === null ? what : `${what}: its trainer is ${external}`, {
      facts: { run, trainer: external },
      remedy:
        run === null
          ? 'icecore stage start NAME, with the same options, begins a run that something else trains.'
          : `icecore stage start ${shellWord(run)} prints what is to be trained, icecore stage finish ${shellWord(run)} takes what came of it.`,
    });
  }
}

/** None where the run file asks for none. */
export function trainerKnobsOf(trainer: RunSettings['trainer']): readonly TrainerKnob[] {
  if (typeof trainer === 'string' || Array.isArray(trainer)) return [];
  if (!('name' in trainer) || trainer.name === 'external') return trainer.knobs;
  const { name: _, knobs = [], ...settings } = trainer;
  return grpoKnobs(knobs, settings);
}

type Component = NonNullable<EventData['TrainingRecorded']['trainer']>;

/** A trainer as events say it, with the hyper-parameters that a configuration sets. */
export function trainerInForce(
  component: Component,
  configuration: Configuration,
  trainer: RunSettings['trainer'],
): Component {
  const inForce = hyperparametersIn(configuration, trainerKnobsOf(trainer));
  return inForce === undefined ? component : { ...component, parameters: { ...component.parameters, ...inForce } };
}

/** For the trainer that is built in. Throws NoSuchCheckpoint, NoCheckpointIn and BadCheckpoint. */
export async function ownCheckpoint(word: string, cwd: string): Promise<Checkpoint> {
  const choice = chosen(resolve(cwd, word), { cwd, entries: new Map() });
  const path = choice.kind === 'checkpoint' ? choice.path : word;
  return await usableCheckpoint(path, snapshotIn);
}

/** For a program: a file by its digest, a folder by its path, everything else by its name alone. */
export async function anyCheckpoint(word: string, cwd: string): Promise<Checkpoint> {
  const path = resolve(cwd, word);
  const found = await readFile(path).catch((fault: NodeJS.ErrnoException) => fault);
  if (Buffer.isBuffer(found)) return { reference: path, digest: sha256(found), bytes: found.length };
  if (found.code === 'EISDIR') return { reference: path };
  if (found.code === 'ENOENT' || found.code === 'ENOTDIR') return { reference: word };
  throw found;
}

/** As writeBase calls it. */
const baseName = 'base.safetensors';

/** The base snapshot in the folder of a training: found, or made. Throws BadCheckpoint where what is found is none. */
export async function baseCheckpoint(
  configuration: LakeConfiguration,
  seed: string,
  folder: string,
): Promise<Checkpoint> {
  const isThere = existsSync(join(folder, baseName));
  return isThere ? await ownCheckpoint(baseName, folder) : await writeBase(configuration, seed, folder);
}

interface TrainerWords {
  /** The program and its arguments; none for the trainer that is built in. */
  readonly command: readonly string[];
  /** What it trains on, as the descriptor says it. */
  readonly environment: string;
  /** Where programs run. */
  readonly folder: string;
  readonly allow: AllowProgram;
  /** Of the trainer that is built in; as many as there are cores unless told otherwise. */
  readonly threads?: number;
  /** Its hyper-parameters, where they are not as usual. */
  readonly settings?: GivenSettings;
}

/** Throws where the program is not allowed, ProgramNotStarted where there is no such program, and NotBuiltIn where only a program could. */
export function openTrainer({ command, environment, folder, allow, threads, settings }: TrainerWords): Trainer {
  const [program, ...words] = command;
  if (program !== undefined) {
    refuseMissing('training', [program, ...words], folder);
    return openCommandTrainer({ program: allow('trainer', [program, ...words]), environment });
  }
  if (environment !== builtInFor) throw new NotBuiltIn(environment);
  return openGrpo({ ...(threads === undefined ? {} : { threads }), ...(settings === undefined ? {} : { settings }) });
}

const builtInFor = 'lake';

class NotBuiltIn extends IcecoreError {
  override readonly name = 'NotBuiltIn';

  constructor(environment: string) {
    super('unsupported', `the trainer that is built in trains on the lake, not on ${environment}`, {
      facts: { environment },
      remedy: 'Give a program that does: see docs/trainers.md.',
    });
  }
}
