// Which configuration a stage ran on, and the decision it comes from.
import type { Configuration } from '../../lab/environments/environment.ts';
import type { Recorded, RunHistory } from '../run/history.ts';

export function adoptionOf({ initial, stages }: RunHistory, stage: number): Recorded<'ConfigAdopted'> | null {
  if (stage === 1) return initial;
  return stages.find((one) => one.stage === stage - 1)?.adopted ?? null;
}

/** Null where there is no such stage, or nothing was recorded of its configuration. */
export function configurationOf(history: RunHistory, stage: number): Configuration | null {
  const adopted = adoptionOf(history, stage)?.data.configuration;
  const started = history.stages.find((one) => one.stage === stage)?.started.data.configuration;
  return (started ?? adopted)?.whole ?? null;
}
