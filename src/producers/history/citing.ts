// The evidence behind a change: whether what it cites was shown and concerns its family.
import { isDeepStrictEqual } from 'node:util';
import type { RestsOn, WhyEvidence } from '../../../schemas/why-output.ts';
import type { ContextInput } from '../contexts/module.ts';
import type { Cited, EvidenceIds } from '../proposals/scores.ts';
import { type Adoption, type Recorded, type RunHistory, stageAt } from './run-history.ts';

type Concern = WhyEvidence['concerns'];

/** `about` is the family of the evidence. */
export function concernOf(about: string | null, family: string | null): Concern {
  if (about === family) return 'its family';
  return about === null || family === null ? 'in part' : 'another family';
}

const best: readonly RestsOn[] = ['its family', 'in part', 'another family', 'unknown'];

/** `evidenceIds` is null if the context is unknown. */
export function restsOn({ family, cites }: Cited, evidenceIds: EvidenceIds | null): RestsOn {
  if (cites === null || cites.length === 0) return 'nothing';
  if (evidenceIds === null) return 'no context';
  const met = cites.map((evidenceId): RestsOn => {
    const shown = Object.hasOwn(evidenceIds, evidenceId) ? evidenceIds[evidenceId] : undefined;
    return shown === undefined ? 'unknown' : (concernOf(shown.family, family) ?? 'unknown');
  });
  return best.find((one) => met.includes(one)) ?? 'nothing';
}

/** The context of that event, otherwise the last one with that digest; null if the history has none. */
export function contextNamed(
  { opening, stages }: RunHistory,
  { event, digest }: NonNullable<Adoption['data']['context']>,
): Recorded<'ContextRecorded'> | null {
  const contexts = [opening, ...stages].flatMap((stage) => stage.contexts);
  const named = contexts.findLast(({ id, data }) => (event === undefined ? data.digest === digest : id === event));
  return named ?? null;
}

/** Null if no such context was recorded after the stage. */
export function recordedContext({
  history,
  stage,
  form,
  budget,
}: Pick<ContextInput, 'history' | 'stage' | 'form' | 'budget'>): Recorded<'ContextRecorded'> | null {
  const contexts = stageAt(history, stage)?.contexts ?? [];
  const isSame = ({ data }: Recorded<'ContextRecorded'>): boolean =>
    data.budget === budget && (data.without ?? []).length === 0 && isDeepStrictEqual(data.contextForm, { ...form });
  return contexts.find(isSame) ?? null;
}
