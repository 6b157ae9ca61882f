// Which failed rollout is drawn for a change: one that it cites comes first, then one of a failure class whose figure it cites,
// then one that another cited figure leads to. A rollout that failed in another way would contradict the reason.
import type { WhyEvidence, WhyExemplar, WhyReasons } from '../../../schemas/why-output.ts';

type Reasons = Pick<WhyReasons, 'evidence'>;

export interface DrawnRollout {
  readonly evidence: WhyEvidence;
  readonly exemplar: WhyExemplar;
}

/** The exemplar for these reasons; null if they lead to none. */
export function drawnFor({ evidence }: Reasons, exemplars: readonly WhyExemplar[]): DrawnRollout | null {
  for (const one of evidence.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const exemplar = smallest(exemplars.filter(({ evidenceId }) => one.exemplars.includes(evidenceId)));
    if (exemplar !== null) return { evidence: one, exemplar };
  }
  return null;
}

/** The cited figure of a failure class of which a rollout has to be found in the evidence; null if none has to be. */
export function classToFind(reasons: Reasons, exemplars: readonly WhyExemplar[]): WhyEvidence | null {
  const drawn = drawnFor(reasons, exemplars);
  if (drawn !== null && rankOf(drawn.evidence) < ranks.other) return null;
  return reasons.evidence.find((one) => rankOf(one) === ranks.failureClass) ?? null;
}

const ranks = { rollout: 0, failureClass: 1, other: 2 } as const;

function rankOf({ evidenceId, exemplars, figure }: WhyEvidence): number {
  if (exemplars.includes(evidenceId)) return ranks.rollout;
  return figure?.measure === 'failures' && figure.about !== null ? ranks.failureClass : ranks.other;
}

/** The one with the smallest drawing, which has to fit a screen. */
function smallest(exemplars: readonly WhyExemplar[]): WhyExemplar | null {
  const height = ({ drawing: text }: WhyExemplar): number => text?.split('\n').length ?? Number.POSITIVE_INFINITY;
  return exemplars.toSorted((one, other) => height(one) - height(other))[0] ?? null;
}
