// All rows of the decision tables for a stream, by table: for a run or an ablation.
import type { RunRead } from '../../producers/history/reading.ts';
import { ablationRows } from './ablations.ts';
import { alertRows } from './alerts.ts';
import { contextAndSummaryRows } from './contexts.ts';
import { curriculumRows } from './curriculum.ts';
import { decisionRows } from './decisions.ts';
import { evaluationRows } from './evaluations.ts';
import type { StreamEvents } from './events.ts';
import { withEvidence } from './history.ts';
import { measureRows } from './measures.ts';
import { proposalRows } from './proposals.ts';
import type { Rows } from './rows.ts';
import { runRows } from './runs.ts';
import { trainingRows } from './trainings.ts';

/** `evidence` lists the run's stages with evidence. */
export function rowsOfRun(read: RunRead, events: StreamEvents, evidence: readonly number[]): Rows {
  const whole = withEvidence(read, evidence);
  return {
    ...runRows(whole),
    ...decisionRows(whole),
    ...measureRows(whole),
    ...curriculumRows(whole),
    ...rowsByEvent(events),
  };
}

export function rowsOfAblation(events: StreamEvents): Rows {
  return { ...ablationRows(events), ...rowsByEvent(events) };
}

/** Runs and arms answer, train and evaluate alike. */
function rowsByEvent(events: StreamEvents): Rows {
  return {
    ...proposalRows(events),
    ...evaluationRows(events),
    ...trainingRows(events),
    ...contextAndSummaryRows(events),
    ...alertRows(events),
  };
}
