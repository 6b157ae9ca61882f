// A rule-based engineer: data goes where there is most to learn. A family that the policy solves half of the time
// teaches most; one that it always or never solves teaches nothing. Knobs respond to failures; what works is kept.
import type { Descriptor } from '../../../schemas/environment.ts';
import {
  type Belief,
  type Evidence,
  evidenceIn,
  type FamilyEvidence,
  type Figure,
  percent,
  spread,
  works,
} from './beliefs.ts';
import type { Engineer, Proposal, ProposalRequest } from './engineer.ts';
import { forgotten, settingsFor } from './knob-steps.ts';
import { practiceFor } from './practice.ts';
import { redesigned, type Situation, situationOf, unchanged } from './redesign.ts';

const reads = ['training', 'stats', 'behaviour', 'failures', 'history'];

export const rules: Engineer = {
  identity: { name: 'rules', version: '7', reads },
  reads,
  // Generated task counts matter only together with failures or rates.
  readsBeside: ['stats'],
  propose: async (request) => {
    request.signal?.throwIfAborted();
    return { proposal: await proposalFor(request) };
  },
  close: async () => {},
};

async function proposalFor(request: ProposalRequest): Promise<Proposal> {
  const evidence = evidenceIn(request.context, reads);
  const situation = situationOf(withSpread(computedBeliefs(request.descriptor, evidence), evidence), evidence);
  if (situation === null) return unchanged(request);
  const settings = [...settingsFor(request, situation), ...(await practiceFor(request, situation))];
  return redesigned(request, situation, settings, { data: dataReason(request, situation), reservation: null });
}

/** Uses only what was shown: without rates it cannot know which families are hardly solved. */
function dataReason({ descriptor }: ProposalRequest, { beliefs, evidence }: Situation): string {
  if ([...beliefs.values()].some(({ rate }) => rate !== null)) {
    return 'data where there is most to learn';
  }
  const isSignalShown = descriptor.families.some(({ family }) => evidence.of(family).signal !== null);
  return isSignalShown ? 'data where training had most to teach' : 'data by how failures are spread over families';
}

// Beliefs computed from the context alone: success rates and the learning signal.

/** A share with a wider interval comes from too few sample groups to be informative. */
const vague = 0.4;

/** The minimum worth of a family that was solved once and is not any more. */
const recall = 0.75;

/** Shrinks rates of few tasks: as if this number of additional tasks had the success rate of all families. */
const doubt = 8;

/** For all families, in the order of the descriptor. */
export function computedBeliefs({ families }: Descriptor, evidence: Evidence): Belief[] {
  const rates = families.flatMap(({ family }) => solvedIn(evidence.of(family))?.figure.value ?? []);
  const usual = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  return families.map(({ family }) => beliefOn(family, evidence, usual));
}

function beliefOn(family: string, evidence: Evidence, usual: number): Belief {
  const shown = evidence.of(family);
  const solved = solvedIn(shown);
  const rate = solved === null ? null : doubted(solved.figure, usual);
  const signal = shown.signal !== null && (shown.signal.width ?? 0) <= vague ? shown.signal : null;
  const lost = forgotten(shown.trials);
  const success = solved === null ? '' : `${percent(solved.figure.value)} of ${solved.of} succeed`;
  const worths = [...(rate === null ? [] : [spread(rate)]), ...(signal === null ? [] : [signal.value])];
  const worth = worths.length === 0 ? null : worths.reduce((sum, one) => sum + one, 0) / worths.length;
  return {
    family,
    rate,
    worth: lost === null || worth === null ? worth : Math.max(worth, recall),
    works: lost === null && solved !== null && works(solved.figure),
    cites: [
      ...(solved?.cites ?? []),
      ...(signal === null ? [] : [signal.evidenceId]),
      ...(lost === null ? [] : [lost.best.evidenceId, lost.last.evidenceId]),
    ],
    reason: [
      ...(success === '' ? [] : [success]),
      ...(signal === null ? [] : [`${percent(signal.value)} of the comparisons in training had something to teach`]),
      ...(lost === null ? [] : [`it was better once: ${percent(lost.best.value)}, now ${percent(lost.last.value)}`]),
    ].join('; '),
    success,
  };
}

function doubted({ value, of }: Figure, usual: number): number {
  return of === null ? value : (value * of + usual * doubt) / (of + doubt);
}

/**
 * Without other evidence, the spread of failures over a pool with equal families tells what a family teaches: more
 * failures than others mean harder tasks, and a family with half as many failures as the hardest teaches most. This
 * does not give a success rate.
 */
export function withSpread(beliefs: readonly Belief[], evidence: Evidence): Belief[] {
  const failed = (family: string): number => evidence.of(family).ways[0]?.of ?? 0;
  const most = Math.max(...beliefs.map(({ family }) => failed(family)));
  return beliefs.map((belief) => {
    const count = failed(belief.family);
    if (belief.worth !== null || count === 0) return belief;
    return {
      ...belief,
      worth: spread(count / most),
      cites: [...belief.cites, ...evidence.of(belief.family).ways.map(({ evidenceId }) => evidenceId)],
      reason:
        count === most
          ? `${count} of its tries failed, in no family more`
          : `${count} of its tries failed, where most did ${most}`,
    };
  });
}

/** As counted directly; otherwise the rate after the stage. */
export function solvedIn({
  solved,
  trials,
}: FamilyEvidence): { readonly figure: Figure; readonly cites: readonly string[]; readonly of: string } | null {
  if (solved !== null) return { figure: solved, cites: [solved.evidenceId], of: 'its probe attempts' };
  const last = trials.at(-1)?.solved ?? null;
  return last === null ? null : { figure: last, cites: [last.evidenceId], of: 'its validation attempts' };
}
