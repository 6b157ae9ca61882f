// The order of a leaderboard, and how each policy differs from the one that the others are held against.

import { IcecoreError } from '../../../../schemas/errors.ts';
import type { LakeDifference } from '../../../../schemas/lake-evaluation-output.ts';
import { nearest } from '../../../../schemas/nearest.ts';
import { paired } from '../../../lab/statistics/pairs.ts';
import { rateOf } from './rates.ts';
import type { Outcome } from './run.ts';

export interface Entrant {
  /** As it was named. */
  readonly word: string;
  readonly outcome: Outcome;
}

export interface Standing extends Entrant {
  /** Null for the baseline itself. */
  readonly against: { readonly valid: LakeDifference; readonly optimal: LakeDifference } | null;
}

/** From the highest share of valid plans to the lowest; where these are equal, by optimal plans. */
export function standings(entrants: readonly Entrant[], baseline: string | null): readonly [Standing, ...Standing[]] {
  const share = ({ outcome }: Entrant, measure: 'valid' | 'optimal'): number =>
    rateOf(outcome.evaluation, measure).value ?? -1;
  const ranked = entrants.toSorted(
    (a, b) => share(b, 'valid') - share(a, 'valid') || share(b, 'optimal') - share(a, 'optimal'),
  );
  const base = ranked.find(({ word }) => word === baseline) ?? ranked[0];
  return ranked.map((entrant) => ({
    ...entrant,
    against: base === undefined || entrant === base ? null : difference(entrant, base),
  })) as readonly Standing[] as readonly [Standing, ...Standing[]];
}

/** Lakes are the same for all, and come in one order. */
function difference({ outcome }: Entrant, base: Entrant): Standing['against'] {
  const [mine, theirs] = [outcome.byLake, base.outcome.byLake];
  return { valid: paired(mine.valid, theirs.valid), optimal: paired(mine.optimal, theirs.optimal) };
}

/** Throws a usage error where the baseline is not one of the policies. */
export function requireBaseline(baseline: string | undefined, words: readonly string[]): void {
  if (baseline === undefined || words.includes(baseline)) return;
  const near = nearest(baseline, words);
  throw new IcecoreError('usage', `--baseline: found "${baseline}", allowed: ${words.join(', ')}`, {
    facts: { field: '--baseline', found: baseline, allowed: words, nearest: near },
    remedy: near === null ? 'Name one of the policies that are compared.' : `Did you mean ${near}?`,
  });
}
