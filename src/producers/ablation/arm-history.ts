// A run's history with an arm's decision in it, as if the decision had been adopted and the next stage started.
import type { EventData } from '../../../schemas/catalogue.ts';
import { inStage, newStage, nowhere, type RunHistory, type StageHistory } from '../history/run-history.ts';
import { stageIn } from '../run/session.ts';

type Configuration = EventData['ConfigAdopted']['configuration'];

/** The run up to a stage. */
export function historyUntil(history: RunHistory, stage: number): RunHistory {
  return { ...history, stages: history.stages.filter((one) => one.stage <= stage), completed: null, failed: null };
}

/** With the next stage started on this configuration. */
export function historyWith(history: RunHistory, stage: number, configuration: Configuration): RunHistory {
  const before = historyUntil(history, stage);
  const checkpoint = stageIn(before, stage).completed?.data.checkpoint ?? null;
  const next = newStage(stage + 1, { ...nowhere, data: { configuration, checkpoint } });
  return { ...before, stages: [...before.stages, next] };
}

/** With the training of that stage. */
export function historyTrained(
  history: RunHistory,
  stage: number,
  training: NonNullable<StageHistory['training']>['data'],
): RunHistory {
  return inStage(history, stage + 1, () => ({ training: { ...nowhere, data: training } }));
}
