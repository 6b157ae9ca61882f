// An engineer by rule: data goes where there is most to learn. A group that the policy solves half the time teaches most,
// one that it always or never solves nothing. Knobs follow what fails; what works is kept.
import type { Asked, Engineer, Proposal } from './engineer.ts';
import { settingsFor } from './redesign/easing.ts';
import { evidenceIn } from './redesign/evidence.ts';
import { reckoned, withSpread } from './redesign/reckoned.ts';
import { redesigned, unchanged } from './redesign/redesign.ts';
import { situationOf } from './redesign/situation.ts';

const reads = ['training', 'stats', 'behaviour', 'failures', 'history'];

const says = 'data where there is most to learn; easier where hardly anything is solved, harder where most is';

export const rules: Engineer = {
  identity: { name: 'rules', version: '2', reads },
  reads,
  propose: async (asked) => {
    asked.signal?.throwIfAborted();
    return { proposal: proposalFor(asked) };
  },
  close: async () => {},
};

function proposalFor(asked: Asked): Proposal {
  const evidence = evidenceIn(asked.context, reads);
  const situation = situationOf(withSpread(reckoned(asked.descriptor, evidence), evidence), evidence);
  return situation === null ? unchanged(asked) : redesigned(asked, situation, settingsFor(asked, situation), says);
}
