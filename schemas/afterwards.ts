// What whoever shows effects beside changes says: that one followed the other does not show that it came from it.
import type { WhyEffect } from './why-output.ts';

interface Followed {
  readonly changes: readonly unknown[];
  readonly effects: readonly Pick<WhyEffect, 'validation'>[];
}

/** Null where no decision is shown with both changes and what became of their families. */
export function afterwardsNote(decisions: readonly Followed[]): string | null {
  const hasEffects = decisions.some(
    ({ changes, effects }) => changes.length > 0 && effects.some(({ validation }) => validation.gain !== null),
  );
  return hasEffects ? meaning : null;
}

const meaning =
  'Afterwards does not mean because of it: a family may also improve because it was trained for one more stage, or because other knobs changed.';
