// Rates as they are told: of what an evaluation counted, pooled where that is asked for, and as percentages for people.
import type { LakeRate } from '../../../../schemas/lake-evaluation-output.ts';
import type { Evaluation } from '../../../lab/evaluation/evaluate.ts';
import { wilson } from '../../../lab/statistics/distributions.ts';

export type Measure = 'valid' | 'optimal';
export type Cell = NonNullable<Evaluation['cells']>[number];
type Counted = { readonly measure: string; readonly count?: number | undefined; readonly of?: number | undefined };

/** Tries at one lake are alike: how sure a rate is follows from the number of lakes. */
export function rate(count: number, of: number, samples = 1): LakeRate {
  if (of === 0) return { value: null, count, of, low: null, high: null };
  return { value: count / of, count, of, ...wilson(count / samples, of / samples) };
}

/** Of all families where that is null. */
export function rateOf(
  { results, samples = 1 }: Pick<Evaluation, 'results' | 'samples'>,
  measure: Measure,
  family: string | null = null,
): LakeRate {
  return pooled([results.filter((one) => one.family === family)], measure, samples);
}

/** Of several sets of results together. */
export function pooled(results: readonly (readonly Counted[])[], measure: Measure, samples = 1): LakeRate {
  let [count, of] = [0, 0];
  for (const result of results.flat()) {
    if (result.measure !== measure) continue;
    count += result.count ?? 0;
    of += result.of ?? 0;
  }
  return rate(count, of, samples);
}

export function pooledCells(cells: readonly Cell[], measure: Measure, samples = 1): LakeRate {
  return pooled(
    cells.map(({ results }) => results),
    measure,
    samples,
  );
}

/** In percent. What is not all is never shown as all, what is not none never as none. */
export function percent({ value, count, of }: Pick<LakeRate, 'value' | 'count' | 'of'>): string {
  if (value === null) return '-';
  const text = (100 * value).toFixed(1);
  if (count < of && text === '100.0') return '>99.9';
  return count > 0 && text === '0.0' ? '<0.1' : text;
}

export function intervalOf({ low, high }: Pick<LakeRate, 'low' | 'high'>): string {
  return low === null || high === null ? '' : `[${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}]`;
}
