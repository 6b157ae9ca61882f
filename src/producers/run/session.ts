// The input of every step of a run: the opened lab, the history so far, the settings, and where to write.

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
  /** The trainer's knobs that an engineer may change in this run. */
  readonly trainerKnobs: readonly TrainerKnob[];
  readonly engineer: Engineer;
  /** The engineer is a person: the run waits for their decisions. */
  readonly isByHand: boolean;
  /** The policy in training. */
  readonly learner: Learner;
  /** The checkpoint of the policy that the engineer asks; null if it asks none. */
  readonly engineerAsks: SnapshotAsked | null;
  /** The model that writes self-summaries; null if there is none. */
  readonly narrator: Model | null;
  /** Plugin modules that contexts may have. */
  readonly contextModules?: ContextModules;
  close(): Promise<void>;
}

/** Progress reports of a run. */
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
  /** The step failed, and is repeated after this number of seconds. */
  | { readonly kind: 'retrying'; readonly why: string; readonly seconds: number }
  | { readonly kind: 'decided'; readonly decision: Decision; readonly history: RunHistory };

const reportEvery = 64;

/** Whether to report after this number of rollouts: the first ones of a slow policy one by one, then less often. */
export function isReported(done: number): boolean {
  return done % reportEvery === 0 || (done < reportEvery && Number.isInteger(Math.log2(done)));
}

export interface StepInput {
  readonly run: string;
  readonly settings: RunSettings;
  readonly history: RunHistory;
  readonly lab: Lab;
  readonly ledger: Ledger;
  readonly blobs: () => Promise<Blobs>;
  /** The owner of evidence from training and evaluations; the run itself by default. */
  readonly evidence?: EvidenceOwner;
  /** A temporary folder for checkpoints and other files of trainers. */
  readonly folder: string;
  /** Throws if another process holds the run. */
  readonly check: () => Promise<void>;
  /** Reports attempts, if evidence has its own store. */
  readonly reports: Reports;
  readonly signal: AbortSignal;
  /** Replaces the system clock for pauses. */
  readonly clock?: Clock;
  readonly tell: (progress: RunProgress) => Promise<void>;
}

/** For the orchestrator of the run, which also divides its rollouts. */
export interface InHand extends StepInput {
  readonly holder: string;
  readonly leaseSeconds: number;
  /** Leave the shards of rollouts to workers. */
  readonly leavesShards: boolean;
}

/** Steps within a stage require that it has started. */
export function stageIn(history: RunHistory, stage: number): StageHistory {
  const found = stageAt(history, stage);
  if (found === null) throw new Error(`stage ${stage} has not started`);
  return found;
}

/** A fact that the history must contain before the step that needs it. */
export function required<Value>(value: Value | null | undefined, what: string): Value {
  if (value === null || value === undefined) throw new Error(`${what} is not recorded yet`);
  return value;
}
