// Rows about the measurements in a run's history: rates that predictions are compared with, and the learning signal of
// each stage.
import type { EventData } from '../../../schemas/catalogue.ts';
import { wilson } from '../../lab/statistics/distributions.ts';
import { alertsOf, evaluationOf, learningSignalOf, ownOf, rateFrom, rateOf } from '../../producers/history/figures.ts';
import type { RunRead } from '../../producers/history/reading.ts';
import { differenceOf, type Row, type Rows, wholeNumber } from './rows.ts';

export function measureRows(read: RunRead): Rows {
  return { judged: judgedRows(read), learning_signal: signalRows(read) };
}

const judgingSplits = ['validation', 'probe-holdout'] as const;

/** All rates of a stage's validation and holdout probes, by family and in total. */
function judgedRows({ run, stages }: RunRead): readonly Row[] {
  return stages.flatMap((stage) =>
    judgingSplits.flatMap((split) => {
      const evaluation = evaluationOf(stage, split)?.data;
      return ratesIn(evaluation).map(({ family, measure, rate: { value, count, of, low, high } }) => ({
        stage: stage.stage,
        split,
        family,
        measure,
        value,
        count,
        out_of: of,
        low,
        high,
        run_id: run,
      }));
    }),
  );
}

function ratesIn(evaluation: EventData['EvaluationRecorded'] | undefined) {
  if (evaluation === undefined) return [];
  const recorded = evaluation.results.map((one) => ({ family: one.family, measure: one.measure, rate: rateFrom(one) }));
  const measures = [...new Set(recorded.map(({ measure }) => measure))];
  const pooled = measures
    .filter((measure) => recorded.every((one) => one.measure !== measure || one.family !== null))
    .map((measure) => ({ family: null, measure, rate: rateOf(evaluation, measure) }))
    .filter(({ rate }) => rate.of !== null);
  return [...recorded, ...pooled];
}

function signalRows({ run, stages }: RunRead): readonly Row[] {
  let soFar: number | null = null;
  return stages.flatMap((stage) => {
    const [training] = ownOf(stage, [stage.training]);
    if (training === undefined) return [];
    const agentSteps = wholeNumber(training.data.spent?.['agent-steps']);
    if (agentSteps !== null) soFar = (soFar ?? 0) + agentSteps;
    const alerts = alertsOf(stage);
    const before = stages.find((one) => one.stage === stage.stage - 1);
    return Array.from(learningSignalOf(stage), ([family, signal]) => {
      const earlier = before && learningSignalOf(before).get(family);
      const { sampleGroups, withVariance, share, entropy, kl, sampled } = signal;
      return {
        stage: stage.stage,
        family,
        sample_groups: sampleGroups,
        with_variance: withVariance,
        learning_signal: share,
        ...intervalOf(withVariance, sampleGroups),
        signal_before: earlier?.share,
        change: differenceOf(share, earlier?.share),
        collapsed: alerts.some((alert) => alert.kind === 'signal-collapse' && alert.family === family),
        entropy,
        entropy_change: differenceOf(entropy, earlier?.entropy),
        kl,
        sampled_share: sampled,
        agent_steps: agentSteps,
        agent_steps_so_far: soFar,
        recorded_by: stage.recorder,
        training: training.id,
        run_id: run,
      };
    });
  });
}

function intervalOf(hits: number | null, of: number | null): Row {
  if (hits === null || of === null || of <= 0) return {};
  const { low, high } = wilson(Math.min(hits, of), of);
  return { signal_low: low, signal_high: high };
}
