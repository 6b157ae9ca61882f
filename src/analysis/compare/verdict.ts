// What a difference amounts to, in words that claim no more than it shows: better, worse or inconclusive, and never the
// same, unless a margin was stated and the difference is shown to lie within it.
import type { RunDifference } from '../../../schemas/compare-output.ts';
import { fewestPairs, holm } from '../../lab/statistics/significance.ts';
import { alpha, type PairedDifference } from './pairs.ts';

export interface Held {
  readonly of: string;
  readonly against: string;
  readonly families: RunDifference['families'];
  /** Null where there are no pairs, for the reason in `missing`. */
  readonly difference: PairedDifference | null;
  readonly missing: string;
  /** What both have in common is the very same stage; null where they do not. */
  readonly same: string | null;
}

/** All that are held against one: how likely chance is, is told for all of them together. */
export function judged(all: readonly Held[], margin: number | null): RunDifference[] {
  const tested = all.filter(isTested);
  const adjusted = holm(tested.map(({ difference }) => difference?.p ?? 1));
  const least = holm(tested.map(({ difference }) => difference?.least ?? 1));
  const comparisons = Math.max(1, tested.length);
  return all.map((held) => {
    const place = tested.indexOf(held);
    const isHopeless = (least[place] ?? 0) >= alpha;
    return told(held, { adjusted: adjusted[place] ?? null, isHopeless, margin, comparisons });
  });
}

function isTested({ difference, same }: Held): boolean {
  return same === null && difference !== null && difference.p !== null;
}

interface Standard {
  readonly adjusted: number | null;
  /** Whether so few pairs could never look unlike chance, among so many comparisons. */
  readonly isHopeless: boolean;
  readonly margin: number | null;
  readonly comparisons: number;
}

function told(held: Held, standard: Standard): RunDifference {
  const { of, against, families, same } = held;
  const { adjusted, comparisons } = standard;
  const found = same === null ? held.difference : null;
  const equivalence = found === null ? null : equivalenceOf(found, standard);
  const verdict = verdictOf(held, adjusted);
  return {
    of,
    against,
    pairs: found?.pairs ?? null,
    units: found?.units ?? 0,
    difference: same === null ? (found?.value ?? null) : 0,
    low: found?.interval?.low ?? null,
    high: found?.interval?.high ?? null,
    p: found?.p ?? null,
    adjusted,
    better: found?.better ?? 0,
    worse: found?.worse ?? 0,
    effect: found?.effect ?? null,
    method: found?.method ?? null,
    unitsNeeded: verdict === 'inconclusive' ? (found?.unitsNeeded(comparisons) ?? null) : null,
    equivalence,
    verdict,
    says: wordsOf(held, verdict, equivalence, standard),
    families,
  };
}

function verdictOf({ difference, same }: Held, adjusted: number | null): RunDifference['verdict'] {
  if (same !== null) return 'same';
  if (difference === null || adjusted === null) return 'unknown';
  if (adjusted >= alpha) return 'inconclusive';
  return difference.value > 0 ? 'better' : 'worse';
}

/**
 * Two tests, one to either side: that the interval which leaves out so much on each side lies within the margin. Where there
 * are several comparisons, each leaves out as much less.
 */
function equivalenceOf(difference: PairedDifference, { margin, comparisons }: Standard): RunDifference['equivalence'] {
  if (margin === null) return null;
  const level = 1 - (2 * alpha) / comparisons;
  const interval = difference.at(level);
  if (interval === null) return null;
  const { low, high } = interval;
  return { margin, low, high, level, holds: low > -margin && high < margin };
}

function wordsOf(
  held: Held,
  verdict: RunDifference['verdict'],
  equivalence: RunDifference['equivalence'],
  standard: Standard,
): string {
  const { difference, missing, same } = held;
  if (same !== null) return same;
  if (difference === null || verdict === 'unknown') return difference === null ? missing : unsureWords(difference);
  const points = pointsOf(Math.abs(difference.value));
  const words = equivalence === null ? [] : [equivalenceWords(equivalence)];
  // What is equivalent is not inconclusive, though no difference shows.
  if (verdict === 'inconclusive' && equivalence?.holds === true) return words.join();
  const first = verdict === 'inconclusive' ? inconclusive(difference, standard) : `${verdict} by ${points}`;
  return [first, ...words].join(', ');
}

function inconclusive({ pairs }: PairedDifference, { isHopeless, comparisons }: Standard): string {
  if (!isHopeless) return 'inconclusive';
  const among = comparisons === 1 ? '' : ` in ${comparisons} comparisons`;
  return `inconclusive: ${fewestPairs(alpha / comparisons)} ${pairs} are the least that can show a difference${among}`;
}

function unsureWords({ pairs }: PairedDifference): string {
  return pairs === 'seeds' ? 'one seed in common: nothing can be said of settings' : 'how sure it is was not recorded';
}

function equivalenceWords({ margin, holds }: NonNullable<RunDifference['equivalence']>): string {
  return holds ? `equivalent within ${pointsOf(margin)}` : `not shown to be within ${pointsOf(margin)}`;
}

function pointsOf(share: number): string {
  const points = Number((100 * share).toFixed(1));
  return `${points} ${points === 1 ? 'point' : 'points'}`;
}
