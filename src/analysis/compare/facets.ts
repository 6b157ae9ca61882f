// What must be alike for two runs to be compared: the tasks they are measured on, the environment, what a stage may spend,
// who is trained and by what. In anything else they may differ, for that is what they are compared for.
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { Apart, ApartKind } from '../../../schemas/compare-output.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { decisive } from '../../producers/by-hand/same-environment.ts';
import type { Entrant } from './entrants.ts';
import { type Chosen, evaluationOf, identityOf, probe } from './suites.ts';

export interface Facet {
  readonly kind: ApartKind;
  /** Equal where the runs are alike in it. */
  readonly key: string;
  readonly shown: string;
}

/** What may be passed over on purpose: tasks may not, for there would be no pairs. An error is no outcome, and no difference. */
export const passable = [
  'environment',
  'budget',
  'policy',
  'trainer',
  'errored',
] as const satisfies readonly ApartKind[];

export type Passable = (typeof passable)[number];

const notRecorded = 'not recorded';

/** Empty of a run of which nothing can be told yet. */
export function facetsOf(entrant: Entrant, chosen: Chosen): readonly Facet[] {
  const asked = entrant.read.history.started?.data;
  return [
    suiteFacet(entrant, chosen),
    environmentFacet(entrant),
    facet('budget', asked?.budget, budgetText),
    facet('policy', asked?.policy, nameText),
    facet('trainer', asked?.trainer, nameText),
  ];
}

function facet<Value>(kind: ApartKind, value: Value | undefined, text: (value: Value) => string): Facet {
  const shown = value === undefined ? notRecorded : text(value);
  return { kind, key: shown, shown };
}

function nameText({ name, version }: { readonly name: string; readonly version?: string | undefined }): string {
  return version === undefined ? name : `${name} ${version}`;
}

export function budgetText(budget: Readonly<Record<string, number>>): string {
  const amounts = Object.entries(budget).sort(([a], [b]) => (a < b ? -1 : 1));
  return amounts.map(([unit, amount]) => `${amount.toLocaleString('en-US')} ${unit}`).join(', ');
}

function suiteFacet(entrant: Entrant, chosen: Chosen): Facet {
  if (chosen.suite === probe) return { kind: 'suite', key: probe, shown: 'the probe pool' };
  const evaluation = entrant.last === null ? null : evaluationOf(entrant, entrant.last, chosen);
  if (evaluation === null) return { kind: 'suite', key: '', shown: `nothing on ${chosen.suite ?? 'validation'}` };
  const { name, digest, tasks: count } = evaluation.suite;
  const size = count === undefined ? '' : ` of ${count} tasks`;
  const tasks = digest === undefined ? ', which tasks was not recorded' : ` (${digest.slice(0, 12)})`;
  return { kind: 'suite', key: identityOf(evaluation), shown: `${name}${size}${tasks}` };
}

function environmentFacet({ read }: Entrant): Facet {
  const environment = read.history.started?.data.environment;
  const shown = environment === undefined ? notRecorded : nameText(environment);
  const described = read.descriptor === null ? null : decisive(read.descriptor);
  // Through JSON, which leaves out what is not defined.
  return { kind: 'environment', key: `${shown} ${canonicalJson(parseJson(JSON.stringify(described)))}`, shown };
}

type Reason = Apart['reasons'][number];

/** In what the one differs from the other; empty where both can be compared. */
export function reasonsBetween(one: Entrant, other: Entrant, chosen: Chosen, passed: readonly Passable[]): Reason[] {
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
        ? `there is ${mine.shown}`
        : there.key === ''
          ? `it has ${mine.shown}, the other one does not`
          : `other tasks: ${mine.shown}, not ${there.shown}`;
    case 'environment':
      return mine.shown === there.shown
        ? `its environment is described otherwise: ${describedOtherwise(one, other).join(', ')}`
        : `another environment: ${mine.shown}, not ${there.shown}`;
    case 'budget':
      return `another budget a stage: ${mine.shown}, not ${there.shown}`;
    default:
      return `another ${mine.kind}: ${mine.shown}, not ${there.shown}`;
  }
}

function describedOtherwise(one: Entrant, other: Entrant): readonly string[] {
  const [mine, theirs] = [one.read.descriptor, other.read.descriptor];
  if (mine === null || theirs === null) return ['only one of both has a descriptor'];
  const [before, now] = [decisive(theirs), decisive(mine)];
  return Object.keys(now).filter((key) => JSON.stringify(before[key]) !== JSON.stringify(now[key]));
}
