// Of which runs single tasks are looked at: of all where the probe pool is asked for, and else where rollouts of the very
// suite seem to be recorded.
import type { Ledger } from '../../ledger/ledger.ts';
import type { Entrant } from './entrants.ts';
import { evaluationsAt, type Point } from './points.ts';
import { type Chosen, evaluationOf, probe } from './suites.ts';
import { attemptsOf, seemsToHold, type Tally, tallyOf } from './tasks.ts';

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
    const split = isAsked ? probe : point === null ? null : onlySplitOf(one, point, chosen);
    if (point === null || split === null) continue;
    const attempts = await attemptsOf(ledger, one, point);
    rollouts += attempts.reduce((sum, { count }) => sum + count, 0);
    if (!isAsked && (rollouts > mostUnasked || !(await seemsToHold(ledger, attempts, split)))) return new Map();
    tallies.set(one.label, await tallyOf(ledger, attempts, split, chosen.measure));
  }
  return tallies;
}

/** Rollouts tell their split, not their suite: null where several suites are of one split. */
function onlySplitOf(one: Entrant, point: Point, chosen: Chosen): string | null {
  const evaluation = evaluationOf(one, point, chosen);
  if (evaluation === null) return null;
  const { split } = evaluation;
  const same = evaluationsAt(one.read, point).filter((other) => other.split === split);
  return same.every(({ suite }) => suite.name === evaluation.suite.name) ? split : null;
}
