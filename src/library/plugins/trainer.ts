// The definition of a trainer: its initial state, and how an update changes it. icecore counts, builds the curve and the learning
// signal, saves states, and resumes from them.
import type { z } from 'zod';
import type { trainingRollout } from '../../../schemas/evidence.ts';
import type { TrainerKnob } from '../../../schemas/run-file.ts';
import type { Configuration } from '../../lab/environments/environment.ts';
import type { Random } from '../../lab/random.ts';
import type { DefinedEnvironment } from './environment.ts';

/** A hyper-parameter: its meaning, default and range. */
export interface HyperparameterDefinition extends Omit<TrainerKnob, 'name' | 'range'> {
  /** Inclusive. */
  readonly range: readonly [min: number, max: number];
}

/** A rollout of training, as it is recorded; its family, index, update and reward follow from its group. */
export type GroupRollout = Omit<z.infer<typeof trainingRollout>, 'family' | 'sample' | 'trainingStep' | 'reward'>;

/** Rollouts of one task that are compared with one another. */
export interface SampleGroup {
  readonly family: string;
  readonly rewards: readonly number[];
  /** The number of valid ones. */
  readonly valid: number;
  /** One for each reward, to be recorded; without them, runs are not fully recorded. */
  readonly rollouts?: readonly GroupRollout[];
}

/** The input of an update. */
export interface UpdateRequest<State, Hyperparameter extends string, Settings = Configuration> {
  /** A private copy, which the update may modify and return. */
  readonly state: State;
  /** The source of training tasks. */
  readonly configuration: Settings;
  readonly hyperparameters: { readonly [H in Hyperparameter]: number };
  /** From 1. */
  readonly update: number;
  /** Whether rollouts in the groups are recorded; otherwise they are ignored. */
  readonly isRecorded: boolean;
  /** The only source of randomness. */
  readonly random: Random;
}

/** The result of an update: the next state, and the rollouts it was made from. */
export interface Updated<State> {
  readonly state: State;
  readonly agentSteps: number;
  readonly groups: readonly SampleGroup[];
}

/** What `defineTrainer` takes. */
export interface TrainerDefinition<State, Hyperparameter extends string, Settings = Configuration> {
  readonly name: string;
  /** Change it when the same request leads to another checkpoint. */
  readonly version?: string;
  /** What it is, in a few words. */
  readonly summary: string;
  /** The environment it is for, if that is in the same plugin. */
  readonly on?: DefinedEnvironment<Settings>;
  /** The environments it can train on (default: that of `on`, or all). */
  readonly environments?: readonly string[];
  readonly hyperparameters?: { readonly [H in Hyperparameter]: HyperparameterDefinition };
  /** The content of a checkpoint, as JSON. */
  readonly state: z.ZodType<State>;
  /** Time limit of an asynchronous call in seconds (default 600). */
  readonly seconds?: number;

  /** The initial state if there is no checkpoint to start from. */
  begin(random: Random): State;
  /** Performs one update of the state. */
  update(request: UpdateRequest<State, Hyperparameter, NoInfer<Settings>>): Updated<State> | Promise<Updated<State>>;
}

export type AnyTrainerDefinition = TrainerDefinition<unknown, string>;
