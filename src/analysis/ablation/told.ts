// An ablation as it is told: what was asked, what each arm decided and came to, and what the data support. Made from its
// record; what was concluded at its end is told as it was recorded.
import type { Ablated, AblatedDecision, ArmTasks } from '../../../schemas/ablation-output.ts';
import type { EventData } from '../../../schemas/catalogue.ts';
import type { RunFound } from '../../ledger/runs.ts';
import { recordedArm } from '../../producers/ablation/design.ts';
import { erroredIn, openErrors } from '../../producers/ablation/errored.ts';
import type { AblationRecord, OfArm } from '../../producers/ablation/record.ts';
import { numberIn } from '../../producers/history/figures.ts';
import { armOf } from './arms.ts';
import { completion } from './conclude.ts';
import { declaredIn } from './contrasts.ts';
import { likenessIn, turnsBetween } from './likeness.ts';
import { measuresAt } from './measures.ts';
import { inOrder } from './order.ts';
import { publishedBeside } from './published.ts';
import { sensitivityIn } from './sensitivity.ts';
import { sharedWith } from './spent.ts';
import { unitsIn, valuesIn } from './values.ts';

type Configuration = EventData['ArmProposed']['configuration'];

export interface Named extends RunFound {
  readonly seed: number | string | null;
  /** What of it is not recorded, in words. */
  readonly unrecorded?: string | null;
}

/** `named`: the runs that are replayed, as they are called; `tasks`: what single rollouts say of the declared contrasts. */
export function toldOf(
  record: AblationRecord,
  ledger: string,
  named: readonly Named[],
  tasks: readonly ArmTasks[] = [],
): Ablated {
  const { started, completed, ablation } = record;
  if (started === null) throw new Error(`the ablation ${ablation} has not begun`);
  const { data } = started;
  const end = completed?.data ?? completion(record, erroredIn(record));
  const values = [...valuesIn(record, end.unfinished)];
  return {
    ledger,
    ablation,
    name: data.name ?? ablation,
    state: completed === null ? 'under-way' : 'completed',
    at: record.at,
    depth: data.depth,
    preset: data.preset ?? null,
    says: data.notes ?? null,
    histories: data.histories.map(({ run, decisions }) => ({
      run,
      stages: decisions.map((configured) => configured - 1),
      ...calledBy(run, named),
    })),
    units: [...unitsIn(record)],
    arms: data.arms.map((one) => armOf(one)),
    primary: data.primary,
    contrasts: [...declaredIn(data)],
    level: data.level,
    margin: data.margin ?? null,
    measures: [...measuresAt(data.depth)],
    values,
    results: [...end.results],
    comparisons: [...end.contrasts],
    tasks: [...tasks],
    decisions: decisionsIn(record),
    trainings: trainingsIn(record),
    likeness: [...likenessIn(record, end.unfinished)],
    sensitivity: sensitivityIn(record),
    published: [...publishedBeside(record, end.unfinished)],
    conclusions: [...end.conclusions, ...partlyRecorded(named)],
    errored: [...end.unfinished],
    spent: { ...end.spent },
    cost: end.cost === undefined ? {} : { [end.cost.currency]: end.cost.total },
  };
}

function partlyRecorded(named: readonly Named[]): string[] {
  return named.flatMap(({ name, unrecorded = null }) => (unrecorded === null ? [] : [`${name}: ${unrecorded}.`]));
}

function calledBy(run: string, named: readonly Named[]): Pick<Ablated['histories'][number], 'name' | 'seed'> {
  const found = named.find((one) => one.run === run);
  return { name: found?.name ?? run, seed: found?.seed ?? null };
}

function decisionsIn(record: AblationRecord): AblatedDecision[] {
  const errors = openErrors(record).filter(({ data }) => data.during === 'propose');
  const all = [...record.proposals.values(), ...record.rejections.values(), ...errors];
  const place = ({ place: { unit, stage } }: Pick<Decided, 'place'>): string => JSON.stringify([unit, stage]);
  const recorded = new Map(
    [...record.proposals.values()]
      .filter((one) => one.place.arm === recordedArm)
      .map((one) => [place(one), one.data.configuration]),
  );
  const order = new Map(record.options?.units.map(({ unit }, i) => [unit, i]));
  const arms = new Map(record.started?.data.arms.map(({ arm }, i) => [arm, i]));
  const of = (one: AblatedDecision): readonly number[] => [order.get(one.unit) ?? 0, one.stage, arms.get(one.arm) ?? 0];
  return all
    .map((one) => decisionOf(one, recorded.get(place(one)) ?? null))
    .sort((one, other) => of(one).reduce((found, mine, i) => (found === 0 ? mine - (of(other)[i] ?? 0) : found), 0));
}

type Decided = OfArm<'ArmProposed'> | OfArm<'ArmRejected'> | OfArm<'ArmErrored'>;

/** `recorded`: what was really decided then; null where nothing was. */
function decisionOf(one: Decided, recorded: Configuration | null): AblatedDecision {
  const { place, run, data } = one;
  const { usage, cost, context, armRun = null } = data;
  return {
    arm: place.arm,
    unit: place.unit ?? '',
    run,
    stage: place.stage,
    context: context?.digest ?? null,
    tokens: usage === undefined ? null : Object.values(usage).reduce((sum, tokens) => sum + tokens, 0),
    cost: cost === undefined ? {} : { [cost.currency]: cost.total },
    armRun,
    ...('configuration' in data
      ? proposedIn(data, recorded)
      : 'error' in data
        ? erroredDecision(data)
        : rejectedIn(data)),
  };
}

type Came = Pick<
  AblatedDecision,
  'came' | 'why' | 'configuration' | 'changes' | 'differs' | 'kept' | 'clamps' | 'scores' | 'says'
>;

function proposedIn(data: EventData['ArmProposed'], recorded: Configuration | null): Came {
  const { configuration, changes, kept, clamps, rationale, scores } = data;
  return {
    came: 'proposed',
    why: null,
    configuration: configuration.digest,
    changes: changes.map(({ knob, family, from, to, cites }) => ({
      knob,
      family,
      from,
      to,
      cites: cites?.length ?? 0,
    })),
    differs: recorded === null ? null : turnsBetween(recorded, configuration),
    kept: kept?.length ?? null,
    clamps: clamps.length,
    scores: {
      citation: numberIn(scores?.citation),
      preservation: numberIn(scores?.preservation),
      valid: numberIn(scores?.usable),
      brier: numberIn(scores?.calibration?.brier),
      rankCorrelation: numberIn(scores?.calibration?.rankCorrelation),
    },
    says: rationale,
  };
}

const unscored = { citation: null, preservation: null, valid: null, brier: null, rankCorrelation: null };
const undecided = { configuration: null, changes: [], differs: null, kept: null, clamps: 0, says: null };

function rejectedIn({ reason, issues }: EventData['ArmRejected']): Came {
  const [first] = issues;
  const why = first === undefined ? reason : `${reason}: ${first.field} ${first.found}`;
  return { ...undecided, came: 'rejected', why, scores: { ...unscored, valid: 0 } };
}

function erroredDecision({ error }: EventData['ArmErrored']): Came {
  return { ...undecided, came: 'errored', why: `${error.kind}: ${error.message}`, scores: { ...unscored } };
}

function trainingsIn({ trainings }: AblationRecord): Ablated['trainings'] {
  return inOrder(trainings).map(({ place, run, data }) => ({
    arm: place.arm,
    unit: place.unit ?? '',
    run,
    stage: place.stage,
    checkpoint: data.checkpoint?.digest ?? null,
    seconds: numberOr(data.measured?.['seconds']),
    spent: { ...data.spent },
    sharedWith: sharedWith(data),
    reproduces: data.reproduces === undefined ? null : { ...data.reproduces },
  }));
}

function numberOr(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
