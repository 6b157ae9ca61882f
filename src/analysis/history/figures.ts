// The figures of a stage: rates of its evaluations, what there was to learn, how the policy failed. Whoever recorded them
// may have left out any of it.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Rate, StageRow } from '../../../schemas/run-output.ts';
import { wilson } from '../../lab/statistics/distributions.ts';
import type { Recorded, StageHistory } from '../../producers/run/history.ts';

type Evaluation = EventData['EvaluationRecorded'];
type Measurement = Pick<Evaluation['results'][number], 'value' | 'count' | 'of' | 'low' | 'high'>;
type Score = Evaluation['results'][number]['value'];

export const unknownRate: Rate = { value: null, count: null, of: null, low: null, high: null };

/** Null where there is a reason instead of a number. */
export function numberIn(score: Score | undefined): number | null {
  return typeof score === 'number' ? score : null;
}

export function rateFrom({ value, count, of, low, high }: Measurement): Rate {
  const known = { value: numberIn(value), count: count ?? null, of: of ?? null };
  if (low !== undefined && high !== undefined) return { ...known, low, high };
  return { ...known, ...intervalOf(known) };
}

function intervalOf({ count, of }: Pick<Rate, 'count' | 'of'>): Pick<Rate, 'low' | 'high'> {
  return count === null || of === null || of === 0 || count > of ? { low: null, high: null } : wilson(count, of);
}

/** The evaluation of a stage on the suite that is made for watching it; null where there is none. */
export function validationOf({ evaluations }: StageHistory): Recorded<'EvaluationRecorded'> | null {
  return evaluations.findLast(({ data }) => data.split === 'validation') ?? null;
}

export function rateOf(evaluation: Evaluation | null, measure: string, family: string | null = null): Rate {
  if (evaluation === null) return unknownRate;
  const results = evaluation.results.filter((one) => one.measure === measure);
  const own = results.find((one) => one.family === family);
  if (own !== undefined) return rateFrom(own);
  return family === null ? pooled(results) : unknownRate;
}

/** Over all families, where each says how many it counted. */
function pooled(results: readonly Measurement[]): Rate {
  let [count, of] = [0, 0];
  for (const result of results) {
    if (result.count === undefined || result.of === undefined) return unknownRate;
    count += result.count;
    of += result.of;
  }
  return of === 0 ? unknownRate : rateFrom({ value: count / of, count, of });
}

/** Families that an evaluation tells of, in its order. */
export function familiesOf(evaluation: Evaluation | null): readonly string[] {
  return [...new Set(evaluation?.results.flatMap(({ family }) => (family === null ? [] : [family])))];
}

export function signalOf({ training }: StageHistory, family: string | null = null): number | null {
  const signals = training?.data.learningSignal ?? [];
  const own = signals.find((one) => one.family === family);
  if (own !== undefined) return numberIn(own.share);
  if (family !== null || signals.length === 0) return null;
  const groups = signals.reduce((sum, one) => sum + one.sampleGroups, 0);
  return groups === 0 ? null : signals.reduce((sum, one) => sum + one.withVariance, 0) / groups;
}

export interface Failures {
  /** What they were counted in; null where nothing tells of failures. */
  readonly from: string | null;
  readonly byFamily: readonly FailureCount[];
  /** Altogether, what they are shares of: tries, or those that failed, as it was recorded; null where nobody said. */
  readonly of: number | null;
}

export interface FailureCount {
  readonly family: string | null;
  readonly class: string;
  readonly count: number | null;
  readonly of: number | null;
}

/** As the probe rollouts have it, or else as the validation suite has. */
export function failuresOf(stage: StageHistory): Failures {
  const summary = stage.summaries.findLast(({ data }) => data.module === 'failures')?.data;
  if (summary !== undefined) {
    const byFamily = summary.facts.flatMap(({ family, about, count, of }) =>
      about === undefined ? [] : [{ family, class: about, count: count ?? null, of: of ?? null }],
    );
    return { from: summary.splits?.join(', ') ?? 'evidence', byFamily, of: ofAll(byFamily) };
  }
  const evaluation = validationOf(stage)?.data;
  if (evaluation?.failures === undefined) return { from: null, byFamily: [], of: null };
  const tried = (family: string | null): number | null =>
    rateOf(evaluation, 'valid', family).of ?? (family === null ? evaluation.rollouts : null);
  const byFamily = evaluation.failures.map((one) => ({ ...one, of: tried(one.family) }));
  return { from: `suite ${evaluation.suite.name}`, byFamily, of: tried(null) };
}

/** Each family once, or what is said of all together. */
function ofAll(byFamily: readonly FailureCount[]): number | null {
  const families = new Map(overAll(byFamily).map(({ family, of }) => [family, of]));
  let sum = 0;
  for (const of of families.values()) {
    if (of === null) return null;
    sum += of;
  }
  return sum;
}

function overAll(byFamily: readonly FailureCount[]): readonly FailureCount[] {
  const pooled = byFamily.filter(({ family }) => family === null);
  return pooled.length > 0 ? pooled : byFamily;
}

/** Over all families, the most frequent first and those nobody counted last; ties in the order of tables, that of bytes. */
export function failureClasses({ byFamily, of }: Failures): StageRow['failures'] {
  const counts = new Map<string, number | null>();
  for (const { class: name, count } of overAll(byFamily)) {
    const before = counts.get(name);
    counts.set(name, before === null || count === null ? null : (before ?? 0) + count);
  }
  return Array.from(counts, ([name, count]) => ({ class: name, count, share: shareOf(count, of) })).sort(
    (a, b) => (b.count ?? -1) - (a.count ?? -1) || Buffer.compare(Buffer.from(a.class), Buffer.from(b.class)),
  );
}

export function shareOf(count: number | null, of: number | null): number | null {
  return count === null || of === null || of === 0 ? null : count / of;
}

/** Whether two intervals have a value in common; null where one of them is not known. */
export function overlap(a: Rate, b: Rate): boolean | null {
  if (a.low === null || a.high === null || b.low === null || b.high === null) return null;
  return a.low <= b.high && b.low <= a.high;
}
