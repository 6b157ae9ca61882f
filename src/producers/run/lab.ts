// The lab of a run: everything it works with, opened. Who opens it decides which parts they are; the steps only use them.
import type { Engineer } from '../../lab/engineers/engineer.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import type { Model } from '../../lab/models/model.ts';
import type { Trainer } from '../../lab/trainers/trainer.ts';
import type { SnapshotAsked } from '../engineers/choice.ts';
import type { Learner } from './learner.ts';

export interface Lab {
  readonly environment: Environment;
  readonly trainer: Trainer;
  readonly engineer: Engineer;
  /** The engineer is a person: the run waits for what they decide. */
  readonly isByHand: boolean;
  /** Who is trained. */
  readonly learner: Learner;
  /** The snapshot of the policy that the engineer asks; null where it asks none. */
  readonly engineerAsks: SnapshotAsked | null;
  /** Whom a self-summary is asked of; null where nobody can write one. */
  readonly narrator: Model | null;
  close(): Promise<void>;
}
