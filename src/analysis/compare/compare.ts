// Runs side by side: in what they were set otherwise, how good each got on what course, and how much better one is than another
// where that can be said; where it cannot, why not.

import { canonicalJson } from '../../../schemas/canonical.ts';
import type { Compared, ComparedRun, ComparedSetting, Passable } from '../../../schemas/compare-output.ts';
import type { Rate } from '../../../schemas/run-output.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { configurationOf, sharesIn } from '../../producers/history/configurations.ts';
import { numberIn, rateOf, signalOf, unknownRate } from '../../producers/history/figures.ts';
import { isForPerson, isHidden } from '../history/hidden.ts';
import { formName } from '../history/runs.ts';
import { tokensIn } from '../token-counts.ts';
import { requireSettings, seedOf } from './arms.ts';
import { chosen as choose, evaluationOf, pointsOf, probe, type SuiteChoice, setsOf } from './comparable.ts';
import {
  type Entrant,
  entrantsOf,
  erroredUntil,
  evaluationsAt,
  type Point,
  type RunsQuery,
  stageAt,
  stagesUntil,
} from './entrants.ts';
import { overspentBy } from './notes.ts';
import { setOf } from './set.ts';
import { attemptsOf, rateIn, seemsToHold, type Tally, tallyOf, wholeOf } from './tasks.ts';

export interface ComparisonQuery extends RunsQuery {
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

function leftOut({ suite }: SuiteChoice): string {
  const which = suite === null ? 'Benchmarks' : 'Other benchmarks';
  return `${which} and probe-holdout figures of runs on which a person decides, and of stages that these share, are left out, for no engineer is shown them: --all has them.`;
}

/** Whether a person decides on the one, and the other is shown at a stage which that one shares. */
function isKeptFrom({ read }: Entrant, other: Entrant, point: Point | null): boolean {
  if (!isForPerson(read)) return false;
  const stage = point === null ? null : stageAt(other.read, point);
  return read === other.read || read.stages.some(({ started }) => started.id === stage?.started.id);
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
      ...(asked.all || !entrants.some(({ read }) => isForPerson(read)) ? [] : [leftOut(chosen)]),
    ],
  };
}

interface RowContext {
  readonly chosen: SuiteChoice;
  /** Single tasks, where these are what runs are compared by. */
  readonly tally: Tally | null;
  /** Whether what no engineer is shown is included. */
  readonly isOpen: boolean;
}

/** `point`: up to where it is compared; null where nothing is known yet. */
function rowOf(entrant: Entrant, point: Point | null, { chosen, tally, isOpen }: RowContext): ComparedRun {
  const { label, read, asked: named, state } = entrant;
  const { run, name, at, started, stages, parent, opaque } = read;
  const begun = started?.data;
  const stage = point === null ? null : stageAt(read, point);
  return {
    label,
    run,
    name,
    at,
    environment: begun?.environment.name ?? null,
    engineer: begun?.engineer?.name ?? null,
    form: begun?.contextForm === undefined ? null : formName(begun.contextForm),
    seed: seedOf(entrant),
    done: stages.filter(({ completed }) => completed !== null).length,
    planned: begun?.stages ?? null,
    state,
    asked: named,
    stage: typeof point === 'number' ? point : null,
    rate: tally === null ? rateAt(entrant, point, chosen) : rateIn(tally),
    course: courseOf(entrant, point, chosen),
    shares: stage === null ? [] : sharesIn(read.descriptor, configurationOf(read, stage.stage)),
    signal: stage === null ? null : signalOf(stage),
    suites: suitesAt(entrant, point, isOpen),
    errored: point === null ? [] : [...erroredUntil(entrant.read, point)],
    ...takenBy(entrant, point),
    overspent: overspentBy(entrant, point),
    parent: parent === null ? null : { ...parent },
    opaque: opaque.length,
  };
}

function rateAt(entrant: Entrant, point: Point | null, chosen: SuiteChoice): Rate {
  const evaluation = point === null ? null : evaluationOf(entrant, point, chosen);
  return evaluation === null ? { ...unknownRate } : rateOf(evaluation, chosen.measure);
}

function courseOf(entrant: Entrant, point: Point | null, chosen: SuiteChoice): ComparedRun['course'] {
  if (point === null) return [];
  return stagesUntil(entrant.read, point).flatMap(({ stage }) => {
    const { value } = rateAt(entrant, stage, chosen);
    return value === null ? [] : [{ stage, value }];
  });
}

function suitesAt({ read }: Entrant, point: Point | null, isOpen: boolean): ComparedRun['suites'] {
  if (point === null) return [];
  const shown = evaluationsAt(read, point).filter((one) => isOpen || !isHidden(one));
  return shown.map((evaluation) => ({
    suite: evaluation.suite.name,
    split: evaluation.split,
    stage: typeof point === 'number' ? point : null,
    valid: rateOf(evaluation, 'valid'),
    optimal: rateOf(evaluation, 'optimal'),
  }));
}

/** Training until the point; models that were asked for what led there, and those that were the policy. */
function takenBy({ read }: Entrant, point: Point | null): Pick<ComparedRun, 'spent' | 'tokens' | 'cost'> {
  const [spent, cost, tokens] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
  const stages = point === null ? [] : stagesUntil(read, point);
  for (const { stage, training, proposals, rejections, errors, evaluations } of stages) {
    addAll(spent, training?.data.spent ?? {});
    for (const { data } of evaluations) addSpendings(data.results, cost, tokens);
    if (stage === point) continue;
    for (const { data } of [...proposals, ...rejections, ...errors]) {
      addAll(tokens, data.usage ?? {});
      if (data.cost !== undefined) addAll(cost, { [data.cost.currency]: data.cost.total });
    }
  }
  return { spent: Object.fromEntries(spent), cost: Object.fromEntries(cost), tokens: totalOf(tokens) };
}

function addAll(sums: Map<string, number>, amounts: Readonly<Record<string, number>>): void {
  for (const [unit, amount] of Object.entries(amounts)) sums.set(unit, (sums.get(unit) ?? 0) + amount);
}

type Results = ReturnType<typeof evaluationsAt>[number]['results'];

/** An evaluation says it by measure: `cost/USD`, `tokens/input`. */
function addSpendings(results: Results, cost: Map<string, number>, tokens: Map<string, number>): void {
  for (const { family, measure, value } of results) {
    const [kind, unit] = [measure.slice(0, measure.indexOf('/')), measure.slice(measure.indexOf('/') + 1)];
    if (family !== null || !['cost', 'tokens'].includes(kind)) continue;
    addAll(kind === 'cost' ? cost : tokens, { [unit]: numberIn(value) ?? 0 });
  }
}

function totalOf(tokens: ReadonlyMap<string, number>): number | null {
  return tokens.size === 0 ? null : tokensIn(Object.fromEntries(tokens));
}

function settingsBeside(entrants: readonly Entrant[], all: boolean): ComparedSetting[] {
  const names = [...new Set(entrants.flatMap(({ settings }) => [...settings.keys()]))];
  return names.flatMap((setting) => {
    const values = [...Map.groupBy(entrants, (one) => canonicalJson(one.settings.get(setting) ?? null)).values()];
    const isChanged = values.length > 1;
    if (!isChanged && !all) return [];
    return [{ setting, isChanged, values: values.map((having) => shared(setting, having)) }];
  });
}

function shared(setting: string, having: readonly Entrant[]): ComparedSetting['values'][number] {
  return { value: having[0]?.settings.get(setting) ?? null, runs: having.map(({ label }) => label) };
}

/** More rollouts than that are not gone through unasked. */
const mostUnasked = 100_000;

type PlaceOf = (one: Entrant) => Point | null;

/** By label; empty where tasks cannot be paired. */
async function talliesOf(
  ledger: Ledger,
  entrants: readonly Entrant[],
  placeOf: PlaceOf,
  chosen: SuiteChoice,
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
function onlySplitOf(one: Entrant, point: Point, chosen: SuiteChoice): string | null {
  const evaluation = evaluationOf(one, point, chosen);
  if (evaluation === null) return null;
  const { split } = evaluation;
  const same = evaluationsAt(one.read, point).filter((other) => other.split === split);
  return same.every(({ suite }) => suite.name === evaluation.suite.name) ? split : null;
}
