// Which runs can be compared: those alike in the tasks they are measured on, the environment, what a stage may spend, who is
// trained and by what. In anything else they may differ, for that is what they are compared for. Runs that stand alone are
// listed with the reasons.

import { canonicalJson } from '../../../schemas/canonical.ts';
import { type Apart, type ApartKind, type Passable, passable } from '../../../schemas/compare-output.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { commandIn, external } from '../../../schemas/run-file.ts';
import { listNames } from '../../base/name-lists.ts';
import { amountsText } from '../../base/quantity.ts';
import { shellWord } from '../../base/shell-word.ts';
import { decisive } from '../../producers/by-hand/forking.ts';
import { isForPerson, isHidden } from '../history/hidden.ts';
import { type Entrant, type Evaluation, erroredUntil, evaluationsAt, NotAmongRuns, type Point } from './entrants.ts';
import type { Tally } from './tasks.ts';

export interface SuiteChoice {
  /** Null: that of validation, whatever it is called. */
  readonly suite: string | null;
  readonly measure: string;
}

/** Not evaluated as a whole: there are only single rollouts of it. */
export const probe = 'probe';

interface SuiteQuery {
  readonly suite: string | null;
  readonly measure: string | null;
}

/** Nobody is led to a benchmark who did not ask for it: without one, only what engineers may see. Throws NotAmongRuns. */
export function chosen(entrants: readonly Entrant[], { suite, measure }: SuiteQuery): SuiteChoice {
  const all = entrants.flatMap(({ read, last }) => (last === null ? [] : evaluationsAt(read, last)));
  const names = [...new Set(all.map((one) => one.suite.name))];
  if (suite !== null && suite !== probe && !names.includes(suite))
    throw new NotAmongRuns('--suite', suite, [...names, probe]);
  const hasValidation = all.some(({ split }) => split === 'validation');
  const usual = entrants.some(({ read }) => isForPerson(read)) ? all.filter((one) => !isHidden(one)) : all;
  const meant = suite ?? (hasValidation ? null : (usual[0]?.suite.name ?? null));
  const shares = suite === probe ? ofRollouts : sharesIn(all.filter((one) => isMeant(one, meant)));
  if (measure !== null && !shares.includes(measure)) throw new NotAmongRuns('--measure', measure, shares);
  return { suite: meant, measure: measure ?? usualAmong(shares) };
}

/** Whatever the environment, as far as its rollouts say. */
const ofRollouts = ['valid', 'optimal'];

function usualAmong(shares: readonly string[]): string {
  return ['valid', ...shares].find((one) => shares.includes(one)) ?? 'valid';
}

/** Measures that are shares wherever they were recorded; what was spent is none. */
function sharesIn(evaluations: readonly Evaluation[]): readonly string[] {
  const measures = new Map<string, boolean>();
  for (const { measure, value } of evaluations.flatMap(({ results }) => results)) {
    const isShare = typeof value !== 'number' || (value >= 0 && value <= 1);
    measures.set(measure, (measures.get(measure) ?? true) && isShare && !measure.includes('/'));
  }
  return [...measures].flatMap(([measure, isShare]) => (isShare ? [measure] : []));
}

function isMeant({ suite, split }: Evaluation, meant: string | null): boolean {
  return meant === null ? split === 'validation' : suite.name === meant;
}

/** The last one of the suite; null where it was not evaluated there. */
export function evaluationOf({ read }: Entrant, point: Point, { suite }: SuiteChoice): Evaluation | null {
  return evaluationsAt(read, point).findLast((one) => isMeant(one, suite)) ?? null;
}

/** Equal where the tasks are the same, as far as was recorded. */
function identityOf({ suite }: Evaluation): string {
  const { name, digest, seed, tasks, parameters } = suite;
  return digest ?? canonicalJson({ name, seed: seed ?? null, tasks: tasks ?? null, parameters: parameters ?? null });
}

/** Suites that two runs were both evaluated on, on the same tasks. */
function suitesInCommon(one: Entrant, other: Entrant): readonly string[] {
  const [mine, theirs] = [one, other].map(({ read, last }) => (last === null ? [] : evaluationsAt(read, last)));
  const known = new Set(theirs?.map(identityOf));
  return [
    ...new Set(mine?.flatMap((evaluation) => (known.has(identityOf(evaluation)) ? [evaluation.suite.name] : []))),
  ];
}

interface Facet {
  readonly kind: ApartKind;
  /** Equal where the runs are alike in it. */
  readonly key: string;
  readonly shown: string;
}

const notRecorded = 'not recorded';

/** Empty for a run of which nothing is known yet. */
function facetsOf(entrant: Entrant, chosen: SuiteChoice): readonly Facet[] {
  const asked = entrant.read.started?.data;
  return [
    suiteFacet(entrant, chosen),
    environmentFacet(entrant),
    facet('budget', asked?.budget, budgetText),
    facet('policy', asked?.policy, nameText),
    facet('trainer', asked?.trainer, trainerText),
  ];
}

function facet<Value>(kind: ApartKind, value: Value | undefined, text: (value: Value) => string): Facet {
  const shown = value === undefined ? notRecorded : text(value);
  return { kind, key: shown, shown };
}

function nameText({ name, version }: { readonly name: string; readonly version?: string | undefined }): string {
  return version === undefined ? name : `${name} (version ${version})`;
}

function trainerText(trainer: Parameters<typeof nameText>[0] & { readonly parameters?: object | undefined }): string {
  const command = commandIn(trainer.parameters);
  if (command !== null) return `the program ${command.join(' ')}`;
  return trainer.name === external ? 'one outside of icecore' : nameText(trainer);
}

export function budgetText(budget: Readonly<Record<string, number>>): string {
  return amountsText(Object.fromEntries(Object.entries(budget).sort(([a], [b]) => (a < b ? -1 : 1))));
}

function suiteFacet(entrant: Entrant, chosen: SuiteChoice): Facet {
  if (chosen.suite === probe) return { kind: 'suite', key: probe, shown: 'the probe pool' };
  const evaluation = entrant.last === null ? null : evaluationOf(entrant, entrant.last, chosen);
  if (evaluation === null) return { kind: 'suite', key: '', shown: `nothing on ${chosen.suite ?? 'validation'}` };
  const { name, digest, tasks: count } = evaluation.suite;
  const size = count === undefined ? '' : ` of ${count} tasks`;
  const tasks = digest === undefined ? ', which tasks was not recorded' : ` (${digest.slice(0, 12)})`;
  return { kind: 'suite', key: identityOf(evaluation), shown: `${name}${size}${tasks}` };
}

function environmentFacet({ read }: Entrant): Facet {
  const environment = read.started?.data.environment;
  const shown = environment === undefined ? notRecorded : nameText(environment);
  const described = read.descriptor === null ? null : decisive(read.descriptor);
  // Through JSON, which leaves out what is not defined.
  return { kind: 'environment', key: `${shown} ${canonicalJson(parseJson(JSON.stringify(described)))}`, shown };
}

type Reason = Apart['reasons'][number];

/** In what the one differs from the other; empty where both can be compared. */
function reasonsBetween(one: Entrant, other: Entrant, chosen: SuiteChoice, passed: readonly Passable[]): Reason[] {
  const theirs = new Map(facetsOf(other, chosen).map((facet) => [facet.kind, facet]));
  return facetsOf(one, chosen).flatMap((mine) => {
    const there = theirs.get(mine.kind);
    if (there === undefined || there.key === mine.key || passed.some((kind) => kind === mine.kind)) return [];
    return [{ kind: mine.kind, here: mine.shown, there: there.shown, says: wordsFor(mine, there, one, other) }];
  });
}

function wordsFor(mine: Facet, there: Facet, one: Entrant, other: Entrant): string {
  switch (mine.kind) {
    case 'suite':
      return mine.key === ''
        ? `it has ${mine.shown}`
        : there.key === ''
          ? `it has ${mine.shown}, the other one does not`
          : `the tasks are ${mine.shown}, not ${there.shown}`;
    case 'environment':
      return mine.shown === there.shown
        ? `the environment has another description: ${describedOtherwise(one, other).join(', ')}`
        : `the environment is ${mine.shown}, not ${there.shown}`;
    case 'budget':
      return `the budget per stage is ${mine.shown}, not ${there.shown}`;
    default:
      return `the ${mine.kind} is ${mine.shown}, not ${there.shown}`;
  }
}

function describedOtherwise(one: Entrant, other: Entrant): readonly string[] {
  const [mine, theirs] = [one.read.descriptor, other.read.descriptor];
  if (mine === null || theirs === null) return ['only one of the two has a descriptor'];
  const [before, now] = [decisive(theirs), decisive(mine)];
  return Object.keys(now).filter((key) => JSON.stringify(before[key]) !== JSON.stringify(now[key]));
}

export interface SetMaterial {
  readonly entrants: readonly Entrant[];
  readonly baseline: Entrant;
  readonly chosen: SuiteChoice;
  readonly by: readonly string[];
  readonly margin: number | null;
  readonly points: Points;
  /** By label, single tasks; none where they were not looked for. */
  readonly tallies: ReadonlyMap<string, Tally>;
  /** Its rate; null if there is none. */
  readonly cameTo: (entrant: Entrant) => number | null;
}

/** Up to where each is compared. */
export type Points = ReadonlyMap<Entrant, Point>;

/** Without a stage named, the last that all of them have finished. */
export function pointsOf(entrants: readonly Entrant[]): Points {
  const stages = entrants.flatMap(({ last }) => (typeof last === 'number' ? [last] : []));
  const common = Math.min(...stages);
  return new Map(
    entrants.map((one) => [one, one.asked ?? (one.last === 'outside' || one.last === null ? 'outside' : common)]),
  );
}

interface Sets {
  /** Each of two runs or more, the one with the baseline first. */
  readonly sets: readonly (readonly Entrant[])[];
  readonly apart: readonly Apart[];
}

interface Comparing {
  readonly chosen: SuiteChoice;
  readonly passed: readonly Passable[];
}

export function setsOf(entrants: readonly Entrant[], baseline: Entrant, comparing: Comparing): Sets {
  const errored = comparing.passed.includes('errored') ? [] : entrants.filter(isErrored(entrants));
  const there = entrants.filter((one) => one.last !== null && !errored.includes(one));
  const groups = [...Map.groupBy(there, (one) => keyOf(one, comparing)).values()];
  const measured = groups.filter(([first]) => first !== undefined && isMeasured(first, comparing.chosen));
  const sets = measured
    .filter(({ length }) => length > 1)
    .sort((a, b) => Number(b.includes(baseline)) - Number(a.includes(baseline)));
  const from = !there.includes(baseline) ? (sets[0]?.[0] ?? there[0] ?? baseline) : baseline;
  const others = groups.filter((group) => !group.includes(from));
  const unfinished = entrants.filter((one) => one.last === null).map(unfinishedOf);
  const unmeasured = groups.filter((group) => group.includes(from) && !measured.includes(group));
  return {
    sets,
    apart: [
      ...unmeasured.map((group) => apartFrom(group, null, comparing)),
      ...others.map((group) => apartFrom(group, from, comparing)),
      ...errored.map((one) => erroredOf(one, comparing)),
      ...unfinished,
    ],
  };
}

function keyOf(entrant: Entrant, { chosen, passed }: Comparing): string {
  const facets = facetsOf(entrant, chosen).filter(({ kind }) => !passed.some((one) => one === kind));
  return JSON.stringify(facets.map(({ key }) => key));
}

function isMeasured(entrant: Entrant, chosen: SuiteChoice): boolean {
  return chosen.suite === probe || facetsOf(entrant, chosen).some(({ kind, key }) => kind === 'suite' && key !== '');
}

function apartFrom(group: readonly Entrant[], from: Entrant | null, comparing: Comparing): Apart {
  const [first] = group;
  const runs = group.map(({ label }) => label);
  if (first === undefined || from === null) {
    const suite = comparing.chosen.suite ?? 'validation';
    const says = `nothing was recorded of ${suite}`;
    return { runs, from: null, reasons: [{ kind: 'suite', here: 'nothing', there: suite, says }], remedy: null };
  }
  const reasons = reasonsBetween(first, from, comparing.chosen, comparing.passed);
  return { runs, from: from.label, reasons, remedy: remedyFor(reasons, first, from, comparing) };
}

/** What to type, so that they are compared after all; null where nothing would do. */
function remedyFor(reasons: Apart['reasons'], one: Entrant, other: Entrant, { passed }: Comparing): string | null {
  const toPass = passable.filter((kind) => passed.includes(kind) || reasons.some((reason) => reason.kind === kind));
  const despite = toPass.length === passed.length ? '' : `--despite ${toPass.join(',')}`;
  if (!reasons.some(({ kind }) => kind === 'suite')) return `${despite} compares them anyway`;
  const common = suitesInCommon(one, other)[0];
  if (common === undefined) return null;
  return `${[`--suite ${shellWord(common)}`, despite].filter(Boolean).join(' ')} compares them on tasks that both have tried`;
}

/** At a stage that is compared: whatever its engineer was, it is not what came of it. */
function isErrored(entrants: readonly Entrant[]): (one: Entrant) => boolean {
  const points = pointsOf(entrants.filter(({ last }) => last !== null));
  return (one) => erroredUntil(one.read, points.get(one) ?? 'outside').length > 0;
}

function erroredOf({ label, read, last }: Entrant, { passed }: Comparing): Apart {
  const stages = erroredUntil(read, last ?? 'outside');
  const says = `its engineer errored for stage${stages.length === 1 ? '' : 's'} ${listNames(stages.map(String))}, so its results are not those of its engineer`;
  return {
    runs: [label],
    from: null,
    reasons: [{ kind: 'errored', here: 'errored', there: 'answered', says }],
    remedy: `--despite ${[...passed, 'errored'].join(',')} compares it anyway`,
  };
}

function unfinishedOf({ label, read, asked, finished, state }: Entrant): Apart {
  const begun = read.stages.at(-1)?.stage ?? null;
  const here =
    asked === null ? (begun === null ? 'no stage' : `stage ${begun}, not complete`) : `stage ${asked}, not complete`;
  const says =
    begun === null ? `it has no complete stage yet (${state})` : `stage ${asked ?? begun} is not complete (${state})`;
  const before = finished.at(-1);
  const { name } = read;
  return {
    runs: [label],
    from: null,
    reasons: [{ kind: 'unfinished', here, there: 'a complete stage', says }],
    remedy: before === undefined ? null : `${shellWord(`${name}@${before}`)} is its last complete stage`,
  };
}
