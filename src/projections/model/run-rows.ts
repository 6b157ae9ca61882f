// Every row of the tables of decisions that a run has, by table.
import type { TypeName } from '../../../schemas/catalogue.ts';
import type { RunRead } from '../../producers/history/run-read.ts';
import { curriculumRows } from './curriculum.ts';
import { decisionRows } from './decisions.ts';
import { withEvidence } from './history.ts';
import { measureRows } from './measures.ts';
import type { Rows } from './rows.ts';
import { runRows } from './runs.ts';

/** Changes with the rows that the same events have: all tables that they fill are then filled anew. */
export const modelVersion = 1;

/** The types of events that rows are made from. */
export const modelTypes: readonly TypeName[] = [
  'RunStarted',
  'StageStarted',
  'TrainingRecorded',
  'EvaluationRecorded',
  'EvidenceSealed',
  'SummaryRecorded',
  'ContextRecorded',
  'ProposalRecorded',
  'ProposalRejected',
  'ProposalErrored',
  'ConfigAdopted',
  'StageCompleted',
  'RunCompleted',
  'RunFailed',
];

/** `evidence`: the stages that the run has evidence of. */
export function rowsOfRun(read: RunRead, evidence: readonly number[]): Rows {
  const whole = withEvidence(read, evidence);
  return { ...runRows(whole), ...decisionRows(whole), ...measureRows(whole), ...curriculumRows(whole) };
}
