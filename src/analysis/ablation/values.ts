// What arms are measured by at each depth, what each came to in each unit, and what that took. Stages and the tasks of suites
// are within a unit, and add up to one value each.
import type { Ablated, AblatedValue } from '../../../schemas/ablation-output.ts';
import type { EventData } from '../../../schemas/catalogue.ts';
import { type Amounts, totalOf } from '../../base/quantity.ts';
import { meanOf } from '../../lab/statistics/distributions.ts';
import type { Depth } from '../../producers/ablation/design.ts';
import type { Unfinished } from '../../producers/ablation/errored.ts';
import type { AblationRecord, ArmPlace, OfArm } from '../../producers/ablation/record.ts';
import { numberIn } from '../../producers/history/figures.ts';
import { validation as validationSuite } from '../../producers/run/steps/evaluate.ts';

export type Measure = Ablated['measures'][number];

const validation: Measure = {
  measure: 'validation',
  better: 'higher',
  is: 'share',
  split: 'validation',
  says: 'success rate on validation',
};

const area: Measure = {
  measure: 'area',
  better: 'higher',
  is: 'share',
  split: 'validation',
  says: 'success rate on validation, the mean over the ends of all stages after the first decision',
};

const benchmarks: Measure = {
  measure: 'benchmarks',
  better: 'higher',
  is: 'share',
  split: 'test',
  says: 'success rate on the benchmarks, all suites together',
};

const optimalOnBenchmarks: Measure = {
  measure: 'benchmarks-optimal',
  better: 'higher',
  is: 'share',
  split: 'test',
  says: 'share of the benchmarks that was solved optimally, all suites together',
};

export const citationMeaning =
  'how much of the cited evidence is about the changed family, from 0 (nothing is cited, or no more than chance would give) to 1';

const scores: readonly Measure[] = [
  {
    measure: 'citation',
    better: 'higher',
    is: 'number',
    split: null,
    says: citationMeaning,
  },
  {
    measure: 'preservation',
    better: 'higher',
    is: 'share',
    split: null,
    says: 'share of working families that were kept',
  },
  { measure: 'usable', better: 'higher', is: 'share', split: null, says: 'share of proposals used without clamps' },
  {
    measure: 'brier',
    better: 'lower',
    is: 'number',
    split: null,
    says: 'error of predicted success rates on the probe-holdout',
  },
  {
    measure: 'rank-correlation',
    better: 'higher',
    is: 'number',
    split: null,
    says: 'rank correlation of predicted and measured success rates',
  },
];

export function measuresAt(depth: Depth): readonly Measure[] {
  if (depth === 'propose') return scores;
  return [validation, ...(depth === 'run' ? [area] : []), benchmarks, optimalOnBenchmarks, ...scores];
}

/** Ordered by place, not by time of recording. */
export function inOrder<Of>(byPlace: ReadonlyMap<string, Of>): readonly Of[] {
  return [...byPlace].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, of]) => of);
}

type Evaluation = EventData['ArmEvaluated'];
type Proposal = EventData['ArmProposed'];
type Value = Pick<AblatedValue, 'value' | 'worst'>;

/**
 * One for each arm, unit and measure, with null where nothing is known. Nothing counts of an arm that came to no end: which of
 * its units were done before it broke off is a matter of timing.
 */
export function valuesIn(record: AblationRecord, unfinished: Unfinished): readonly AblatedValue[] {
  const { started } = record;
  if (started === null) return [];
  const { depth, arms } = started.data;
  const units = unitsIn(record);
  const done = byArmAndUnit(record);
  const leftOut = new Set(unfinished.map(({ arm }) => arm));
  return measuresAt(depth).flatMap(({ measure }) =>
    arms.flatMap(({ arm }) =>
      units.map(({ unit }) => {
        const own = leftOut.has(arm) ? nothing : (done.get(keyOf(arm, unit)) ?? nothing);
        return { arm, unit, measure, ...cameTo(own, measure, depth === 'run') };
      }),
    ),
  );
}

/** As they were asked for; where another icecore did not say, those in which something was decided. */
export function unitsIn(record: AblationRecord): Ablated['units'] {
  const { options, proposals, rejections } = record;
  if (options !== null) return options.units;
  const places = [...proposals.values(), ...rejections.values()].map(({ place, run }) => ({ unit: place.unit, run }));
  const first = new Map(places.flatMap(({ unit, run }) => (unit === null ? [] : [[unit, run] as const])));
  return Array.from(first, ([unit, run]) => ({ unit, run, seed: 0 }));
}

/** What an arm did in a unit. */
interface Done {
  readonly proposed: readonly Proposal[];
  readonly rejected: number;
  /** By stage, in order, what was measured after it. */
  readonly stages: readonly (readonly Evaluation[])[];
}

const nothing: Done = { proposed: [], rejected: 0, stages: [] };

const keyOf = (arm: string, unit: string | null): string => JSON.stringify([arm, unit]);

function byArmAndUnit(record: AblationRecord): ReadonlyMap<string, Done> {
  const key = ({ place: { arm, unit } }: { readonly place: ArmPlace }): string => keyOf(arm, unit);
  const proposed = Map.groupBy(inOrder(record.proposals), key);
  const rejected = Map.groupBy(record.rejections.values(), key);
  const evaluated = Map.groupBy(inOrder(record.evaluations).flat(), key);
  return new Map(
    [...new Set([...proposed.keys(), ...rejected.keys()])].map((one) => [
      one,
      {
        proposed: (proposed.get(one) ?? []).map(({ data }) => data),
        rejected: rejected.get(one)?.length ?? 0,
        stages: byStage(evaluated.get(one) ?? []),
      },
    ]),
  );
}

function byStage(evaluated: readonly OfArm<'ArmEvaluated'>[]): Done['stages'] {
  const stages = Map.groupBy(evaluated, ({ place }) => place.stage);
  return [...stages].sort(([one], [other]) => one - other).map(([, all]) => all.map(({ data }) => data));
}

function cameTo({ proposed, rejected, stages }: Done, measure: string, isRun: boolean): Value {
  const score = scoreNamed(measure);
  if (score !== null) {
    // What could not be used was no use as it came.
    const none = measure === 'usable' ? Array.from({ length: rejected }, () => 0) : [];
    return { value: mean([...proposed.map(score), ...none]), worst: null };
  }
  const counted = isRun && measure !== 'area' ? stages.slice(-1) : stages;
  const rates = counted.map((evaluations) => rateIn(evaluations, measure));
  return { value: mean(rates.map(({ value }) => value)), worst: mean(rates.map(({ worst }) => worst)) };
}

function scoreNamed(measure: string): ((proposal: Proposal) => number | null) | null {
  switch (measure) {
    case 'citation':
      return ({ scores }) => numberIn(scores?.citation);
    case 'preservation':
      return ({ scores }) => numberIn(scores?.preservation);
    case 'usable':
      return ({ scores }) => numberIn(scores?.usable);
    case 'brier':
      return ({ scores }) => numberIn(scores?.calibration?.brier);
    case 'rank-correlation':
      return ({ scores }) => numberIn(scores?.calibration?.rankCorrelation);
    default:
      return null;
  }
}

/** What a measure counts of rollouts: that a task is solved, or solved at the least cost. */
export function countedIn(measure: string): 'valid' | 'optimal' {
  return measure === optimalOnBenchmarks.measure ? 'optimal' : 'valid';
}

function rateIn(evaluations: readonly Evaluation[], measure: string): Value {
  const isOfValidation = measure === 'validation' || measure === 'area';
  const counted = evaluations.filter(({ suite }) => (suite.name === validationSuite) === isOfValidation);
  const of = countedIn(measure);
  return {
    value: pooled(
      counted.flatMap(({ results }) => results),
      of,
    ),
    worst: worstTenth(counted, of),
  };
}

type Result = Evaluation['results'][number];

/** Over all tasks; where somebody tells rates without counts, their mean. */
function pooled(results: readonly Result[], measure: string): number | null {
  const all = results.filter((one) => one.family === null && one.measure === measure);
  let [count, of] = [0, 0];
  for (const one of all) {
    if (one.count === undefined || one.of === undefined) return mean(all.map(({ value }) => numberIn(value)));
    count += one.count;
    of += one.of;
  }
  return of === 0 ? null : count / of;
}

const worst = 0.1;

/** The tenth percentile over cells: families of suites, under each of their conditions. */
function worstTenth(evaluations: readonly Evaluation[], measure: string): number | null {
  const rates = evaluations
    .flatMap(({ cells, results }) => {
      const inCells = cells?.map((cell) => cell.results.find((one) => one.measure === measure)?.value);
      return (
        inCells ?? results.filter((one) => one.family !== null && one.measure === measure).map(({ value }) => value)
      );
    })
    .flatMap((value) => numberIn(value) ?? [])
    .sort((one, other) => one - other);
  if (rates.length === 0) return null;
  const place = worst * (rates.length - 1);
  const [below, above] = [rates[Math.floor(place)] ?? 0, rates[Math.ceil(place)] ?? 0];
  return below + (above - below) * (place - Math.floor(place));
}

function mean(values: readonly (number | null)[]): number | null {
  const known = values.flatMap((value) => value ?? []);
  return known.length === 0 ? null : meanOf(known);
}

export interface Spent {
  /** By unit: decisions, tokens/input. */
  readonly spent: Record<string, number>;
  /** By currency. */
  readonly cost: Record<string, number>;
}

/** What arms share was spent once. An answer that was recorded before counts with what it cost then. */
export function spentIn({ proposals, rejections, errors, trainings }: AblationRecord): Spent {
  const asked = [...inOrder(proposals), ...inOrder(rejections), ...errors].map(({ data }) => data);
  const trained = inOrder(trainings).filter(({ data }) => sharedWith(data) === null);
  const tokens = asked.map(({ usage = {} }) => prefixed(usage));
  return {
    spent: totalOf([...trained.map(({ data }) => data.spent ?? {}), ...tokens]),
    cost: totalOf(asked.map(({ cost }) => (cost === undefined ? {} : { [cost.currency]: cost.total }))),
  };
}

/** The arm whose training counts for this one as well. */
export function sharedWith({
  measured,
}: {
  readonly measured?: Readonly<Record<string, unknown>> | undefined;
}): string | null {
  const arm = measured?.['sharedWith'];
  return typeof arm === 'string' ? arm : null;
}

function prefixed(usage: Amounts): Amounts {
  return Object.fromEntries(Object.entries(usage).map(([kind, tokens]) => [`tokens/${kind}`, tokens]));
}
