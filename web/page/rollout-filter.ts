// Which rollouts a view shows: a run or a stage of it, and what they have in common. The same in addresses, requests and SQL.
import { percent } from '../charts/words.ts';
import { type Place, placeText, runPath, sqlText } from './place.ts';
import { type Query, queryText } from './router.ts';

const filterNames = ['split', 'benchmark', 'family', 'outcome', 'failure_class', 'success'] as const;
export type FilterName = (typeof filterNames)[number];
export type RolloutFilter = { readonly [Name in FilterName]: string | null };

export function filterIn(query: URLSearchParams): RolloutFilter {
  const value = (name: FilterName): string | null => query.get(name) || null;
  return {
    split: value('split'),
    benchmark: value('benchmark'),
    family: value('family'),
    outcome: value('outcome'),
    failure_class: value('failure_class'),
    success: value('success'),
  };
}

/** One page of them. */
export function pagePath(of: string, { benchmark, ...filter }: RolloutFilter, page: Query): string {
  // Evidence of a benchmark is a part of its own, whose name has underscores for hyphens.
  const part = benchmark === null ? {} : { part: benchmark.replaceAll('-', '_') };
  return runPath(of, `/rollouts?${queryText({ ...filter, ...part, ...page })}`);
}

const benchmarkSql = "CASE WHEN split = 'test' THEN replace(part, '_', '-') END";

/** The benchmark as a filter. Null: its name does not give that of its part, which has a digest then. */
export function benchmarkOf(suite: string): string | null {
  return /^[a-z][a-z0-9.-]{0,62}$/.test(suite) ? suite : null;
}

/** In SQL, as the server selects them: a stage that a fork shares is recorded under its parent. `run`: its identity. */
export function whereOf(run: string, stage: Place['stage'], filter: RolloutFilter): string {
  const own = sqlText(run);
  const { success, benchmark, ...equal } = filter;
  return [
    typeof stage === 'number'
      ? `run_id = coalesce((SELECT recorder_id FROM lineage WHERE run_id = ${own} AND stage = ${stage}), ${own}) AND stage = ${stage}`
      : `run_id = ${own}`,
    ...Object.entries(equal).flatMap(([name, value]) => (value === null ? [] : [`${name} = ${sqlText(value)}`])),
    ...(benchmark === null ? [] : [`${benchmarkSql} = ${sqlText(benchmark)}`]),
    ...(success === null ? [] : [success === 'true' ? 'success' : 'NOT success']),
  ].join(' AND ');
}

/** How many rollouts there are of each kind, for all filters at once. */
export function kindsQuery(run: string, stage: Place['stage']): string {
  const kinds = `split, ${benchmarkSql} AS benchmark, family, outcome, failure_class, success::VARCHAR AS success`;
  return `SELECT ${kinds}, count(*) AS count FROM rollouts WHERE ${whereOf(run, stage, filterIn(new URLSearchParams()))} GROUP BY ALL`;
}

export type Kind = RolloutFilter & { readonly count: number };

export interface Choice {
  readonly value: string;
  /** With all other filters as they are. */
  readonly count: number;
}

/** The values that a filter can have, most frequent first; families and splits in their own order. */
export function choicesOf(name: FilterName, kinds: readonly Kind[], filter: RolloutFilter): readonly Choice[] {
  const counts = new Map<string, number>();
  for (const kind of kinds) {
    const value = kind[name];
    if (value === null) continue;
    const isOther = filterNames.some(
      (other) => other !== name && filter[other] !== null && filter[other] !== kind[other],
    );
    counts.set(value, (counts.get(value) ?? 0) + (isOther ? 0 : kind.count));
  }
  const choices = Array.from(counts, ([value, count]) => ({ value, count }));
  const byName = (a: Choice, b: Choice): number => a.value.localeCompare(b.value, 'en', { numeric: true });
  return choices.sort(name === 'family' || name === 'split' ? byName : (a, b) => b.count - a.count || byName(a, b));
}

export interface Totals {
  readonly all: number;
  readonly solved: number;
  /** Whose success is known. */
  readonly judged: number;
}

export function totalsOf(kinds: readonly Kind[], filter: RolloutFilter): Totals {
  const own = kinds.filter((kind) => filterNames.every((name) => filter[name] === null || filter[name] === kind[name]));
  const sum = (some: readonly Kind[]): number => some.reduce((total, { count }) => total + count, 0);
  return {
    all: sum(own),
    solved: sum(own.filter(({ success }) => success === 'true')),
    judged: sum(own.filter(({ success }) => success !== null)),
  };
}

/** `family 8, not solved` */
export function filterWords(filter: RolloutFilter): string {
  const { split, benchmark, family, outcome, failure_class: failureClass, success } = filter;
  return [
    ...(split === null ? [] : [split]),
    ...(benchmark === null ? [] : [`benchmark ${benchmark}`]),
    ...(family === null ? [] : [`family ${family}`]),
    ...(outcome === null ? [] : [`outcome ${outcome}`]),
    ...(failureClass === null ? [] : [`failure ${failureClass}`]),
    ...(success === null ? [] : [success === 'true' ? 'solved' : 'not solved']),
  ].join(', ');
}

export function solvedWords({ solved, judged }: Totals): string {
  return judged === 0 ? '' : `${solved.toLocaleString('en')} solved (${percent(solved / judged)})`;
}

export interface Neighbours {
  /** From 1. */
  readonly place: number;
  readonly total: number;
  readonly previous: string | null;
  readonly next: string | null;
}

/** The place of a rollout among those of a filter, in the order of pages. */
export function neighboursQuery(run: string, stage: Place['stage'], filter: RolloutFilter, event: string): string {
  return (
    'WITH placed AS (SELECT id, row_number() OVER by_place AS place, count(*) OVER () AS total, ' +
    'lag(id) OVER by_place AS previous, lead(id) OVER by_place AS next ' +
    `FROM rollouts WHERE ${whereOf(run, stage, filter)} ` +
    'WINDOW by_place AS (ORDER BY coalesce(stage, 0), stream, revision)) ' +
    `SELECT place, total, previous, next FROM placed WHERE id = ${sqlText(event)}`
  );
}

/** The query of the address of one rollout, so that it is shown within these. */
export function withinQuery(run: string, stage: Place['stage'], filter: RolloutFilter): Query {
  return { in: placeText(run, stage), ...filter };
}
