// The trainer port: a stage's configuration, a budget and a seed in; a checkpoint and how it came about out. One contract
// suite (contract/) runs against every trainer.
import type { CanonicalText } from '../../../schemas/canonical.ts';
import type { EventData } from '../../../schemas/catalogue.ts';
import { describeIssue, IcecoreError, type Issue } from '../../../schemas/errors.ts';
import type { Configuration, Seed } from '../environments/environment.ts';
import type { Checkpoint } from '../policies/policy.ts';
import type { Hyperparameters } from './knobs.ts';

/** The data of a TrainingRecorded event. */
export type Training = EventData['TrainingRecorded'];

/** One point of the curve: an update, what was spent until then, and what was measured. */
export type Point = NonNullable<Training['curve']>[number];

/** How much there was to learn: sample groups whose rewards differed. */
export type Signal = NonNullable<Training['learningSignal']>[number];

/** What was really drawn. */
export type Sampled = NonNullable<Training['sampled']>[number];

/**
 * One try of the policy while it is trained: the data of its RolloutRecorded, or that data as canonical JSON, with the
 * update it was sampled at and the reward as the trainer used it.
 */
export type TrainingRollout = EventData['RolloutRecorded'] | CanonicalText;

/** What all rollouts of a training say. */
export type RolloutsInCommon = Pick<EventData['RolloutRecorded'], 'environment' | 'split' | 'policy' | 'seed'>;

/** By unit: agent steps, and whatever else the trainer counts. */
export type Budget = Readonly<Record<string, number>>;

/** What to train on, what to start from, and how much to spend. */
export interface TrainRequest {
  /** What to train on, without the knobs of the trainer. */
  readonly configuration: Configuration;
  /** The values of the hyper-parameters that are knobs of the run; the others are as the trainer was opened with. */
  readonly hyperparameters?: Hyperparameters;
  /** What to start from, where it can be read from here; null: from nothing. */
  readonly from: Checkpoint | null;
  readonly budget: Budget;
  readonly seed: Seed;
  /** A folder of its own for checkpoints and whatever else training leaves; it is there. */
  readonly folder: string;
  /** What all rollouts say, where they are wanted; a trainer that does not know them yields none. */
  readonly rollouts?: RolloutsInCommon;
  readonly signal?: AbortSignal;
}

/**
 * The progress of a training: points of the curve as they come, what can be gone on from, and rollouts in their
 * order. What is saved may replace what was saved before. A reader records rollouts while training continues, and all of
 * them before it reads on where a state may be saved next: a state is saved after all rollouts that led to it.
 */
export type Progress =
  | { readonly kind: 'point'; readonly point: Point }
  | { readonly kind: 'saved'; readonly checkpoint: Checkpoint }
  /** `from`: how many rollouts of this training came before them, those of earlier calls included. */
  | {
      readonly kind: 'rollouts';
      readonly from: number;
      readonly rollouts: readonly TrainingRollout[];
      /** Whether a state may be saved before the next list. */
      readonly isBeforeSave: boolean;
    };

/** The result of a whole training. */
export interface Trained {
  /** Null where it left none. */
  readonly checkpoint: Checkpoint | null;
  /** The budget and no more than the last update took beyond it; less only where nothing was left to learn. */
  readonly spent: Budget;
  /** Whole, also where training was stopped and gone on with: updates go up, and what was spent does not go down. */
  readonly curve: readonly Point[];
  /** By task family, and with family null over all. */
  readonly signal: readonly Signal[];
  readonly sampled: readonly Sampled[];
  /** The number of rollouts of the whole training, where they were wanted. */
  readonly rollouts?: number;
  readonly results?: NonNullable<Training['results']>;
  /** How the program that trained ended, where it was one. */
  readonly exit?: NonNullable<Training['exit']>;
  /** The last of what the program said. */
  readonly log?: string;
  readonly measured?: Readonly<Record<string, unknown>>;
}

/** A trainer that is open: it trains a policy until a budget is spent. Close it after use. */
export interface Trainer {
  readonly component: NonNullable<Training['trainer']>;

  /** Whether the same request gives the same checkpoint digest, on any machine and any number of threads. */
  readonly isReproducible: boolean;

  /**
   * Trains until the budget is spent. Where `folder` holds what an earlier call with the same request saved before it
   * was stopped, it goes on from there, as if it never had been: what it yields is what is new, what it returns is the
   * whole. A request that was trained to its end has the same result again. What another request left in the folder is
   * never gone on from. Aborting throws the signal's reason; what was saved last stays, and may be saved and told then.
   */
  train(request: TrainRequest): AsyncGenerator<Progress, Trained, undefined>;

  /** Releases everything, also what is under way: that and later calls throw TrainerClosed. */
  close(): Promise<void>;
}

// What can go wrong with a trainer, whichever it is.

/** Thrown by a trainer that is used after it was closed. */
export class TrainerClosed extends IcecoreError {
  override readonly name = 'TrainerClosed';

  constructor(trainer: string) {
    super('internal', `the trainer ${trainer} is closed`, { facts: { trainer } });
  }
}

/** Thrown when the folder for a training holds the files of a different training. */
export class FolderTaken extends IcecoreError {
  override readonly name = 'FolderTaken';

  constructor(folder: string) {
    super('conflict', `the folder ${folder} holds what another training left`, {
      facts: { folder },
      remedy: 'Each training has a folder of its own. One is gone on with only where all it was asked for is the same.',
    });
  }
}

/** Thrown when a budget is empty, is in a unit that the trainer does not count, or is an amount that it does not take. */
export class BadBudget extends IcecoreError {
  override readonly name = 'BadBudget';

  constructor(issue: Issue) {
    super('bad-input', `the budget: ${describeIssue(issue)}`, {
      facts: { ...issue },
      remedy: 'For example: {"agent-steps": 1200000}.',
    });
  }
}
