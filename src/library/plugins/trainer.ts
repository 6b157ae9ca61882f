// A trainer in the fewest words: what it knows at the beginning, and what an update makes of that. icecore counts, adds up the curve and
// the learning signal, saves states, and resumes from them.
import type { z } from 'zod';
import type { TrainerKnob } from '../../../schemas/run-file.ts';
import type { Configuration } from '../../lab/environments/environment.ts';
import type { Random } from '../../lab/random.ts';
import type { DefinedEnvironment } from './environment.ts';

/** A hyper-parameter: what it means, its usual value, and the range that it may be in. */
export interface HyperparameterDefinition extends Omit<TrainerKnob, 'name' | 'range'> {
  /** Ends included. */
  readonly range: readonly [min: number, max: number];
}

/** Tries at one task, compared with one another. */
export interface SampleGroup {
  readonly family: string;
  readonly rewards: readonly number[];
  /** How many of them are solved. */
  readonly valid: number;
}

/** What one update of a training works with. */
export interface UpdateRequest<State, Hyperparameter extends string, Settings = Configuration> {
  /** A copy of its own: it may be changed and given back. */
  readonly state: State;
  /** What to train on. */
  readonly configuration: Settings;
  readonly hyperparameters: { readonly [H in Hyperparameter]: number };
  /** From 1. */
  readonly update: number;
  /** Where every choice comes from. */
  readonly random: Random;
}

/** What an update comes to: the next state, and the tries it was made from. */
export interface Updated<State> {
  readonly state: State;
  readonly agentSteps: number;
  readonly groups: readonly SampleGroup[];
}

/** What `defineTrainer` takes. */
export interface TrainerDefinition<State, Hyperparameter extends string, Settings = Configuration> {
  readonly name: string;
  /** Another one where the same request leads to another checkpoint. */
  readonly version?: string;
  /** What it is, in a few words. */
  readonly summary: string;
  /** The environment it is for, where it is for one of the same plugin. */
  readonly on?: DefinedEnvironment<Settings>;
  /** Those it can train on; left out: that of `on`, or all. */
  readonly environments?: readonly string[];
  readonly hyperparameters?: { readonly [H in Hyperparameter]: HyperparameterDefinition };
  /** What a checkpoint holds, as JSON. */
  readonly state: z.ZodType<State>;
  /** How long a call that promises something may take; 600 where it is left out. */
  readonly seconds?: number;

  /** Where there is no checkpoint to start from. */
  begin(random: Random): State;
  /** Makes one update of the state. */
  update(request: UpdateRequest<State, Hyperparameter, NoInfer<Settings>>): Updated<State> | Promise<Updated<State>>;
}

export type AnyTrainerDefinition = TrainerDefinition<unknown, string>;
