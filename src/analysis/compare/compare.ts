// Runs side by side: in what they were set otherwise, how good each got, and how much better one is than another where that
// can be said; where it cannot, why not.
import type { Compared, ComparedRun } from '../../../schemas/compare-output.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { isForPerson } from '../history/hidden.ts';
import { requireSettings } from './arms.ts';
import { settingsBeside } from './differing.ts';
import { type AskedRuns, type Entrant, entrantsOf } from './entrants.ts';
import type { Passable } from './facets.ts';
import { pointsOf } from './material.ts';
import { type Point, stageAt } from './points.ts';
import { rowOf } from './rows.ts';
import { setOf } from './set.ts';
import { setsOf } from './sets.ts';
import { chosen as choose, probe } from './suites.ts';
import { talliesOf } from './tallies.ts';

export interface ComparisonQuery extends AskedRuns {
  /** Null: that of validation. */
  readonly suite: string | null;
  /** Null: the usual one. */
  readonly measure: string | null;
  /** Settings that tell arms apart; empty: all but the seed. */
  readonly by: readonly string[];
  readonly despite: readonly Passable[];
  /** Differences below it count as none; null where nobody said. */
  readonly margin: number | null;
  /** With settings that are the same, and with what a person who decides is not shown unasked. */
  readonly all: boolean;
}

const leftOut =
  'Benchmarks and probe-holdout figures of runs on which a person decides, and of stages that these share, are left out, for no engineer is shown them: --all has them.';

/** Whether a person decides on the one, and the other is told of at a stage which that one shares. */
function isKeptFrom({ read }: Entrant, other: Entrant, point: Point | null): boolean {
  if (!isForPerson(read)) return false;
  const stage = point === null ? null : stageAt(other.read, point);
  return read === other.read || read.history.stages.some(({ started }) => started.id === stage?.started.id);
}

function erroredNote({ label, errored }: ComparedRun): string[] {
  if (errored.length === 0) return [];
  const which = `stage${errored.length === 1 ? '' : 's'} ${errored.join(', ')}`;
  return [
    `In ${label} the decision for ${which} is errored: its engineer could not answer, and the configuration stayed.`,
  ];
}

/** Throws what entrantsOf does, NotAmongRuns, SeedTwice. */
export async function compared(ledger: Ledger, asked: ComparisonQuery): Promise<Compared> {
  const { all: entrants, baseline, repeated } = await entrantsOf(ledger, asked);
  requireSettings(asked.by, entrants);
  const chosen = choose(entrants, asked);
  const { sets, apart } = setsOf(entrants, baseline, { chosen, passed: asked.despite });
  const points = new Map(sets.flatMap((set) => [...pointsOf(set)]));
  const placeOf = (one: Entrant) => points.get(one) ?? one.last;
  const tallies = await talliesOf(ledger, entrants, placeOf, chosen);
  const rows = entrants.map((one) =>
    rowOf(one, placeOf(one), {
      chosen,
      tally: chosen.suite === probe ? (tallies.get(one.label) ?? null) : null,
      isOpen: asked.all || !entrants.some((other) => isKeptFrom(other, one, placeOf(one))),
    }),
  );
  const values = new Map(rows.map(({ label, rate }) => [label, rate.value]));
  return {
    ledger: ledger.url,
    suite: chosen.suite,
    measure: chosen.measure,
    all: asked.all,
    runs: rows,
    settings: settingsBeside(entrants, asked.all),
    sets: sets.map((set) => {
      const base = set.includes(baseline) ? baseline : set[0];
      return setOf({
        ...{ entrants: set, baseline: base ?? baseline, chosen, by: asked.by, margin: asked.margin, tallies },
        points: pointsOf(set),
        cameTo: (one) => values.get(one.label) ?? null,
      });
    }),
    apart: [...apart],
    notes: [
      ...(repeated === 0 ? [] : [`${repeated} ${repeated === 1 ? 'run was' : 'runs were'} named more than once.`]),
      ...(asked.despite.includes('errored') ? rows.flatMap(erroredNote) : []),
      ...(asked.all || !entrants.some(({ read }) => isForPerson(read)) ? [] : [leftOut]),
    ],
  };
}
