// The main effects of an ablation over its matrix: one engineer compared with another on average over the contexts that both
// can use, and one context compared with another on average over the engineers that can use both.
import { cellOf, type Factor, factors, levelPairs } from '../../../producers/ablation/cells.ts';
import { isApplicable, usedBy } from './alike.ts';
import { listed } from './amounts.ts';
import type { ArmMade, Asked, Contrast, LeftOut } from './material.ts';

/** An effect over a single column or row is the contrast of two arms, which is tested as such. */
const fewest = 2;

/** All of them, but for those that would be contrasts of two arms, and those between two contexts less something each. */
export function mainEffects(arms: readonly ArmMade[]): readonly Contrast[] {
  const less = new Set(arms.flatMap((arm) => (arm.without.length === 0 ? [] : (cellOf(arm)?.context ?? []))));
  return factors.flatMap((factor) =>
    levelPairs(factor, arms).flatMap(([arm, reference]) => {
      if (less.has(arm) && less.has(reference)) return [];
      const { of, leftOut = [], ...effect } = mainEffect(factor, { arm, reference }, arms);
      return of.length + leftOut.length < fewest ? [] : [{ ...effect, of, leftOut }];
    }),
  );
}

/** One level of a factor compared with another. */
export function mainEffect(factor: Factor, { arm, reference }: Asked, arms: readonly ArmMade[]): Contrast {
  const other: Factor = factor === 'engineer' ? 'context' : 'engineer';
  const cells = arms.flatMap((one) => {
    const cell = cellOf(one);
    return cell === null ? [] : [{ arm: one, cell }];
  });
  const at = (level: string): ReadonlyMap<string, ArmMade> =>
    new Map(cells.filter(({ cell }) => cell[factor] === level).map((one) => [one.cell[other], one.arm]));
  const theirs = at(reference);
  const pairs = [...at(arm)].flatMap(([level, mine]) => {
    const there = theirs.get(level);
    return there === undefined ? [] : [{ level, mine, there }];
  });
  const judged = pairs.map((pair) => {
    const errored = erroredIn(pair);
    const reason = errored.length > 0 ? erroredWords(errored) : reasonToLeaveOut(factor, pair, { arm, reference });
    return { ...pair, reason, isErrored: errored.length > 0 };
  });
  const found = judged.filter(({ reason }) => reason === null);
  // Engineers may be compared where one of them can use nothing, if there is nothing else; contexts then are the same to all.
  const counted = factor === 'engineer' && found.length === 0 ? judged.filter(({ isErrored }) => !isErrored) : found;
  const leftOut = judged.flatMap((one): LeftOut[] =>
    one.reason === null || counted.includes(one)
      ? []
      : [{ level: one.level, reason: one.reason, isErrored: one.isErrored }],
  );
  return {
    ...{ arm, reference, kind: factor, leftOut },
    of: counted.map(({ mine }) => mine.arm),
    less: counted.map(({ there }) => there.arm),
  };
}

interface Pair {
  readonly mine: ArmMade;
  readonly there: ArmMade;
}

function erroredIn({ mine, there }: Pair): readonly string[] {
  return [mine, there].filter(({ isErrored = false }) => isErrored).map(({ arm }) => arm);
}

function erroredWords(arms: readonly string[]): string {
  return `where ${listed(arms)} errored`;
}

/** An engineer that can use nothing of a context decides as if shown nothing: it tells nothing of either. */
function reasonToLeaveOut(factor: Factor, { mine, there }: Pair, { arm, reference }: Asked): string | null {
  if (factor === 'context' && !isApplicable([mine], [there])) return 'which decides from the same in both';
  const blind = usedBy(mine).length === 0 ? arm : usedBy(there).length === 0 ? reference : null;
  if (blind === null) return null;
  return factor === 'context' ? `which can use nothing of ${blind}` : `of which ${blind} can use nothing`;
}
