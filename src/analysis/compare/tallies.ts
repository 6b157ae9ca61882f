// Of which runs single tasks are looked at: of all where the probe pool is asked for, and else where rollouts of the very
// suite seem to be recorded.
import type { Ledger } from '../../ledger/ledger.ts';
import type { Entrant } from './entrants.ts';
import { evaluationsAt, type Point } from './points.ts';
import { type Chosen, evaluationOf, probe } from './suites.ts';
import { attemptsOf, seemsToHold, type Tally, tallyOf, wholeOf } from './tasks.ts';

/** More rollouts than that are not gone through unasked. */
const mostUnasked = 100_000;

type PlaceOf = (one: Entrant) => Point | null;

/** By label; empty where tasks cannot be paired. */
export async function talliesOf(
  ledger: Ledger,
  entrants: readonly Entrant[],
  placeOf: PlaceOf,
  chosen: Chosen,
): Promise<ReadonlyMap<string, Tally>> {
  const tallies = new Map<string, Tally>();
  const isAsked = chosen.suite === probe;
  let rollouts = 0;
  for (const one of entrants) {
    const point = placeOf(one);
    if (point === null) continue;
    const evaluation = isAsked ? null : evaluationOf(one, point, chosen);
    if (!isAsked && evaluation === null) continue;
    const { attempts, isOfSuite } = await attemptsOf(ledger, one, point, evaluation?.suite.name ?? probe);
    const own = isOfSuite ? (evaluation?.split ?? null) : null;
    const split = isAsked ? probe : (own ?? onlySplitOf(one, point, chosen));
    if (split === null) continue;
    rollouts += attempts.reduce((sum, { count }) => sum + count, 0);
    if (!isAsked && (rollouts > mostUnasked || !(await seemsToHold(ledger, attempts, split)))) return new Map();
    tallies.set(one.label, await tallyOf(ledger, attempts.map(wholeOf), split, chosen.measure));
  }
  return tallies;
}

/** Rollouts of shards have a split, and no suite: null where several suites are of one split. */
function onlySplitOf(one: Entrant, point: Point, chosen: Chosen): string | null {
  const evaluation = evaluationOf(one, point, chosen);
  if (evaluation === null) return null;
  const { split } = evaluation;
  const same = evaluationsAt(one.read, point).filter((other) => other.split === split);
  return same.every(({ suite }) => suite.name === evaluation.suite.name) ? split : null;
}
