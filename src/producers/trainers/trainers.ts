// Trainers by name: the built-in one, a program, or training outside of icecore; the checkpoint that training starts
// from, and the hyperparameters that an engineer may change.

import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { EventData } from '../../../schemas/catalogue.ts';
import { IcecoreError, UnknownName } from '../../../schemas/errors.ts';
import { isObject } from '../../../schemas/json-text.ts';
import type { RegisteredTrainer, RunSettings, TrainerKnob } from '../../../schemas/run-file.ts';
import { commandIn, external, nameIn } from '../../../schemas/run-file.ts';
import { joinWithAnd } from '../../base/name-lists.ts';
import { kindOf, NotRegularFile } from '../../base/regular-file.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { Configuration } from '../../lab/environments/environment.ts';
import type { Checkpoint } from '../../lab/policies/policy.ts';
import type { AllowProgram } from '../../lab/programs/program.ts';
import { type BaseRequest, type PolicyCheckpoints, type Registry, trainableOn } from '../../lab/registry.ts';
import type { TrainerRollout } from '../../lab/trainers/command/messages.ts';
import { openCommandTrainer } from '../../lab/trainers/command/open.ts';
import { type HyperparameterValues, hyperparametersIn } from '../../lab/trainers/knobs.ts';
import type { Trained, Trainer } from '../../lab/trainers/trainer.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import { checkpointPathAt, usableCheckpoint } from '../policies/policies.ts';
import { refuseMissing } from '../programs.ts';

/** The result of an external training. */
export interface ExternalTraining {
  readonly trained: Trained;
  /** In lists, in the order of the training. */
  rollouts(): AsyncIterable<readonly TrainerRollout[]>;
}

/** Yields the rollouts of an external training and returns its result; without one, it trains nothing. */
export function openExternal(run: string, training: ExternalTraining | null = null): Trainer {
  return {
    component: { name: external, version: '1' },
    isReproducible: false,
    async *train({ rollouts: common }) {
      if (training === null) throw new TrainedElsewhere(run);
      if (common === undefined) return training.trained;
      let from = 0;
      for await (const list of training.rollouts()) {
        const rollouts = list.map((rollout) => ({ ...common, ...rollout }));
        yield { kind: 'rollouts', from, rollouts, isBeforeSave: false };
        from += rollouts.length;
      }
      return { ...training.trained, rollouts: from };
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
          ? 'icecore stage start NAME, with the same options, starts a run that is trained elsewhere.'
          : `icecore stage start ${shellWord(run)} prints what is to be trained, icecore stage finish ${shellWord(run)} records the result.`,
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

/** A trainer given by name with hyper-parameters; null for a bare name, a program and `external`. */
export function registeredIn(trainer: RunSettings['trainer']): RegisteredTrainer | null {
  return isObject(trainer) && 'name' in trainer && trainer.name !== external ? (trainer as RegisteredTrainer) : null;
}

/** Whether a registered trainer trains here, rather than a program or an external one. */
export function isRegistered(trainer: RunSettings['trainer']): boolean {
  const name = nameIn(trainer);
  return name !== null && name !== external;
}

type Component = NonNullable<EventData['TrainingRecorded']['trainer']>;

/** A trainer as recorded, with the hyper-parameters that a configuration sets. */
export function trainerInForce(
  component: Component,
  configuration: Configuration,
  knobs: readonly TrainerKnob[],
): Component {
  const inForce = hyperparametersIn(configuration, knobs);
  return inForce === undefined ? component : { ...component, parameters: { ...component.parameters, ...inForce } };
}

/** The initial checkpoint of a training. Throws NoSuchCheckpoint, NoCheckpointIn and BadCheckpoint. */
export async function ownCheckpoint(word: string, cwd: string, checkpoints: PolicyCheckpoints): Promise<Checkpoint> {
  return await usableCheckpoint(checkpointPathAt(resolve(cwd, word)), checkpoints, 'train');
}

/** The checkpoints of the policy that can be trained in an environment. Throws NoTrainablePolicy. */
export function checkpointsOn(registry: Registry, environment: string): PolicyCheckpoints {
  const [policy] = trainableOn(registry, environment);
  if (policy === undefined) throw new NoTrainablePolicy(environment);
  return policy.checkpoints;
}

class NoTrainablePolicy extends IcecoreError {
  override readonly name = 'NoTrainablePolicy';

  constructor(environment: string) {
    super('unsupported', `no registered policy can be trained on ${environment}`, {
      facts: { environment },
      remedy: 'Register a plugin that provides one, or name a program that trains.',
    });
  }
}

/** For a program: a file by its digest, a folder by its path, everything else by name alone. */
export async function anyCheckpoint(word: string, cwd: string): Promise<Checkpoint> {
  const path = resolve(cwd, word);
  const found = await stat(path).catch((fault: NodeJS.ErrnoException) => fault);
  if (found instanceof Error) {
    if (found.code === 'ENOENT' || found.code === 'ENOTDIR') return { reference: word };
    throw found;
  }
  if (found.isDirectory()) return { reference: path };
  // What is read for its digest could not be read again to play it, and may never end.
  if (!found.isFile()) throw new NotRegularFile(path, kindOf(found), 'a regular file or a folder');
  const bytes = await readFile(path);
  return { reference: path, digest: sha256(bytes), bytes: bytes.length };
}

/** The file name that policies use. */
const baseName = 'base.safetensors';

/**
 * The base checkpoint in the training folder, created if needed; null if the policy has none. Throws BadCheckpoint if
 * the existing file is not a checkpoint.
 */
export async function baseCheckpoint(checkpoints: PolicyCheckpoints, request: BaseRequest): Promise<Checkpoint | null> {
  const { folder } = request;
  if (existsSync(join(folder, baseName))) return await ownCheckpoint(baseName, folder, checkpoints);
  return (await checkpoints.base?.(request)) ?? null;
}

interface TrainerPlace {
  /** The environment's name from its descriptor. */
  readonly environment: string;
  /** The folder in which programs run. */
  readonly folder: string;
  readonly allow: AllowProgram;
  readonly registry: Registry;
  /** For a registered trainer; the default is the number of CPU cores. */
  readonly threads?: number;
}

/**
 * A program with its arguments, or a registered trainer, optionally with hyper-parameters. Throws if the program is not
 * allowed, ProgramNotStarted if it does not exist, UnknownTrainer, and NotItsEnvironment if the trainer does not
 * support the environment.
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

/** The hyper-parameters in the settings of a run. */
export function hyperparametersOf(trainer: RunSettings['trainer']): HyperparameterValues {
  const { name: _, knobs: __, ...hyperparameters } = registeredIn(trainer) ?? { name: '' };
  return hyperparameters as HyperparameterValues;
}

class NotItsEnvironment extends IcecoreError {
  override readonly name = 'NotItsEnvironment';

  constructor(trainer: string, trainsOn: readonly string[], environment: string) {
    super('unsupported', `the trainer ${trainer} trains on ${trainsOn.join(' and ')}, not on ${environment}`, {
      facts: { trainer, trainsOn, environment },
      remedy: `Name a trainer for ${environment}: --trainer "python3 train.py" (docs/trainers.md).`,
    });
  }
}

class UnknownTrainer extends UnknownName {
  override readonly name = 'UnknownTrainer';

  constructor(trainer: string, registered: readonly string[]) {
    const known = [...registered, external];
    super(trainer, `there is no trainer "${trainer}"`, {
      facts: { trainer, known },
      remedy: `There are ${joinWithAnd(known)}; name a program with its arguments: "python3 train.py".`,
    });
  }
}
