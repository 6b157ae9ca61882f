// What a program that trains is told: everything about one stage, as JSON. docs/trainers.md is for who writes one.
import { digestOf } from '../../environments/digest.ts';
import type { Configuration, Seed } from '../../environments/environment.ts';
import type { Checkpoint } from '../../policies/policy.ts';
import type { Hyperparameters } from '../knobs.ts';
import type { Budget, TrainRequest } from '../trainer.ts';

/** Where training was stopped: what was saved last, and what had been spent by then. */
export interface Resume {
  readonly checkpoint: Checkpoint;
  readonly step: number;
  readonly spent: Budget;
}

export interface Stage {
  readonly protocol: 1;
  /** The name of the environment, as its descriptor says it. */
  readonly environment: string;
  readonly configuration: Configuration;
  /** Those that are knobs of the run, as they are set for this stage; absent where there are none. */
  readonly hyperparameters?: Hyperparameters;
  readonly budget: Budget;
  readonly seed: Seed;
  readonly from: Checkpoint | null;
  readonly folder: string;
  readonly resume: Resume | null;
}

/** Who trains what: what of a training is the same for every stage. */
export interface Workshop {
  readonly environment: string;
  readonly command: readonly string[];
}

export function stageOf(request: TrainRequest, { environment }: Workshop, resume: Resume | null): Stage {
  const { configuration, hyperparameters, budget, seed, from, folder } = request;
  const ofStage = hyperparameters === undefined ? {} : { hyperparameters };
  return { protocol: 1, environment, configuration, ...ofStage, budget, seed, from, folder, resume };
}

/** What tells this training from any other one. */
export function trainingDigest(request: TrainRequest, workshop: Workshop): string {
  const { configuration, hyperparameters, budget, seed, from } = request;
  const ofStage = hyperparameters === undefined ? {} : { hyperparameters };
  return digestOf({
    ...workshop,
    configuration,
    ...ofStage,
    budget,
    seed,
    from: from?.digest ?? from?.reference ?? null,
  });
}
