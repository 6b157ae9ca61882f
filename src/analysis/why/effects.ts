// What a family did in the stage its knobs were turned for, against the stage before: in validation, at the probe pool, and
// in what there was to learn. Figures and intervals are those of the views knob_changes and learning_signal.
import type { Rate } from '../../../schemas/run-output.ts';
import type { WhyCourse, WhyEffect } from '../../../schemas/why-output.ts';
import { wilson } from '../../lab/statistics/wilson.ts';
import { numberIn, overlap, rateOf, unknownRate, validationOf } from '../../producers/history/figures.ts';
import type { StageHistory } from '../../producers/run/history.ts';

export interface Stages {
  readonly stage: number;
  readonly before: StageHistory | null;
  readonly itself: StageHistory | null;
}

export function effectOn(family: string | null, stages: Stages): WhyEffect {
  return {
    family,
    validation: course(stages, (one) => rateOf(validationOf(one)?.data ?? null, 'valid', family)),
    probe: course(stages, (one) => probeRate(one, family)),
    signal: course(stages, (one) => signalRate(one, family)),
  };
}

function course(stages: Stages, rateIn: (stage: StageHistory) => Rate): WhyCourse {
  const [before, after] = [stages.before, stages.itself].map((one) => (one === null ? unknownRate : rateIn(one)));
  const [from, to] = [before ?? unknownRate, after ?? unknownRate];
  return {
    before: from,
    after: to,
    gain: from.value === null || to.value === null ? null : to.value - from.value,
    overlap: overlap(from, to),
    missing: from.value === null || to.value === null ? missingIn(stages, to.value === null) : null,
  };
}

function missingIn({ stage, itself }: Stages, isAfter: boolean): string {
  if (isAfter && itself === null) return `stage ${stage} has not begun`;
  if (isAfter && itself?.completed === null) return `stage ${stage} is not over`;
  if (isAfter) return `not recorded in stage ${stage}`;
  if (stage === 1) return 'there is no stage before the first';
  return `not recorded in stage ${stage - 1}`;
}

/** As it was summed up for engineers. Over all families it has no interval: the number of tasks is told by family only. */
function probeRate({ summaries }: StageHistory, family: string | null): Rate {
  const facts = summaries.findLast(({ data }) => data.module === 'behaviour')?.data.facts ?? [];
  const rates = facts.filter(({ measure, about }) => measure === 'valid' && about === undefined);
  const own = rates.find((one) => one.family === family);
  if (own !== undefined) {
    const { value, count, of, low, high } = own;
    return { value: numberIn(value), count: count ?? null, of: of ?? null, low: low ?? null, high: high ?? null };
  }
  let [count, of] = [0, 0];
  for (const rate of rates) {
    if (family !== null || rate.count === undefined || rate.of === undefined) return unknownRate;
    count += rate.count;
    of += rate.of;
  }
  return of === 0 ? unknownRate : { value: count / of, count, of, low: null, high: null };
}

/** How many of its sample groups had something to teach. */
function signalRate({ training }: StageHistory, family: string | null): Rate {
  const signals = training?.data.learningSignal ?? [];
  const own = signals.find((one) => one.family === family);
  if (own !== undefined) return signalFrom(own.sampleGroups, own.withVariance, numberIn(own.share));
  if (family !== null || signals.length === 0) return unknownRate;
  const groups = signals.reduce((sum, one) => sum + one.sampleGroups, 0);
  const withVariance = signals.reduce((sum, one) => sum + one.withVariance, 0);
  return signalFrom(groups, withVariance, groups === 0 ? null : withVariance / groups);
}

function signalFrom(of: number, count: number, value: number | null): Rate {
  const interval = of === 0 ? { low: null, high: null } : wilson(Math.min(count, of), of);
  return { value, count, of, ...interval };
}
