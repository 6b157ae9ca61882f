// A failed rollout for a change that leads to none: the engineer cited nothing, or figures whose rollouts it was not shown. For a
// cited failure class, it is the first failed probe of that class in the sealed evidence that the decision is based on. Otherwise
// one that the engineer was shown comes first, then the first failed probe of the family in that evidence.
// It shows what was wrong at the time, and claims no part in the decision.

import { IcecoreError } from '../../../schemas/errors.ts';
import type { WhyEvidence, WhyUncited } from '../../../schemas/why-output.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { RunRead } from '../../producers/history/reading.ts';
import type { StageHistory } from '../../producers/history/run-history.ts';
import { rolloutsIn } from '../../producers/summaries/evidence-sums.ts';
import { listedClass } from '../../producers/summaries/failures.ts';
import type { Exemplar } from '../../producers/summaries/summary.ts';
import { exemplarsShown, type ShownContext } from './evidence.ts';
import { exemplarSeen, type Looking } from './rollouts.ts';

export interface UncitedSource extends Looking {
  readonly ledger: Ledger;
  readonly read: RunRead;
  /** The stage that the decision looks back on. */
  readonly before: StageHistory;
  /** Null if it is unknown what was shown. */
  readonly context: ShownContext | null;
}

/**
 * The first rollout that failed in the way that a cited figure counts, and was not shown: a shown one would be an exemplar of the
 * figure. Null if there is none here.
 */
export async function failureBehind(
  { evidenceId, family, figure }: Pick<WhyEvidence, 'evidenceId' | 'family' | 'figure'>,
  of: UncitedSource,
): Promise<WhyUncited | null> {
  const found = await firstFailure({ family, failureClass: figure?.about ?? null }, of);
  if (found === null) return null;
  return { ...(await exemplarSeen(found, of)), evidenceId: null, wasShown: false, behind: evidenceId };
}

/** `family` is null for a knob of all families, for which any failed rollout serves. Null if there is none here. */
export async function uncitedFailure(family: string | null, of: UncitedSource): Promise<WhyUncited | null> {
  const shown = of.context === null ? null : shownFailure(family, { ...of, context: of.context });
  if (shown !== null) return { ...(await exemplarSeen(shown, of)), wasShown: true, behind: null };
  const found = await firstFailure({ family, failureClass: null }, of);
  if (found === null) return null;
  const wasShown = of.context === null ? null : false;
  return { ...(await exemplarSeen(found, of)), evidenceId: null, wasShown, behind: null };
}

function shownFailure(family: string | null, of: UncitedSource & { readonly context: ShownContext }): Exemplar | null {
  const all = exemplarsShown(of).map(({ exemplar }) => exemplar);
  return all.find((one) => family === null || one.family === family) ?? null;
}

/** Reading all evidence of a large stage would take too long for an answer. */
const mostRollouts = 50_000;

/** The first in the order of the evidence, which does not depend on when it is asked. */
async function firstFailure(
  { family, failureClass: asked }: Record<'family' | 'failureClass', string | null>,
  { ledger, read: { descriptor }, before, context }: UncitedSource,
): Promise<Exemplar | null> {
  const sealed = before.sealed?.data;
  if (sealed === undefined || descriptor === null) return null;
  const shown = new Set(Object.values(context?.data.evidenceIds ?? {}).flatMap(({ events }) => events));
  let searched = 0;
  try {
    for await (const seen of rolloutsIn({ ledger, sealed, descriptor, splits: new Set(['probe']) })) {
      if (++searched > mostRollouts) return null;
      const { id, failureClass, failure, data } = seen;
      if (failureClass === null || data.error !== undefined || shown.has(id)) continue;
      if (family !== null && seen.family !== family) continue;
      if (asked !== null && listedClass(descriptor, failureClass) !== asked) continue;
      return {
        evidenceId: '',
        rollout: id,
        family: seen.family,
        class: failureClass,
        ...(failure === null ? {} : { failure: failure.id }),
      };
    }
  } catch (error) {
    // An answer about a decision does not fail because its evidence is incomplete here.
    if (!(error instanceof IcecoreError)) throw error;
  }
  return null;
}
