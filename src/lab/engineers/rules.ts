// An engineer by rule: data goes where there is most to learn. A family that the policy solves half the time teaches most,
// one that it always or never solves nothing. Knobs follow what fails; what works is kept.
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
import { redesigned, type Situation, situationOf, unchanged } from './redesign.ts';
import { forgotten, settingsFor } from './turning.ts';

const reads = ['training', 'stats', 'behaviour', 'failures', 'history'];

export const rules: Engineer = {
  identity: { name: 'rules', version: '3', reads },
  reads,
  // What was generated matters to a rule that has failures or rates to go by.
  readsBeside: ['stats'],
  propose: async (request) => {
    request.signal?.throwIfAborted();
    return { proposal: proposalFor(request) };
  },
  close: async () => {},
};

function proposalFor(request: ProposalRequest): Proposal {
  const evidence = evidenceIn(request.context, reads);
  const situation = situationOf(withSpread(reckoned(request.descriptor, evidence), evidence), evidence);
  if (situation === null) return unchanged(request);
  return redesigned(request, situation, settingsFor(request, situation), saysOf(request, situation));
}

/** Only of what was shown: where no rates are, nobody knows what is hardly solved. */
function saysOf({ descriptor }: ProposalRequest, { beliefs, evidence }: Situation): string {
  if ([...beliefs.values()].some(({ rate }) => rate !== null)) {
    return 'data where there is most to learn; easier where hardly anything is solved, harder where most is';
  }
  const isSignalShown = descriptor.families.some(({ family }) => evidence.of(family).signal !== null);
  return isSignalShown ? 'data where training had most to teach' : 'data by how failures are spread over families';
}

// Beliefs by reckoning with what a context shows, and with nothing else: how often tasks are solved, and how many
// comparisons had something to teach.

/** A share with a wider interval than this was counted of so few comparisons that it says nothing. */
const vague = 0.4;

/** What was solved once, and is not any more, is worth at least this. */
const recall = 0.75;

/** Few tasks say little: a rate counts as if so many more had been tried, and solved as often as those of all families. */
const doubt = 8;

/** Of all families, in the order of the descriptor. */
export function reckoned({ families }: Descriptor, evidence: Evidence): Belief[] {
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
      ...(solved === null ? [] : [`${percent(solved.figure.value)} of its tasks are solved`]),
      ...(signal === null ? [] : [`${percent(signal.value)} of the comparisons in training had something to teach`]),
      ...(lost === null ? [] : [`it was better once: ${percent(lost.best.value)}, now ${percent(lost.last.value)}`]),
    ].join('; '),
  };
}

function doubted({ value, of }: Figure, usual: number): number {
  return of === null ? value : (value * of + usual * doubt) / (of + doubt);
}

/**
 * Where nothing else says what a family teaches, how failures are spread: what fails more often than others, of a pool that
 * has all families alike, is harder, and what fails half as often as the hardest teaches most. How often a family is solved
 * does not follow from that.
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
          ? `${count} of its tries failed, the most of all`
          : `${count} of its tries failed, where most did ${most}`,
    };
  });
}

/** As it was counted; else as it was after the stage. */
export function solvedIn({
  solved,
  trials,
}: FamilyEvidence): { readonly figure: Figure; readonly cites: readonly string[] } | null {
  if (solved !== null) return { figure: solved, cites: [solved.evidenceId] };
  const last = trials.at(-1)?.solved ?? null;
  return last === null ? null : { figure: last, cites: [last.evidenceId] };
}
