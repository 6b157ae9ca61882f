// The lab of a run: everything it works with, opened. Who opens it decides which parts they are; the steps only use them.
import type { Engineer } from '../../lab/engineers/engineer.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import type { Model } from '../../lab/models/model.ts';
import type { Checkpoint, Policy, PolicyComponent } from '../../lab/policies/policy.ts';
import type { Trainer } from '../../lab/trainers/trainer.ts';

export interface Lab {
  readonly environment: Environment;
  readonly trainer: Trainer;
  readonly engineer: Engineer;
  readonly policy: PolicyComponent;
  /** What training starts from in the first stage, made in this folder where it has to be; null: from nothing. */
  beginning(folder: string): Promise<Checkpoint | null>;
  /** The snapshot an engineer asks, of those there are: after which stage, or the beginning; null: it asks none. */
  readonly engineerAsks: 'beginning' | 'latest' | number | null;
  /** Opened for a checkpoint that can be read from here; whoever asks closes it. */
  policyOf(checkpoint: Checkpoint | null): Promise<Policy>;
  /** Whom a self-summary is asked of; null where nobody can write one. */
  readonly narrator: Model | null;
  close(): Promise<void>;
}
