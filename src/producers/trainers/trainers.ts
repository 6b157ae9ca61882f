// Trainers by name: the built-in one, a program, or training outside of icecore; the checkpoint that training starts from, and the
// hyperparameters that an engineer may change.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { EventData } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { isObject } from '../../../schemas/json-text.ts';
import type { RegisteredTrainer, RunSettings, TrainerKnob } from '../../../schemas/run-file.ts';
import { commandIn, external, nameIn } from '../../../schemas/run-file.ts';
import { enumerated } from '../../base/listed.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { Configuration } from '../../lab/environments/environment.ts';
import type { Checkpoint } from '../../lab/policies/policy.ts';
import type { AllowProgram } from '../../lab/programs/program.ts';
import {
  type BaseRequest,
  type HyperparameterValues,
  type PolicyCheckpoints,
  type Registry,
  trainableOn,
} from '../../lab/registry.ts';
import { openCommandTrainer } from '../../lab/trainers/command/open.ts';
import { hyperparametersIn } from '../../lab/trainers/knobs.ts';
import type { Trained, Trainer } from '../../lab/trainers/trainer.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import { checkpointPathAt, usableCheckpoint } from '../policies/policies.ts';
import { refuseMissing } from '../programs.ts';

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

/** The hyper-parameters that the engineer of a run may change, as knobs. */
export function trainerKnobsOf(trainer: RunSettings['trainer'], registry: Registry): readonly TrainerKnob[] {
  const registered = registeredIn(trainer);
  if (registered === null) return offeredBy(trainer);
  const { name, knobs = [] } = registered;
  const { hyperparameters = {} } = registry.trainers.get(name) ?? {};
  const set = hyperparametersOf(trainer);
  return [...new Set(knobs)].flatMap((knob) => {
    const entry = hyperparameters[knob];
    if (entry === undefined) return [];
    const { knobRange, ...offered } = entry;
    const { range, start } = offered;
    return [{ name: knob, ...offered, range: knobRange ?? range, start: set[knob] ?? start }];
  });
}

function offeredBy(trainer: RunSettings['trainer']): readonly TrainerKnob[] {
  return isObject(trainer) && 'knobs' in trainer ? (trainer.knobs as readonly TrainerKnob[]) : [];
}

/** A trainer that is named with its hyper-parameters; null for a bare name, a program and `external`. */
export function registeredIn(trainer: RunSettings['trainer']): RegisteredTrainer | null {
  return isObject(trainer) && 'name' in trainer && trainer.name !== external ? (trainer as RegisteredTrainer) : null;
}

/** Whether icecore trains with it here, and no program or anybody else does. */
export function isRegistered(trainer: RunSettings['trainer']): boolean {
  const name = nameIn(trainer);
  return name !== null && name !== external;
}

type Component = NonNullable<EventData['TrainingRecorded']['trainer']>;

/** A trainer as events say it, with the hyper-parameters that a configuration sets. */
export function trainerInForce(
  component: Component,
  configuration: Configuration,
  knobs: readonly TrainerKnob[],
): Component {
  const inForce = hyperparametersIn(configuration, knobs);
  return inForce === undefined ? component : { ...component, parameters: { ...component.parameters, ...inForce } };
}

/** To train a policy from. Throws NoSuchCheckpoint, NoCheckpointIn and BadCheckpoint. */
export async function ownCheckpoint(word: string, cwd: string, checkpoints: PolicyCheckpoints): Promise<Checkpoint> {
  return await usableCheckpoint(checkpointPathAt(resolve(cwd, word)), checkpoints, 'train');
}

/** Those of the policy that can be trained on an environment. Throws NobodyToTrain. */
export function checkpointsOn(registry: Registry, environment: string): PolicyCheckpoints {
  const [policy] = trainableOn(registry, environment);
  if (policy === undefined) throw new NobodyToTrain(environment);
  return policy.checkpoints;
}

class NobodyToTrain extends IcecoreError {
  override readonly name = 'NobodyToTrain';

  constructor(environment: string) {
    super('unsupported', `no registered policy can be trained on ${environment}`, {
      facts: { environment },
      remedy: 'Register a plugin that has one, or name the program that trains.',
    });
  }
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

/** As policies write it. */
const baseName = 'base.safetensors';

/**
 * The base snapshot in the folder of a training: found, or made; null where the policy has none. Throws BadCheckpoint where what is
 * found is no checkpoint.
 */
export async function baseCheckpoint(checkpoints: PolicyCheckpoints, request: BaseRequest): Promise<Checkpoint | null> {
  const { folder } = request;
  if (existsSync(join(folder, baseName))) return await ownCheckpoint(baseName, folder, checkpoints);
  return (await checkpoints.base?.(request)) ?? null;
}

interface TrainerPlace {
  /** What it trains on, as the descriptor says it. */
  readonly environment: string;
  /** Where programs run. */
  readonly folder: string;
  readonly allow: AllowProgram;
  readonly registry: Registry;
  /** Of a registered trainer; as many as there are cores unless told otherwise. */
  readonly threads?: number;
}

/**
 * A program with its arguments, or the name of a registered trainer, alone or with its hyper-parameters. Throws where the program is
 * not allowed, ProgramNotStarted where there is no such program, UnknownTrainer, and NotItsEnvironment where only a program could.
 */
export async function openTrainer(trainer: RunSettings['trainer'], place: TrainerPlace): Promise<Trainer> {
  const { environment, folder, allow, registry, threads } = place;
  const command = commandIn(trainer);
  if (command !== null) {
    refuseMissing('training', command, folder);
    return openCommandTrainer({ program: allow('trainer', command), environment });
  }
  const name = nameIn(trainer) ?? '';
  const entry = registry.trainers.get(name);
  if (entry === undefined) throw new UnknownTrainer(name, [...registry.trainers.keys()]);
  if (entry.environments?.includes(environment) === false)
    throw new NotItsEnvironment(name, entry.environments, environment);
  const hyperparameters = hyperparametersOf(trainer);
  return await entry.open({ hyperparameters, ...(threads === undefined ? {} : { threads }) });
}

/** The hyper-parameters that the settings of a run give. */
export function hyperparametersOf(trainer: RunSettings['trainer']): HyperparameterValues {
  const { name: _, knobs: __, ...hyperparameters } = registeredIn(trainer) ?? { name: '' };
  return hyperparameters as HyperparameterValues;
}

class NotItsEnvironment extends IcecoreError {
  override readonly name = 'NotItsEnvironment';

  constructor(trainer: string, trainsOn: readonly string[], environment: string) {
    super('unsupported', `the trainer ${trainer} trains on ${trainsOn.join(' and ')}, not on ${environment}`, {
      facts: { trainer, trainsOn, environment },
      remedy: 'Give a program that does: see docs/trainers.md.',
    });
  }
}

class UnknownTrainer extends IcecoreError {
  override readonly name = 'UnknownTrainer';

  constructor(trainer: string, registered: readonly string[]) {
    const known = [...registered, external];
    super('not-found', `there is no trainer "${trainer}"`, {
      facts: { trainer, known },
      remedy: `There are ${enumerated(known)}; any other is a program, written with its arguments: "python3 train.py".`,
    });
  }
}
