// An engineer by rule: data goes where there is most to learn. A family that the policy solves half the time teaches most,
// one that it always or never solves nothing. Knobs follow what fails; what works is kept.
import type { Asked, Engineer, Proposal } from './engineer.ts';
import { settingsFor } from './redesign/easing.ts';
import { evidenceIn } from './redesign/evidence.ts';
import { reckoned, withSpread } from './redesign/reckoned.ts';
import { redesigned, unchanged } from './redesign/redesign.ts';
import { type Situation, situationOf } from './redesign/situation.ts';

const reads = ['training', 'stats', 'behaviour', 'failures', 'history'];

export const rules: Engineer = {
  identity: { name: 'rules', version: '3', reads },
  reads,
  // What was generated matters to a rule that has failures or rates to go by.
  readsBeside: ['stats'],
  propose: async (asked) => {
    asked.signal?.throwIfAborted();
    return { proposal: proposalFor(asked) };
  },
  close: async () => {},
};

function proposalFor(asked: Asked): Proposal {
  const evidence = evidenceIn(asked.context, reads);
  const situation = situationOf(withSpread(reckoned(asked.descriptor, evidence), evidence), evidence);
  if (situation === null) return unchanged(asked);
  return redesigned(asked, situation, settingsFor(asked, situation), saysOf(asked, situation));
}

/** Only of what was shown: where no rates are, nobody knows what is hardly solved. */
function saysOf({ descriptor }: Asked, { beliefs, evidence }: Situation): string {
  if ([...beliefs.values()].some(({ rate }) => rate !== null)) {
    return 'data where there is most to learn; easier where hardly anything is solved, harder where most is';
  }
  const isSignalShown = descriptor.families.some(({ family }) => evidence.of(family).signal !== null);
  return isSignalShown ? 'data where training had most to teach' : 'data by how failures are spread over families';
}
