// The input of every step of an ablation.
import type { OnError } from '../../../schemas/run-file.ts';
import type { Clock } from '../../lab/models/clock.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Reports } from '../evidence/reported.ts';
import type { Surroundings } from '../run/opening.ts';
import type { RunFacts } from '../run/steps/bounds.ts';
import type { ContextBuilder } from './contexts.ts';
import type { Design, Task } from './design.ts';
import type { AblationJournal } from './journal.ts';
import type { Station } from './stations.ts';

/** The actor of an ablation's events. */
export const ablationActor = 'producer/ablation';

export interface Working {
  readonly design: Design;
  readonly ledger: Ledger;
  readonly blobs: () => Promise<Blobs>;
  readonly journal: AblationJournal;
  readonly surroundings: Surroundings;
  readonly stationOf: (task: Pick<Task, 'unit'>) => Promise<Station>;
  readonly contexts: ContextBuilder;
  /** A temporary folder for checkpoints and other files of trainers. */
  readonly folder: string;
  readonly about: RunFacts;
  /** What to do when an arm has an error; null: the arm counts as errored, and the others continue. */
  readonly onError: OnError | null;
  readonly clock?: Clock;
  readonly check: () => Promise<void>;
  readonly reports: Reports;
  readonly signal: AbortSignal;
  readonly tell: (progress: AblationProgress) => Promise<void>;
}

/** Progress reports. */
export type AblationProgress =
  | { readonly kind: 'begun'; readonly task: Task; readonly doing: 'propose' | 'train' | 'evaluate' | 'run' }
  | { readonly kind: 'repeating'; readonly run: string; readonly stage: number }
  | { readonly kind: 'done'; readonly task: Task; readonly done: number; readonly of: number }
  | { readonly kind: 'retrying'; readonly task: Task; readonly why: string; readonly seconds: number }
  | { readonly kind: 'errored'; readonly task: Task; readonly why: string };

/** The index of an arm's event within its type and stage. */
export function indexOf({ arms, units }: Design, { arm, unit }: Pick<Task, 'arm' | 'unit'>): number {
  return units.indexOf(unit) * arms.length + arms.indexOf(arm);
}
