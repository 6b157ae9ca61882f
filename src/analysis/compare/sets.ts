// Runs that can be compared stand together; what stands alone, and what stands elsewhere, is told with the reasons.
import type { Apart } from '../../../schemas/compare-output.ts';
import { listed } from '../../base/listed.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import type { Entrant } from './entrants.ts';
import { facetsOf, type Passable, passable, reasonsBetween } from './facets.ts';
import { pointsOf } from './material.ts';
import { erroredUntil } from './points.ts';
import { type Chosen, probe, suitesInCommon } from './suites.ts';

export interface Sets {
  /** Each of two runs or more, the one with the baseline first. */
  readonly sets: readonly (readonly Entrant[])[];
  readonly apart: readonly Apart[];
}

export interface Comparing {
  readonly chosen: Chosen;
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

function isMeasured(entrant: Entrant, chosen: Chosen): boolean {
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
  if (!reasons.some(({ kind }) => kind === 'suite')) return `${despite} compares them all the same`;
  const common = suitesInCommon(one, other)[0];
  if (common === undefined) return null;
  return `${[`--suite ${shellWord(common)}`, despite].filter(Boolean).join(' ')} compares them by tasks that both have tried`;
}

/** At a stage that is compared: whatever its engineer was, it is not what came of it. */
function isErrored(entrants: readonly Entrant[]): (one: Entrant) => boolean {
  const points = pointsOf(entrants.filter(({ last }) => last !== null));
  return (one) => erroredUntil(one.read, points.get(one) ?? 'outside').length > 0;
}

function erroredOf({ label, read, last }: Entrant, { passed }: Comparing): Apart {
  const stages = erroredUntil(read, last ?? 'outside');
  const says = `its engineer could not answer for stage${stages.length === 1 ? '' : 's'} ${listed(stages.map(String))}, and what came is not its outcome`;
  return {
    runs: [label],
    from: null,
    reasons: [{ kind: 'errored', here: 'errored', there: 'answered', says }],
    remedy: `--despite ${[...passed, 'errored'].join(',')} compares it all the same`,
  };
}

function unfinishedOf({ label, read, asked, finished, state }: Entrant): Apart {
  const begun = read.history.stages.at(-1)?.stage ?? null;
  const here = asked === null ? (begun === null ? 'no stage' : `stage ${begun}, not over`) : `stage ${asked}, not over`;
  const says =
    begun === null ? `nothing has come of it yet (${state})` : `stage ${asked ?? begun} is not over (${state})`;
  const before = finished.at(-1);
  const { name } = read;
  return {
    runs: [label],
    from: null,
    reasons: [{ kind: 'unfinished', here, there: 'a stage that is over', says }],
    remedy: before === undefined ? null : `${shellWord(`${name}@${before}`)} is the last of it that is over`,
  };
}
