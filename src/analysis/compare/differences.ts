// How much better one run or arm is than another, pair by pair, and what that amounts to, in words that claim no more than it
// shows: better, worse or inconclusive, and equivalent only within a margin that was stated.

import type { Pairing, RunDifference } from '../../../schemas/compare-output.ts';
import {
  confidence,
  deviationsWithin,
  hedges,
  type Interval,
  isUnvaried,
  meanOf,
} from '../../lab/statistics/distributions.ts';
import { paired, stratified } from '../../lab/statistics/pairs.ts';
import { neededFor } from '../../lab/statistics/power.ts';
import { fewestPairs, holm, leastSignFlip, mcnemar, shiftOf, signFlip } from '../../lab/statistics/significance.ts';
import { familiesOf, rateOf } from '../../producers/history/figures.ts';
import type { Evaluation } from './entrants.ts';
import type { Tally } from './tasks.ts';

interface PairedDifference {
  readonly pairs: Pairing;
  readonly units: number;
  readonly value: number;
  readonly interval: Interval | null;
  readonly p: number | null;
  readonly better: number;
  readonly worse: number;
  /** In standard deviations of the pairs, by Hedges. */
  readonly effect: number | null;
  readonly method: string;
  /** How many units would make it significant among this number of comparisons. */
  readonly unitsNeeded: (comparisons: number) => number | null;
  /** The smallest p that this number of pairs can give. */
  readonly least: number;
  /** The interval of another level; null where there is none. */
  readonly at: (level: number) => Interval | null;
}

/** Whoever compares again draws the same. */
const drawnBy = 'icecore compare';

/** The level below which chance is not believed in. */
export const alpha: number = Number((1 - confidence).toFixed(9));

/** Null where no task was tried by both. */
export function byTasks(one: Tally, other: Tally): PairedDifference | null {
  const common = [...one].flatMap(([task, mine]) => {
    const theirs = other.get(task);
    return theirs === undefined ? [] : [{ mine, theirs }];
  });
  if (common.length === 0) return null;
  const shares = (side: 'mine' | 'theirs') => common.map((pair) => pair[side].count / pair[side].of);
  const [here, there] = [shares('mine'), shares('theirs')];
  const differences = here.map((share, i) => share - (there[i] ?? 0));
  const isAllOrNothing = [...here, ...there].every((share) => share === 0 || share === 1);
  const better = differences.filter((one) => one > 0).length;
  const worse = differences.filter((one) => one < 0).length;
  const at = (level: number) => paired(here, there, deviationsWithin(level));
  return {
    pairs: 'tasks',
    units: common.length,
    value: meanOf(differences),
    interval: at(confidence),
    p: isAllOrNothing ? mcnemar(better, worse) : signFlip(differences, drawnBy),
    better,
    worse,
    effect: null,
    method: `${isAllOrNothing ? "McNemar's exact test" : 'sign flips by task'}, interval of Agresti and Min`,
    unitsNeeded: () => null,
    least: leastSignFlip(common.length),
    at,
  };
}

/** Null where both have no family with a figure in common. */
export function byFamilies(one: Evaluation, other: Evaluation, measure: string): PairedDifference | null {
  const theirs = new Set(familiesOf(other));
  const common = familiesOf(one).filter((family) => theirs.has(family));
  const families = common.length === 0 ? [null] : common;
  const rates = families.map((family) => ({
    mine: rateOf(one, measure, family),
    theirs: rateOf(other, measure, family),
  }));
  const strata = rates.flatMap(({ mine, theirs }) => {
    if (mine.count === null || mine.of === null || theirs.count === null || theirs.of === null) return [];
    return [{ one: tasksIn(mine.count, mine.of, one), other: tasksIn(theirs.count, theirs.of, other) }];
  });
  const found = strata.length === rates.length ? stratified(strata) : null;
  if (found === null) return withoutCounts(one, other, measure);
  const { value, p, better, worse, families: units } = found;
  return {
    pairs: 'families',
    units,
    value,
    interval: found,
    p,
    better,
    worse,
    effect: null,
    method: "intervals of Newcombe's kind, put together over families",
    unitsNeeded: () => null,
    least: 0,
    at: (level) => stratified(strata, deviationsWithin(level)),
  };
}

/** Tries at one task are alike: they count as one. */
function tasksIn(
  count: number,
  of: number,
  { samples = 1 }: Evaluation,
): { readonly count: number; readonly of: number } {
  const tries = Math.max(1, samples);
  return { count: count / tries, of: of / tries };
}

function withoutCounts(one: Evaluation, other: Evaluation, measure: string): PairedDifference | null {
  const [mine, theirs] = [rateOf(one, measure).value, rateOf(other, measure).value];
  if (mine === null || theirs === null) return null;
  const value = mine - theirs;
  return {
    ...{ pairs: 'families', units: 1, value, interval: null, p: null, effect: null, unitsNeeded: () => null, least: 0 },
    better: Number(value > 0),
    worse: Number(value < 0),
    method: 'none: how many tasks there were was not recorded',
    at: () => null,
  };
}

/** What differs further behind comes of reckoning, and is no spread. */
const places = 12;

/** By seed, what came of it. */
export type BySeed = ReadonlyMap<string, number>;

/** Null where no seed is in both. */
export function bySeeds(one: BySeed, other: BySeed): PairedDifference | null {
  const differences = [...one].flatMap(([seed, value]) => {
    const theirs = other.get(seed);
    return theirs === undefined ? [] : [Number((value - theirs).toFixed(places))];
  });
  const { length } = differences;
  if (length === 0) return null;
  const shift = shiftOf(differences, drawnBy);
  return {
    pairs: 'seeds',
    units: length,
    value: meanOf(differences),
    interval: isUnvaried(differences) ? null : shift.interval(confidence),
    p: length < 2 ? null : shift.p(0),
    better: differences.filter((value) => value > 0).length,
    worse: differences.filter((value) => value < 0).length,
    effect: hedges(differences),
    method: 'sign flips by seed, of the interval too',
    unitsNeeded: (comparisons) => seedsNeeded(differences, alpha / comparisons),
    least: leastSignFlip(length),
    at: shift.interval,
  };
}

/** Null where thousands of seeds would not do, or where these do not say how much they vary. */
function seedsNeeded(differences: readonly number[], level: number): number | null {
  const needed = neededFor(differences, level);
  return typeof needed === 'number' ? needed : null;
}

export interface RunPair {
  readonly of: string;
  readonly against: string;
  readonly families: RunDifference['families'];
  /** Null where there are no pairs, for the reason in `missing`. */
  readonly difference: PairedDifference | null;
  readonly missing: string;
  /** What both have in common is the very same stage; null where they do not. */
  readonly same: string | null;
}

/** All that are compared with one: how likely chance is, is corrected for all of them. */
export function judged(all: readonly RunPair[], margin: number | null): RunDifference[] {
  const tested = all.filter(isTested);
  const adjusted = holm(tested.map(({ difference }) => difference?.p ?? 1));
  const least = holm(tested.map(({ difference }) => difference?.least ?? 1));
  const comparisons = Math.max(1, tested.length);
  return all.map((held) => {
    const place = tested.indexOf(held);
    const isHopeless = (least[place] ?? 0) >= alpha;
    return differenceOf(held, { adjusted: adjusted[place] ?? null, isHopeless, margin, comparisons });
  });
}

function isTested({ difference, same }: RunPair): boolean {
  return same === null && difference !== null && difference.p !== null;
}

interface Standard {
  readonly adjusted: number | null;
  /** Whether there are too few pairs for any significance among this number of comparisons. */
  readonly isHopeless: boolean;
  readonly margin: number | null;
  readonly comparisons: number;
}

function differenceOf(held: RunPair, standard: Standard): RunDifference {
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

function verdictOf({ difference, same }: RunPair, adjusted: number | null): RunDifference['verdict'] {
  if (same !== null) return 'same';
  if (difference === null || adjusted === null) return 'unknown';
  if (adjusted >= alpha) return 'inconclusive';
  return difference.value > 0 ? 'better' : 'worse';
}

/** By fewer tasks, the interval is too rough an approximation: of runs that differ by the margin, up to 15 % would pass, not 5 %. */
export const fewestTasksForEquivalence = 50;

/** Whether there are too few tasks to call anything equivalent. */
export function lacksTasks({ pairs, units }: Pick<RunDifference, 'pairs' | 'units'>): boolean {
  return pairs === 'tasks' && units < fewestTasksForEquivalence;
}

/**
 * Two one-sided tests: the interval of this level is within the margin. Several comparisons share the level.
 */
function equivalenceOf(difference: PairedDifference, { margin, comparisons }: Standard): RunDifference['equivalence'] {
  if (margin === null) return null;
  const level = 1 - (2 * alpha) / comparisons;
  const interval = difference.at(level);
  if (interval === null) return null;
  const { low, high } = interval;
  return { margin, low, high, level, holds: !lacksTasks(difference) && low > -margin && high < margin };
}

function wordsOf(
  held: RunPair,
  verdict: RunDifference['verdict'],
  equivalence: RunDifference['equivalence'],
  standard: Standard,
): string {
  const { difference, missing, same } = held;
  if (same !== null) return same;
  if (difference === null || verdict === 'unknown') return difference === null ? missing : unsureWords(difference);
  const points = pointsOf(Math.abs(difference.value));
  const words = equivalence === null ? [] : [equivalenceWords(equivalence, difference)];
  // What is equivalent is not inconclusive, though no difference shows.
  if (verdict === 'inconclusive' && equivalence?.holds === true) return words.join();
  const first = verdict === 'inconclusive' ? inconclusive(difference, standard) : `${verdict} by ${points}`;
  return [first, ...words].join(', ');
}

function inconclusive({ pairs }: PairedDifference, { isHopeless, comparisons }: Standard): string {
  if (!isHopeless) return 'inconclusive';
  const among = comparisons === 1 ? '' : ` in ${comparisons} comparisons`;
  return `inconclusive: at least ${fewestPairs(alpha / comparisons)} ${pairs} are needed${among}`;
}

function unsureWords({ pairs }: PairedDifference): string {
  return pairs === 'seeds'
    ? 'one seed in common does not compare settings'
    : 'no counts are recorded, so there is no interval';
}

function equivalenceWords(
  { margin, holds }: NonNullable<RunDifference['equivalence']>,
  difference: PairedDifference,
): string {
  if (holds) return `equivalent within ${pointsOf(margin)}`;
  const takes = lacksTasks(difference) ? `, which takes at least ${fewestTasksForEquivalence} tasks` : '';
  return `not shown to be within ${pointsOf(margin)}${takes}`;
}

function pointsOf(share: number): string {
  const points = Number((100 * share).toFixed(1));
  return `${points} ${points === 1 ? 'point' : 'points'}`;
}
