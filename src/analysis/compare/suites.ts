// What runs are compared by: the suite made for watching them, another one that is asked for, or the tasks of the probe pool.
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { RolloutSpan } from '../../producers/run/history.ts';
import { isForPerson, isHidden } from '../history/hidden.ts';
import type { Entrant } from './entrants.ts';
import { NotAmongRuns } from './errors.ts';
import { type Evaluation, evaluationsAt, type Point, recordedAt } from './points.ts';

export interface Chosen {
  /** Null: that of validation, whatever it is called. */
  readonly suite: string | null;
  readonly measure: string;
}

/** Not evaluated as a whole: there are only single rollouts of it. */
export const probe = 'probe';

interface Wanted {
  readonly suite: string | null;
  readonly measure: string | null;
}

/** Nobody is led to a benchmark who did not ask for it: without one, only what engineers may see. Throws NotAmongRuns. */
export function chosen(entrants: readonly Entrant[], { suite, measure }: Wanted): Chosen {
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
export function evaluationOf({ read }: Entrant, point: Point, { suite }: Chosen): Evaluation | null {
  return evaluationsAt(read, point).findLast((one) => isMeant(one, suite)) ?? null;
}

/** The rollouts that it adds up, where it names them. */
export function rolloutsOf({ read }: Entrant, point: Point, { suite }: Chosen): readonly RolloutSpan[] {
  return recordedAt(read, point).findLast(({ data }) => isMeant(data, suite))?.rollouts ?? [];
}

/** Equal where the tasks are the same, as far as was recorded. */
export function identityOf({ suite }: Evaluation): string {
  const { name, digest, seed, tasks, parameters } = suite;
  return digest ?? canonicalJson({ name, seed: seed ?? null, tasks: tasks ?? null, parameters: parameters ?? null });
}

/** Suites that two runs were both evaluated on, on the same tasks. */
export function suitesInCommon(one: Entrant, other: Entrant): readonly string[] {
  const [mine, theirs] = [one, other].map(({ read, last }) => (last === null ? [] : evaluationsAt(read, last)));
  const known = new Set(theirs?.map(identityOf));
  return [
    ...new Set(mine?.flatMap((evaluation) => (known.has(identityOf(evaluation)) ? [evaluation.suite.name] : []))),
  ];
}
