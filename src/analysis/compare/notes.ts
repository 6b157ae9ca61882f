// Notes on a comparison: the stage, what forks share, what single runs can and cannot show, and unequal budgets or spending.

import type { ComparedRun, RunDifference } from '../../../schemas/compare-output.ts';
import { listNames } from '../../base/name-lists.ts';
import { count } from '../../base/quantity.ts';
import { fewestPairs } from '../../lab/statistics/significance.ts';
import { unrecordedIn } from '../history/settings.ts';
import { budgetOf, chargedIn, overspentIn, tolerated } from '../history/spending.ts';
import { type Arm, seedOf } from './arms.ts';
import { budgetText, type SetMaterial } from './comparable.ts';
import { alpha, fewestTasksForEquivalence, lacksTasks } from './differences.ts';
import { type Entrant, type Point, sharedStages, stageAt, stagesUntil } from './entrants.ts';

export interface Outcome {
  readonly arms: readonly Arm[];
  /** Whether arms are compared, and not single runs. */
  readonly isBySeed: boolean;
  readonly differences: readonly RunDifference[];
}

export function notesOn(material: SetMaterial, outcome: Outcome): string[] {
  return [
    ...stageNotes(material),
    ...forkNotes(material, outcome),
    ...unitNotes(material, outcome),
    ...pairNotes(material, outcome),
    ...marginNotes(outcome),
    ...recordNotes(material),
  ];
}

function stageNotes({ entrants, points }: SetMaterial): string[] {
  const stages = new Set(points.values());
  const [stage] = stages;
  if (stages.size > 1) {
    const places = entrants.map((one) => `${one.label}: ${pointText(points.get(one) ?? 'outside')}`);
    return [`Different stages: ${listNames(places)}. The later one was trained for longer.`];
  }
  if (typeof stage !== 'number') return [];
  const further = entrants.filter(({ asked, last }) => asked === null && typeof last === 'number' && last > stage);
  if (further.length === 0) return [];
  const late = entrants.filter(({ last }) => last === stage);
  const next = Math.min(...further.map(({ last }) => Number(last)));
  const [only, ...others] = further;
  const ahead = others.length === 0 ? `${only?.label} has` : 'the others have';
  return [
    `Compared after stage ${stage}, the last complete stage of ${listNames(late.map(({ label }) => label))}; ${ahead} completed stage ${next}.`,
  ];
}

function pointText(point: Point): string {
  return point === 'outside' ? 'outside of any stage' : `stage ${point}`;
}

function forkNotes({ entrants, baseline }: SetMaterial, { isBySeed }: Outcome): string[] {
  const shared = new Map<number, string[]>();
  for (const one of entrants) {
    if (one.read.run === baseline.read.run) continue;
    const stages = sharedStages(one.read, baseline.read);
    if (stages > 0) shared.set(stages, [...(shared.get(stages) ?? []), one.label]);
  }
  const others = entrants.filter(({ read }) => read.run !== baseline.read.run);
  const isOneHistory = isBySeed && [...shared.values()].flat().length === others.length;
  const notes = Array.from(shared, ([stages, labels]) => {
    const until = stages === 1 ? 'stage 1' : `stages 1 to ${stages}`;
    return `${listNames(labels)} ${labels.length === 1 ? 'shares' : 'share'} ${until} with ${baseline.label}: they differ from stage ${stages + 1} on.`;
  });
  return isOneHistory ? [...notes, oneHistoryNote(entrants)] : notes;
}

function oneHistoryNote(entrants: readonly Entrant[]): string {
  const seeds = new Set(entrants.map((one) => String(seedOf(one)))).size;
  return `${seeds === 2 ? 'Both' : 'All'} seeds continue one run; another history may give another result.`;
}

function unitNotes(material: SetMaterial, outcome: Outcome): string[] {
  return outcome.isBySeed ? armNotes(outcome) : runNotes(material, outcome);
}

const noArms = '--by makes no arms here: it needs two arms, a recorded seed of every run, and one stage for all.';
const bySeedAlone = 'These runs differ only in their seeds, so their differences are chance.';
const byNothing = 'No recorded setting of these runs differs, nor their seed.';
const byNothingRecorded = 'No recorded setting of these runs differs. Their seeds were not recorded.';

function runNotes({ entrants, by }: SetMaterial, { arms, differences }: Outcome): string[] {
  if (by.length > 0) return [noArms];
  const isOneRun = new Set(entrants.map(({ read }) => read.run)).size === 1;
  if (isOneRun || differences.every(({ verdict }) => verdict === 'same' || verdict === 'unknown')) return [];
  if (arms.length === 1) {
    const seeds = new Set(entrants.map(seedOf));
    return [seeds.size > 1 ? bySeedAlone : seeds.has(null) ? byNothingRecorded : byNothing];
  }
  const hasSeveral = arms.some(({ entrants: own }) => own.length > 1);
  const more = hasSeveral
    ? 'Settings share too few seeds: runs with the same seeds are compared seed by seed.'
    : `Comparing settings takes at least ${fewestPairs(alpha / differences.length)} runs of each, with the same seeds.`;
  return [
    `This compares ${entrants.length === 2 ? 'two runs' : 'runs'}, not their settings: other seeds may give another result. ${more}${byHint(entrants)}`,
  ];
}

function armNotes({ arms }: Outcome): string[] {
  const twins = arms.filter(({ entrants }) => new Set(entrants.map(seedOf)).size < entrants.length);
  return [
    'The seed is the unit: each pair is two runs with the same seed.',
    ...(twins.length === 0
      ? []
      : [`Several runs with one seed count with their mean: ${listNames(twins.map(({ name }) => name))}.`]),
  ];
}

/** Suggests arms if engineers or contexts have several runs each. */
function byHint(entrants: readonly Entrant[]): string {
  const setting = ['engineer', 'context'].find((name) => {
    const arms = [...Map.groupBy(entrants, (one) => JSON.stringify(one.settings.get(name) ?? null)).values()];
    return arms.length > 1 && haveSeedsInCommon(arms);
  });
  return setting === undefined ? '' : ` --by ${setting} groups the runs by ${setting}.`;
}

function haveSeedsInCommon(arms: readonly (readonly Entrant[])[]): boolean {
  const [first = new Set<unknown>(), ...others] = arms.map((arm) => new Set(arm.map(seedOf)));
  return first.size > 1 && others.every((seeds) => [...seeds].filter((seed) => first.has(seed)).length > 1);
}

function pairNotes({ entrants, points, tallies }: SetMaterial, { differences }: Outcome): string[] {
  const several = differences.filter(({ adjusted }) => adjusted !== null).length;
  const unvaried = differences.filter(
    ({ pairs, units, p, low }) => pairs === 'seeds' && units >= fewestPairs(alpha) && p !== null && low === null,
  );
  const isByFamily = differences.some(({ pairs, low }) => pairs === 'families' && low !== null) && tallies.size === 0;
  const hasProbe = entrants.every((one) => stageAt(one.read, points.get(one) ?? 'outside')?.sealed);
  return [
    ...(several > 1 ? [`p is corrected for ${several} comparisons (Holm); intervals are not.`] : []),
    ...(several === 1 && differences.some(isClose)
      ? ['The interval is an approximation and leaves out 0; p is exact, and decides.']
      : []),
    ...(unvaried.length === 0
      ? []
      : [
          `Every pair of seeds of ${listNames(unvaried.map(({ of }) => of))} differs by the same: without variation there is no interval.`,
        ]),
    ...(isByFamily
      ? [
          `Pairs are families of tasks, as the results of single tasks of this suite are not recorded: the intervals are somewhat too wide.${hasProbe ? ' The probe pool is compared task by task: --suite probe.' : ''}`,
        ]
      : []),
  ];
}

/** At the margin, an interval and an exact test may disagree. */
function isClose({ low, high, verdict, pairs }: RunDifference): boolean {
  return pairs === 'tasks' && verdict === 'inconclusive' && low !== null && high !== null && low * high > 0;
}

function marginNotes({ differences }: Outcome): string[] {
  const levels = new Set(differences.flatMap(({ equivalence }) => equivalence?.level ?? []));
  const [level] = levels;
  if (level === undefined) return [];
  const text = Number((100 * level).toFixed(1));
  return [
    `Equivalent: the ${text} % interval is within the margin (two one-sided tests at 5 %, corrected together).`,
    ...(differences.some(lacksTasks)
      ? [
          `By fewer than ${fewestTasksForEquivalence} tasks nothing is called equivalent: with so few, runs that differ by the margin would pass too often.`,
        ]
      : []),
  ];
}

function recordNotes({ entrants }: SetMaterial): string[] {
  const blind = entrants.filter(({ read }) => read.started?.data.budget === undefined);
  const opaque = entrants.filter(({ read }) => read.opaque.length > 0);
  const missing = entrants.filter(({ read }) => read.parent !== null && !read.parent.isThere);
  return [
    ...(blind.length === 0 ? [] : [`The budget of ${listNames(blind.map(({ label }) => label))} is not recorded.`]),
    ...(missing.length === 0
      ? []
      : [`The shared history of ${listNames(missing.map(({ label }) => label))} is not in this ledger.`]),
    ...(opaque.length === 0
      ? []
      : [`Events of unknown types or versions in ${listNames(opaque.map(({ label }) => label))} are left out.`]),
  ];
}

/** In sentences; runs of which the same is missing share one. */
export function unrecordedOf({ entrants }: SetMaterial): string[] {
  const partly = Map.groupBy(entrants, ({ read }) => unrecordedIn(read));
  return Array.from(partly, ([what, some]) =>
    what === null ? [] : [`${listNames(some.map(({ label }) => label))}: ${what}.`],
  ).flat();
}

export function overspentBy({ read }: Entrant, point: Point | null): ComparedRun['overspent'] {
  const stages = point === null ? [] : stagesUntil(read, point);
  return stages.flatMap((stage) => overspentIn(read, stage).map((one) => ({ stage: stage.stage, ...one })));
}

export function spendingWarnings(material: SetMaterial): string[] {
  return [...beyondBudget(material), ...otherBudgets(material), ...unequal(material)];
}

function beyondBudget({ entrants, points }: SetMaterial): string[] {
  return entrants.flatMap((one) =>
    overspentBy(one, points.get(one) ?? null).map(
      ({ stage, unit, budget, spent }) =>
        `The training of ${one.label} in stage ${stage} took ${count(spent)} ${unit}, more than its budget of ${count(budget)}.`,
    ),
  );
}

/** Runs of other budgets are compared only where that is asked for. */
function otherBudgets({ entrants }: SetMaterial): string[] {
  const budgets = Map.groupBy(entrants, ({ read }) => {
    const { budget } = read.started?.data ?? {};
    return budget === undefined ? null : budgetText(budget);
  });
  const known = [...budgets].flatMap(([budget, [first]]) =>
    budget === null || first === undefined ? [] : [`${first.label}: ${budget}`],
  );
  return known.length < 2 ? [] : [`Different budgets per stage: ${known.join('; ')}.`];
}

function unequal({ entrants, points }: SetMaterial): string[] {
  if (new Set(points.values()).size > 1) return [];
  const charged = entrants.map((one) => chargedUntil(one, points.get(one) ?? null));
  return [...new Set(charged.flatMap(({ units }) => units))].flatMap((unit) => {
    const known = charged
      .flatMap(({ label, amounts }) => (amounts.has(unit) ? [{ label, amount: amounts.get(unit) ?? 0 }] : []))
      .sort((a, b) => a.amount - b.amount);
    const [least, most] = [known[0], known.at(-1)];
    if (least === undefined || most === undefined || most.amount <= least.amount * (1 + tolerated)) return [];
    return [
      `Different spending: ${least.label} took ${count(least.amount)} ${unit}, ${most.label} ${count(most.amount)}.`,
    ];
  });
}

interface Charged {
  readonly label: string;
  readonly amounts: ReadonlyMap<string, number>;
  /** Those that budgets are in; all, where nobody recorded a budget. */
  readonly units: readonly string[];
}

function chargedUntil({ label, read }: Entrant, point: Point | null): Charged {
  const amounts = new Map<string, number>();
  const budgeted = new Set<string>();
  for (const stage of point === null ? [] : stagesUntil(read, point)) {
    for (const unit of Object.keys(budgetOf(read, stage))) budgeted.add(unit);
    for (const [unit, amount] of Object.entries(chargedIn(read, stage)))
      amounts.set(unit, (amounts.get(unit) ?? 0) + amount);
  }
  return { label, amounts, units: budgeted.size > 0 ? [...budgeted] : [...amounts.keys()] };
}
