// How deep a story is told: knobs; the evidence ids they rest on; their figures; the rollouts behind.
import type { Why, WhyEvidence } from '../../../schemas/why-output.ts';

export const depths = [1, 2, 3, 4] as const;

export type Depth = (typeof depths)[number];

/** Without what lies deeper. */
export function asDeepAs(depth: Depth, why: Why): Why {
  const shallow = <Reasons extends { evidence: WhyEvidence[] }>(one: Reasons): Reasons => ({
    ...one,
    evidence: depth < 2 ? [] : one.evidence.map((evidenceId) => evidenceTo(depth, evidenceId)),
  });
  return {
    ...why,
    depth,
    changes: why.changes.map(shallow),
    kept: why.kept?.map(shallow) ?? null,
    exemplars: depth < 4 ? [] : why.exemplars,
  };
}

function evidenceTo(depth: Depth, evidence: WhyEvidence): WhyEvidence {
  return depth < 3 ? { ...evidence, figure: null, since: null, text: null } : evidence;
}
