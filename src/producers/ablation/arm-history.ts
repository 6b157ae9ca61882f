// The history of a run with what an arm decided in it: as if that had been adopted after the stage, and the next one begun.
import type { EventData } from '../../../schemas/catalogue.ts';
import { inStage, newStage, nowhere, type RunHistory, type StageHistory } from '../history/run-history.ts';
import { stageIn } from '../run/session.ts';

type Configuration = EventData['ConfigAdopted']['configuration'];

/** The run as far as a stage, and nothing that came after it. */
export function historyUntil(history: RunHistory, stage: number): RunHistory {
  return { ...history, stages: history.stages.filter((one) => one.stage <= stage), completed: null, failed: null };
}

/** With the next stage begun on this configuration. */
export function historyWith(history: RunHistory, stage: number, configuration: Configuration): RunHistory {
  const before = historyUntil(history, stage);
  const checkpoint = stageIn(before, stage).completed?.data.checkpoint ?? null;
  const next = newStage(stage + 1, { ...nowhere, data: { configuration, checkpoint } });
  return { ...before, stages: [...before.stages, next] };
}

/** The same once it is trained. */
export function historyTrained(
  history: RunHistory,
  stage: number,
  training: NonNullable<StageHistory['training']>['data'],
): RunHistory {
  return inStage(history, stage + 1, () => ({ training: { ...nowhere, data: training } }));
}
