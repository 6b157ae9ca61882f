// The figures of a stage: evaluation rates, the learning signal, failures. Any of them may be missing from the record.
import type { EventData, TypeName } from '../../../schemas/catalogue.ts';
import type { Rate, StageRow } from '../../../schemas/run-output.ts';
import { wilson } from '../../lab/statistics/distributions.ts';
import type { Recorded, StageHistory } from './run-history.ts';

type Evaluation = EventData['EvaluationRecorded'];
type Measurement = Pick<Evaluation['results'][number], 'value' | 'count' | 'of' | 'low' | 'high'>;
type Score = Evaluation['results'][number]['value'];

export const unknownRate: Rate = { value: null, count: null, of: null, low: null, high: null };

/** Null if there is a reason instead of a number. */
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

/** The events of a stage by its own recorder, because a fork may add events to shared stages. */
export function ownOf<Event extends Recorded<TypeName>>(
  { recorder }: StageHistory,
  events: readonly (Event | null)[],
): readonly Event[] {
  return events.filter((one) => one !== null && one.envelope.run === recorder) as readonly Event[];
}

/** The last evaluation of a stage on that split; null if there is none. */
export function evaluationOf(stage: StageHistory, split: Evaluation['split']): Recorded<'EvaluationRecorded'> | null {
  return ownOf(stage, stage.evaluations).findLast(({ data }) => data.split === split) ?? null;
}

/** The validation evaluation of a stage; null if there is none. */
export function validationOf(stage: StageHistory): Recorded<'EvaluationRecorded'> | null {
  return evaluationOf(stage, 'validation');
}

type Alert = NonNullable<EventData['TrainingRecorded']['alerts']>[number];

/** Each alert once, from the last event that raised it, in the order of those events. */
export function alertsOf(stage: StageHistory): readonly Alert[] {
  const { training, evaluations, summaries, completed } = stage;
  const raising = [training, ...evaluations, ...summaries, completed].flatMap((one) =>
    one?.envelope.run === stage.recorder ? [one] : [],
  );
  const last = new Map<string, { readonly alert: Alert; readonly revision: number }>();
  for (const { revision, data } of raising.toSorted((a, b) => a.revision - b.revision))
    for (const alert of data.alerts ?? [])
      last.set([alert.kind, alert.family, alert.measure].join('\n'), { alert, revision });
  return Array.from(last)
    .sort(([a, one], [b, other]) => one.revision - other.revision || Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([, { alert }]) => alert);
}

/** The last summary of a stage for a module; null if there is none. */
function summaryOf(stage: StageHistory, module: string): EventData['SummaryRecorded'] | null {
  return ownOf(stage, stage.summaries).findLast(({ data }) => data.module === module)?.data ?? null;
}

/**
 * A family's rate on the probe tasks. In total over families there is no interval, because the number of tasks is not
 * recorded.
 */
export function probeRateOf(stage: StageHistory, family: string | null): Rate {
  const facts = summaryOf(stage, 'behaviour')?.facts ?? [];
  const rates = facts.filter(({ measure, about }) => measure === 'valid' && about === undefined);
  const own = rates.find((one) => one.family === family);
  if (own === undefined) return family === null ? { ...pooled(rates), low: null, high: null } : unknownRate;
  return { ...unknownRate, value: numberIn(own.value), low: own.low ?? null, high: own.high ?? null };
}

export function rateOf(evaluation: Evaluation | null, measure: string, family: string | null = null): Rate {
  if (evaluation === null) return unknownRate;
  const results = evaluation.results.filter((one) => one.measure === measure);
  const own = results.find((one) => one.family === family);
  if (own !== undefined) return rateFrom(own);
  return family === null ? pooled(results) : unknownRate;
}

/** Over all families, if each reports its counts. */
function pooled(results: readonly Measurement[]): Rate {
  let [count, of] = [0, 0];
  for (const result of results) {
    if (result.count === undefined || result.of === undefined) return unknownRate;
    count += result.count;
    of += result.of;
  }
  return of === 0 ? unknownRate : rateFrom({ value: count / of, count, of });
}

/** The families in an evaluation, in its order. */
export function familiesOf(evaluation: Evaluation | null): readonly string[] {
  return [...new Set(evaluation?.results.flatMap(({ family }) => (family === null ? [] : [family])))];
}

export function signalOf(stage: StageHistory, family: string | null = null): number | null {
  return learningSignalOf(stage).get(family)?.share ?? null;
}

export interface Learned {
  readonly sampleGroups: number | null;
  readonly withVariance: number | null;
  readonly share: number | null;
  readonly entropy: number | null;
  readonly kl: number | null;
  /** Of all sampled tasks. */
  readonly sampled: number | null;
}

/** By family; if only families were recorded, the total is their sum. */
export function learningSignalOf(stage: StageHistory): ReadonlyMap<string | null, Learned> {
  const [training] = ownOf(stage, [stage.training]);
  const { learningSignal: signals = [], sampled = [] } = training?.data ?? {};
  const families = new Set([...signals, ...sampled].map(({ family }) => family));
  const learned = new Map(
    Array.from(families, (family) => {
      const signal = signals.find((one) => one.family === family);
      const measured = {
        sampleGroups: signal?.sampleGroups ?? null,
        withVariance: signal?.withVariance ?? null,
        share: numberIn(signal?.share),
        entropy: numberIn(signal?.entropy),
        kl: numberIn(signal?.kl),
        sampled: sampled.find((one) => one.family === family)?.share ?? null,
      };
      return [family, measured] as const;
    }),
  );
  if (signals.length === 0 || learned.has(null)) return learned;
  const sampleGroups = signals.reduce((sum, one) => sum + one.sampleGroups, 0);
  const withVariance = signals.reduce((sum, one) => sum + one.withVariance, 0);
  const share = sampleGroups === 0 ? null : withVariance / sampleGroups;
  return learned.set(null, { sampleGroups, withVariance, share, entropy: null, kl: null, sampled: null });
}

export interface Failures {
  /** The source of the counts; null if failures are not recorded. */
  readonly from: string | null;
  readonly byFamily: readonly FailureCount[];
  /** The total number of tries or of failures, as recorded; null if unknown. */
  readonly of: number | null;
}

export interface FailureCount {
  readonly family: string | null;
  readonly class: string;
  readonly count: number | null;
  readonly of: number | null;
}

/** From the probe rollouts, otherwise from the validation suite. */
export function failuresOf(stage: StageHistory): Failures {
  const summary = summaryOf(stage, 'failures');
  if (summary !== null) {
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

/** Each family once, or the total. */
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

/** For a family or in total, most frequent first and unknown counts last; ties in byte order as in the tables. */
export function failureClasses({ byFamily, of }: Failures, family: string | null = null): StageRow['failures'] {
  const counts = new Map<string, number | null>();
  const own = family === null ? overAll(byFamily) : byFamily.filter((one) => one.family === family);
  for (const { class: name, count } of own) {
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

/** Whether two intervals overlap; null if one of them is unknown. */
export function overlap(a: Rate, b: Rate): boolean | null {
  if (a.low === null || a.high === null || b.low === null || b.high === null) return null;
  return a.low <= b.high && b.low <= a.high;
}
