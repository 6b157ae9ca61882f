// The input for the rows of a run: its history and its stages, including those with evidence only.

import type { Rate } from '../../../schemas/run-output.ts';
import { whoDecided } from '../../producers/history/decisions.ts';
import { rateOf, validationOf } from '../../producers/history/figures.ts';
import type { RunRead } from '../../producers/history/reading.ts';
import {
  type Adoption,
  askedFor,
  bareStage,
  nowhere,
  type StageHistory,
  stageAt,
} from '../../producers/history/run-history.ts';

/** A stage of the history, or one that was decided and has not started. */
export interface CourseStage {
  readonly stage: number;
  /** Null for one that has not started. */
  readonly history: StageHistory | null;
  readonly adoption: Adoption | null;
  /** Whether this run itself recorded the stage or its decision, rather than a parent. */
  readonly isOwn: boolean;
}

/** The stages in order, including those with evidence only. */
export function withEvidence(read: RunRead, evidence: readonly number[]): RunRead {
  const { stages } = read;
  const missing = evidence.filter((stage) => stages.every((one) => one.stage !== stage));
  const bare = missing.map((stage) => ({ ...bareStage(stage, nowhere), recorder: read.run }));
  const all = [...stages, ...bare].sort((a, b) => a.stage - b.stage);
  return { ...read, stages: all };
}

export function courseOf({ run, stages, adoptions }: RunRead): readonly CourseStage[] {
  const begun = stages.map((one) => ({
    stage: one.stage,
    history: one,
    adoption: adoptions.get(one.stage) ?? null,
    isOwn: one.recorder === run,
  }));
  const decided = [...adoptions].flatMap(([stage, adoption]) =>
    begun.some((one) => one.stage === stage)
      ? []
      : [{ stage, history: null, adoption, isOwn: adoption.envelope.run === run }],
  );
  return [...begun, ...decided];
}

export function engineerOf(read: RunRead, adoption: Adoption | null): string | null {
  return adoption === null ? null : whoDecided(adoption, askedFor(read, adoption.envelope.stage ?? 0));
}

/** The validation rate of a family or in total. */
export function validationRate(read: RunRead, stage: number, measure: string, family: string | null): Rate {
  const history = stageAt(read, stage);
  const evaluation = history === null ? null : validationOf(history);
  return rateOf(evaluation?.data ?? null, measure, family);
}
