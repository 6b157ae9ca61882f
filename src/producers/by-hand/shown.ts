// What an engineer is shown after a stage, for whoever asks by hand: as it was recorded, where it was.
import { isDeepStrictEqual } from 'node:util';
import type { Building } from '../contexts/module.ts';
import type { Recorded, RunHistory, StageHistory } from '../run/history.ts';

/** Null where no such context was recorded after the stage. */
export function recordedContext({
  history,
  stage,
  form,
  budget,
}: Pick<Building, 'history' | 'stage' | 'form' | 'budget'>): Recorded<'ContextRecorded'> | null {
  const contexts = contextsAfter(history, stage);
  const isSame = ({ data }: Recorded<'ContextRecorded'>): boolean =>
    data.budget === budget && (data.without ?? []).length === 0 && isDeepStrictEqual(data.contextForm, { ...form });
  return contexts.find(isSame) ?? null;
}

function contextsAfter({ stages }: RunHistory, stage: number): StageHistory['contexts'] {
  return stages.find((one) => one.stage === stage)?.contexts ?? [];
}
