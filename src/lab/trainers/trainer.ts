// The trainer port: takes a stage's configuration, a budget and a seed, and returns a checkpoint with its training
// record. One contract suite (contract/) runs against every trainer.
import type { CanonicalText } from '../../../schemas/canonical.ts';
import type { EventData } from '../../../schemas/catalogue.ts';
import { describeIssue, IcecoreError, type Issue } from '../../../schemas/errors.ts';
import type { Configuration, Seed } from '../environments/environment.ts';
import type { Checkpoint } from '../policies/policy.ts';
import type { Hyperparameters } from './knobs.ts';

/** The data of a TrainingRecorded event. */
export type Training = EventData['TrainingRecorded'];

/** One point of the curve: an update, the spending until then, and the measurements. */
export type Point = NonNullable<Training['curve']>[number];

/** How much there was to learn: sample groups whose rewards differed. */
export type Signal = NonNullable<Training['learningSignal']>[number];

/** What was actually sampled. */
export type Sampled = NonNullable<Training['sampled']>[number];

/**
 * One try of the policy during training: the data of its RolloutRecorded event, or that data as canonical JSON, with
 * the update it was sampled at and the reward the trainer used.
 */
export type TrainingRollout = EventData['RolloutRecorded'] | CanonicalText;

/** The fields that all rollouts of a training share. */
export type RolloutsInCommon = Pick<EventData['RolloutRecorded'], 'environment' | 'split' | 'policy' | 'seed'>;

/** The length of a list of rollouts, and of their lines where they come as text: a trainer waits for its reader after each. */
export const rolloutBatch = { rollouts: 256, bytes: 8 * 2 ** 20 } as const;

/** By unit: agent steps, and other units that the trainer counts. */
export type Budget = Readonly<Record<string, number>>;

/** What to train on, the initial checkpoint and the budget. */
export interface TrainRequest {
  /** The configuration, without the knobs of the trainer. */
  readonly configuration: Configuration;
  /** The task families of the environment, if they are known: results name no others. */
  readonly families?: readonly string[];
  /** The outcomes of rollouts in the environment, if its descriptor lists them: rollouts have no others. */
  readonly outcomes?: readonly string[];
  /** The hyper-parameters that are knobs of the run; the others are fixed when the trainer is opened. */
  readonly hyperparameters?: Hyperparameters;
  /** The initial checkpoint, readable from here; null to start from scratch. */
  readonly from: Checkpoint | null;
  readonly budget: Budget;
  readonly seed: Seed;
  /** An existing folder for the checkpoints and other files of this training. */
  readonly folder: string;
  /** The shared fields of rollouts, if rollouts are wanted; trainers that do not support it yield none. */
  readonly rollouts?: RolloutsInCommon;
  readonly signal?: AbortSignal;
}

/**
 * Progress of a training: curve points, saved checkpoints and rollouts, in order. A later save may replace an earlier
 * one. The reader records rollouts while training continues, but must have recorded all of them before it reads past a
 * list with `isBeforeSave`: a state is saved after all rollouts that led to it.
 */
export type Progress =
  | { readonly kind: 'point'; readonly point: Point }
  | { readonly kind: 'saved'; readonly checkpoint: Checkpoint }
  /** `from` is the number of earlier rollouts of this training, including those of previous calls. */
  | {
      readonly kind: 'rollouts';
      readonly from: number;
      readonly rollouts: readonly TrainingRollout[];
      /** Whether a state may be saved before the next list. */
      readonly isBeforeSave: boolean;
    };

/** The result of a whole training. */
export interface Trained {
  /** Null if there is none. */
  readonly checkpoint: Checkpoint | null;
  /** The budget, exceeded by at most the last update; less only if nothing was left to learn. */
  readonly spent: Budget;
  /** Complete even if training was interrupted and resumed: updates increase, and spending does not decrease. */
  readonly curve: readonly Point[];
  /** By task family, and for family null in total. */
  readonly signal: readonly Signal[];
  readonly sampled: readonly Sampled[];
  /** The number of rollouts of the whole training, if they were requested. */
  readonly rollouts?: number;
  readonly results?: NonNullable<Training['results']>;
  /** How the training program ended, if there was one. */
  readonly exit?: NonNullable<Training['exit']>;
  /** The last lines of the program's log. */
  readonly log?: string;
  readonly measured?: Readonly<Record<string, unknown>>;
}

/** An open trainer: it trains a policy until a budget is spent. Close it after use. */
export interface Trainer {
  readonly component: NonNullable<Training['trainer']>;

  /** Whether the same request gives the same checkpoint digest on any machine and with any number of threads. */
  readonly isReproducible: boolean;

  /**
   * Trains until the budget is spent. If `folder` contains a save of an interrupted call with the same request,
   * training resumes from it, and the result is the same as without the interruption: only new progress is yielded, and
   * the complete result is returned. A complete training returns the same result again. Files of another request are
   * never used. Aborting throws the signal's reason; the last save remains, and another save may be made and yielded at
   * that time.
   */
  train(request: TrainRequest): AsyncGenerator<Progress, Trained, undefined>;

  /** Releases all resources: calls in progress and later calls throw TrainerClosed. */
  close(): Promise<void>;
}

// Errors of any trainer.

/** Thrown when a trainer is used after it was closed. */
export class TrainerClosed extends IcecoreError {
  override readonly name = 'TrainerClosed';

  constructor(trainer: string) {
    super('internal', `the trainer ${trainer} is closed`, { facts: { trainer } });
  }
}

/** Thrown when the training folder contains the files of a different training. */
export class FolderTaken extends IcecoreError {
  override readonly name = 'FolderTaken';

  constructor(folder: string) {
    super('conflict', `the folder ${folder} contains the files of another training`, {
      facts: { folder },
      remedy: 'Use a separate folder for each training. A training can be resumed only with the same request.',
    });
  }
}

/** Thrown when a budget is empty, uses an unsupported unit, or is not a supported amount. */
export class BadBudget extends IcecoreError {
  override readonly name = 'BadBudget';

  constructor(issue: Issue) {
    super('bad-input', `the budget: ${describeIssue(issue)}`, {
      facts: { ...issue },
      remedy: 'For example: {"agent-steps": 1200000}.',
    });
  }
}
