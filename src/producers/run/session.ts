// What every step of a run gets: the opened lab, the history so far, the settings, and where to write.

import type { RunSettings, TrainerKnob } from '../../../schemas/run-file.ts';
import type { ContextModules } from '../../lab/context-modules.ts';
import type { Engineer } from '../../lab/engineers/engineer.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import type { Clock } from '../../lab/models/clock.ts';
import type { Model } from '../../lab/models/model.ts';
import type { Trainer, Progress as Training } from '../../lab/trainers/trainer.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { SnapshotAsked } from '../engineers/engineers.ts';
import type { EvidenceOwner } from '../evidence/parts.ts';
import type { Reports } from '../evidence/reported.ts';
import { type RunHistory, type StageHistory, stageAt } from '../history/run-history.ts';
import type { Decision } from './journal.ts';
import type { Learner } from './learner.ts';
import type { Step } from './next.ts';
import type { ShardProgress } from './shards/leases.ts';

export interface Lab {
  readonly environment: Environment;
  readonly trainer: Trainer;
  /** What of it an engineer may change in this run. */
  readonly trainerKnobs: readonly TrainerKnob[];
  readonly engineer: Engineer;
  /** The engineer is a person: the run waits for what they decide. */
  readonly isByHand: boolean;
  /** Who is trained. */
  readonly learner: Learner;
  /** The snapshot of the policy that the engineer asks; null where it asks none. */
  readonly engineerAsks: SnapshotAsked | null;
  /** Whom a self-summary is asked of; null where nobody can write one. */
  readonly narrator: Model | null;
  /** Modules of plugins that contexts may have. */
  readonly contextModules?: ContextModules;
  close(): Promise<void>;
}

/** What is told while a run goes on. */
export type RunProgress =
  | { readonly kind: 'step'; readonly step: Step }
  | { readonly kind: 'training'; readonly stage: number; readonly progress: Training }
  | {
      readonly kind: 'rollouts';
      readonly stage: number;
      readonly of: string;
      readonly done: number;
    }
  | ShardProgress
  /** The step failed, and is tried again after this number of seconds. */
  | { readonly kind: 'retrying'; readonly why: string; readonly seconds: number }
  | { readonly kind: 'decided'; readonly decision: Decision; readonly history: RunHistory };

export interface At {
  readonly run: string;
  readonly settings: RunSettings;
  readonly history: RunHistory;
  readonly lab: Lab;
  readonly ledger: Ledger;
  readonly blobs: () => Promise<Blobs>;
  /** Whose evidence training and evaluations are recorded as; the run's own, where nothing is said. */
  readonly evidence?: EvidenceOwner;
  /** Where checkpoints and whatever trainers leave are kept while the run goes on; nothing there is needed for ever. */
  readonly folder: string;
  /** Throws where the run is in other hands by now. */
  readonly check: () => Promise<void>;
  /** Reports what was recorded, where evidence has a store of its own. */
  readonly reports: Reports;
  readonly signal: AbortSignal;
  /** By which pauses are measured, where that is not the clock of the system. */
  readonly clock?: Clock;
  readonly tell: (progress: RunProgress) => Promise<void>;
}

/** The same for whoever has the run in hand, and shares its rollouts out. */
export interface InHand extends At {
  readonly holder: string;
  readonly leaseSeconds: number;
  /** The shards of rollouts are left to workers. */
  readonly leavesShards: boolean;
}

/** Steps within a stage are taken only where the stage has begun. */
export function stageIn(history: RunHistory, stage: number): StageHistory {
  const found = stageAt(history, stage);
  if (found === null) throw new Error(`stage ${stage} has not begun`);
  return found;
}

/** A fact that cannot be missing where the step that needs it is taken. */
export function known<Value>(value: Value | null | undefined, what: string): Value {
  if (value === null || value === undefined) throw new Error(`${what} is not recorded yet`);
  return value;
}
