// The contexts of several forms after several stages of a run, with missing summaries computed at once.
import type { BuiltContext } from '../../contexts/build.ts';
import type { RunHistory } from '../../history/run-history.ts';
import { contextFrom } from '../contexts.ts';
import { type SummaryOptions, withSummaries } from '../summaries.ts';

export type ShownForm = Parameters<typeof contextFrom>[2];

/** By stage, in the order of the forms. */
export async function contextsAfter(
  history: RunHistory,
  stages: readonly number[],
  sights: readonly ShownForm[],
  of: SummaryOptions,
): Promise<Map<number, BuiltContext[]>> {
  const modules = sights.flatMap(({ form }) => form.modules);
  const needed = stages.map((stage) => ({ stage, modules }));
  const { history: whole } = await withSummaries(history, needed, of);
  const contexts = new Map<number, BuiltContext[]>();
  for (const stage of stages) {
    const built: BuiltContext[] = [];
    for (const sight of sights) built.push(await contextFrom(whole, stage, sight, of.textOf));
    contexts.set(stage, built);
  }
  return contexts;
}
