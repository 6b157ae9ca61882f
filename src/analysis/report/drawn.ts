// Failures as they were drawn for engineers: of the last stage that has any, one of each way to fail, the commonest first.
import type { DrawnFailure } from '../../../schemas/report-output.ts';
import { failureClasses, failuresOf } from '../../producers/history/figures.ts';
import type { RunRead } from '../../producers/history/run-read.ts';

const mostDrawn = 6;

export function drawnIn({ history }: RunRead): DrawnFailure[] {
  for (const one of history.stages.toReversed()) {
    const summary = one.summaries.findLast(({ data }) => data.module === 'failures')?.data;
    const drawn = (summary?.exemplars ?? []).flatMap(({ drawing, ...exemplar }) =>
      drawing === undefined || drawing === '' ? [] : [{ ...exemplar, drawing }],
    );
    if (drawn.length === 0) continue;
    const order = failureClasses(failuresOf(one)).map(({ class: name }) => name);
    const byClass = Map.groupBy(drawn, (exemplar) => exemplar.class ?? '');
    const names = [...order, ...byClass.keys()].filter((name, i, all) => all.indexOf(name) === i);
    const firsts = names.flatMap((name) => byClass.get(name)?.slice(0, 1) ?? []);
    const others = drawn.filter((exemplar) => !firsts.includes(exemplar));
    return [...firsts, ...others].slice(0, mostDrawn).map((exemplar) => ({
      stage: one.stage,
      evidenceId: exemplar.evidenceId,
      family: exemplar.family,
      class: exemplar.class ?? null,
      says: exemplar.description ?? null,
      drawing: exemplar.drawing,
      rollout: exemplar.rollout,
    }));
  }
  return [];
}
