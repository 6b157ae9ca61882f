// An ablation as a value: what was asked, what each arm decided and came to, and what the data support. Made from its record;
// what was concluded at its end is taken as it was recorded.

import type { Ablated, AblatedDecision, ArmTasks, Published, Sensitivity } from '../../../schemas/ablation-output.ts';
import type { EventData } from '../../../schemas/catalogue.ts';
import { meanOf } from '../../lab/statistics/distributions.ts';
import type { RunFound } from '../../ledger/runs.ts';
import { recordedArm } from '../../producers/ablation/design.ts';
import { erroredIn, openErrors, type Unfinished } from '../../producers/ablation/errored.ts';
import type { AblationRecord, OfArm } from '../../producers/ablation/record.ts';
import { largestFirst } from '../../producers/history/configurations.ts';
import { numberIn } from '../../producers/history/figures.ts';
import { tokensIn } from '../token-counts.ts';
import { armOf, completion, declaredIn, likenessIn, turnsBetween } from './conclude.ts';
import { inOrder, measuresAt, sharedWith, unitsIn, valuesIn } from './values.ts';

type Configuration = EventData['ArmProposed']['configuration'];

export interface Named extends RunFound {
  readonly seed: number | string | null;
  /** What of it is not recorded, in words. */
  readonly unrecorded?: string | null;
  /** The step of each knob, where it is known. */
  readonly steps?: ReadonlyMap<string, number>;
}

/** `named`: the runs that are replayed, as they are called; `tasks`: what single rollouts say of the declared contrasts. */
export function ablatedOf(
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
    factors: record.options?.choice.kind === 'factorial' ? [...record.options.choice.factors] : [],
    says: data.notes ?? null,
    histories: data.histories.map(({ run, decisions }) => ({
      run,
      decisions: [...decisions],
      ...calledBy(run, named),
    })),
    units: [...unitsIn(record)],
    arms: data.arms.map(armOf),
    primary: data.primary,
    contrasts: [...declaredIn(data)],
    level: data.level,
    margin: data.margin ?? null,
    measures: [...measuresAt(data.depth)],
    values,
    results: [...end.results],
    comparisons: [...end.contrasts],
    tasks: [...tasks],
    decisions: decisionsIn(record, named),
    trainings: trainingsIn(record),
    likeness: [...likenessIn(record, end.unfinished)],
    sensitivity: sensitivityIn(record),
    published: [...publishedBeside(record, end.unfinished)],
    conclusions: [...end.conclusions],
    unrecorded: partlyRecorded(named),
    errored: erroredArms(record, end.unfinished),
    spent: { ...end.spent },
    cost: end.cost === undefined ? {} : { [end.cost.currency]: end.cost.total },
  };
}

function erroredArms(record: AblationRecord, unfinished: Unfinished): Ablated['errored'] {
  const resumable = new Set(openErrors(record).flatMap(({ place, data }) => (data.resumable ? [place.arm] : [])));
  return unfinished.map(({ arm, reason }) => ({ arm, reason, resumable: resumable.has(arm) }));
}

/** One sentence for all runs of which the same is not recorded. */
function partlyRecorded(named: readonly Named[]): string[] {
  const byWhat = Map.groupBy(named, ({ unrecorded = null }) => unrecorded);
  return Array.from(byWhat).flatMap(([what, runs]) => {
    if (what === null) return [];
    const [first, second] = runs.map(({ name }) => name);
    return runs.length < 3
      ? runs.map(({ name }) => `${name}: ${what}.`)
      : [`${first}, ${second} and ${runs.length - 2} more runs: ${what}.`];
  });
}

function calledBy(run: string, named: readonly Named[]): Pick<Ablated['histories'][number], 'name' | 'seed'> {
  const found = named.find((one) => one.run === run);
  return { name: found?.name ?? run, seed: found?.seed ?? null };
}

function decisionsIn(record: AblationRecord, named: readonly Named[]): AblatedDecision[] {
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
    .map((one) => {
      const { steps = new Map() } = named.find(({ run }) => run === one.run) ?? {};
      return decisionOf(one, { recorded: recorded.get(place(one)) ?? null, steps });
    })
    .sort((one, other) => of(one).reduce((found, mine, i) => (found === 0 ? mine - (of(other)[i] ?? 0) : found), 0));
}

type Decided = OfArm<'ArmProposed'> | OfArm<'ArmRejected'> | OfArm<'ArmErrored'>;

interface Beside {
  /** What was really decided then; null where nothing was. */
  readonly recorded: Configuration | null;
  readonly steps: ReadonlyMap<string, number>;
}

function decisionOf(one: Decided, beside: Beside): AblatedDecision {
  const { place, run, data } = one;
  const { answers = [], usage, cost, context, armRun = null } = data;
  return {
    arm: place.arm,
    unit: place.unit ?? '',
    run,
    stage: place.stage + 1,
    context: context?.digest ?? null,
    answers: answers.length,
    tokens: usage === undefined ? null : tokensIn(usage),
    cost: cost === undefined ? {} : { [cost.currency]: cost.total },
    armRun,
    ...('configuration' in data
      ? proposedIn(data, beside)
      : 'error' in data
        ? erroredDecision(data)
        : rejectedIn(data)),
  };
}

type Came = Pick<
  AblatedDecision,
  'came' | 'why' | 'configuration' | 'changes' | 'differs' | 'kept' | 'clamps' | 'scores' | 'says'
>;

function proposedIn(data: EventData['ArmProposed'], { recorded, steps }: Beside): Came {
  const { configuration, changes, kept, clamps, rationale, scores } = data;
  return {
    came: 'proposed',
    why: null,
    configuration: configuration.digest,
    changes: largestFirst(changes, steps).map(({ knob, family, from, to, cites }) => ({
      knob,
      family,
      from,
      to,
      cites: cites?.length ?? 0,
    })),
    differs: recorded === null ? null : largestFirst(turnsBetween(recorded, configuration), steps),
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

/** Null where nothing was left out on purpose. */
function sensitivityIn(record: AblationRecord): Sensitivity | null {
  const { started, options, proposals, rejections } = record;
  if (options?.choice.kind !== 'sensitivity' || started === null) return null;
  const seeing = started.data.arms.filter(({ baseline, contextForm: form }) => !baseline && form !== null);
  const whole = seeing.find(({ without = [] }) => without.length === 0);
  const said = [...proposals.values()].find(({ place }) => place.arm === whole?.arm)?.data.configuration;
  if (whole === undefined || said === undefined) return null;
  const left = seeing.filter(
    ({ engineer, without = [] }) => without.length > 0 && engineer.name === whole.engineer.name,
  );
  const errored = new Set(openErrors(record).map(({ place }) => place.arm));
  return {
    arm: whole.arm,
    left: left.map(({ arm, without = [] }) => {
      const proposal = [...proposals.values()].find(({ place }) => place.arm === arm)?.data.configuration;
      const rejection = [...rejections.values()].find(({ place }) => place.arm === arm)?.data.reason;
      const turns = proposal === undefined ? [] : turnsBetween(said, proposal);
      return {
        arm,
        without: without.join(', '),
        changed: turns.map(({ knob, family, from, to }) => ({ knob, family, whole: from, less: to })),
        came: proposal === undefined ? (rejection ?? (errored.has(arm) ? 'errored' : 'nothing')) : 'proposed',
      };
    }),
  };
}

const caution =
  'Theirs: Qwen3-4B trained with GRPO, 3 to 5 agents, three suites. Ours: the policy of these runs, on their suites. Another policy and scale: neither says anything about the other.';

/** Valid rate in percent over all sizes and numbers of agents, on the suites with wait ratios 0.25, 0.50 and 0.75. */
const ladder = [
  { form: 'v1', theirs: '25.2 / 18.4 / 14.9', label: 'V1 failures only' },
  { form: 'v2', theirs: '36.6 / 26.9 / 19.7', label: 'V2 + guideline' },
  { form: 'v3', theirs: '38.8 / 31.0 / 23.9', label: 'V3 + history with the first configuration' },
  { form: 'v4', theirs: '41.4 / 33.6 / 25.2', label: 'V4 + history without it' },
  { form: 'v5', theirs: '32.6 / 24.6 / 19.7', label: "V5 + the policy's own summary" },
  { form: 'v6', theirs: '45.2 / 35.7 / 27.3', label: 'V6 + training details' },
] as const;

/** Valid and optimal rate in percent at 3, 4 and 5 agents. */
const deciders = [
  { engineer: 'fixed', theirs: '40.42 / 26.67 / 15.11', label: 'a fixed configuration' },
  { engineer: 'base', theirs: '45.21 / 27.62 / 16.00', label: 'the untrained base as engineer' },
  { engineer: 'checkpoint', theirs: '51.67 / 33.14 / 18.67', label: 'the current checkpoint as engineer' },
] as const;

function publishedBeside(record: AblationRecord, unfinished: Unfinished): readonly Published[] {
  const { started, options } = record;
  if (options?.choice.kind !== 'paper' || started === null) return [];
  const { arms, depth } = started.data;
  const measure = depth === 'propose' ? 'citation' : 'benchmarks';
  const values = valuesIn(record, unfinished).filter((one) => one.measure === measure);
  const cameTo = (arm: string | null): string | null => {
    const known = values.filter((one) => one.arm === arm).flatMap(({ value }) => value ?? []);
    if (known.length === 0) return null;
    return depth === 'propose' ? meanOf(known).toFixed(2) : (100 * meanOf(known)).toFixed(1);
  };
  const climbing = arms.filter(({ contextForm: form, baseline }) => !baseline && form?.name === 'v1')[0]?.engineer.name;
  const armNamed = (engineer: string | undefined, form: string | null): string | null =>
    arms.find((one) => one.engineer.name === engineer && (one.contextForm?.name ?? null) === form)?.arm ?? null;
  const row = (label: string, theirs: string, arm: string | null) => ({ label, arm, theirs, ours: cameTo(arm) });
  const ours = depth === 'propose' ? 'ours: citation score' : 'ours: valid, %';
  const snapshots = arms.filter(({ engineer }) => /^checkpoint@\d+$/.test(engineer.name));
  return [
    {
      what: 'Which context helps',
      columns: ['theirs: valid, %, at wait ratios 0.25 / 0.50 / 0.75', ours],
      rows: ladder.map(({ form, theirs, label }) => row(label, theirs, armNamed(climbing, form))),
      says: caution,
    },
    {
      what: 'Which snapshot decides',
      columns: ['theirs: valid, %, at 3 / 4 / 5 agents', ours],
      rows: [
        ...deciders.map(({ engineer, theirs, label }) =>
          row(label, theirs, armNamed(engineer, engineer === 'fixed' ? null : 'v6')),
        ),
        ...snapshots.map(({ engineer, arm }) => row(`the snapshot ${engineer.name}`, 'not published', arm)),
      ],
      says: caution,
    },
  ];
}
