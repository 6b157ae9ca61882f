// Rows about evaluations: one for each measure, and one for each failure class.
import type { EventData } from '../../../schemas/catalogue.ts';
import { numberIn, rateFrom } from '../../producers/history/figures.ts';
import { type Event, lastOf, placeOf, reasonIn, type StreamEvents } from './events.ts';
import { checkpointIn, type Row, type Rows } from './rows.ts';

type Evaluated = Event<'EvaluationRecorded' | 'ArmEvaluated'>;

export function evaluationRows(events: StreamEvents): Rows {
  const evaluated = events.of('EvaluationRecorded', 'ArmEvaluated');
  const counting = lastOf(evaluated, (event) => {
    const { arm, unit, stage } = placeOf(event, events);
    const { suite, split, policy, checkpoint } = event.data;
    // Outside stages, an evaluation replaces another only if it is of the same policy.
    const of = stage === null ? [policy?.name, checkpointIn(checkpoint)] : [];
    return [arm, unit, stage, suite.name, split, ...of];
  });
  return {
    evaluations: evaluated.flatMap((event) => measureRows(event, events, counting.has(event))),
    evaluation_failures: [...counting].flatMap((event) => failureRows(event, events)),
  };
}

function headOf(event: Evaluated, events: StreamEvents): Row {
  const { suite, split, policy, checkpoint } = event.data;
  return {
    ...placeOf(event, events),
    suite: suite.name,
    split,
    policy: policy?.name,
    checkpoint: checkpointIn(checkpoint),
  };
}

type Measured = Omit<EventData['EvaluationRecorded']['results'][number], 'family'>;

function measureRows(event: Evaluated, events: StreamEvents, counts: boolean): readonly Row[] {
  const { id, envelope, data } = event;
  const head = {
    ...headOf(event, events),
    counts,
    rollouts: data.rollouts,
    samples: data.samples,
    suite_digest: data.suite.digest,
    interval_method: data.interval?.method,
    interval_level: data.interval?.level,
    happened_at: envelope.at,
    id,
  };
  const results = data.results.map((one) => ({ ...head, family: one.family, ...measureOf(one) }));
  const cells = (data.cells ?? []).flatMap(({ family, conditions = {}, rollouts, results: measured }) =>
    measured.map((one) => ({ ...head, family, conditions, rollouts, ...measureOf(one) })),
  );
  return [...results, ...cells];
}

/**
 * Both bounds of the interval as recorded, otherwise computed from the counts; without counts, whatever is recorded.
 */
function measureOf(measured: Measured): Row {
  const { measure, value, count, of } = measured;
  const { low, high } = rateFrom(measured);
  return {
    measure,
    value: numberIn(value),
    value_reason: reasonIn(value),
    count,
    out_of: of,
    low: low ?? measured.low,
    high: high ?? measured.high,
  };
}

function failureRows(event: Evaluated, events: StreamEvents): readonly Row[] {
  const head = headOf(event, events);
  return (event.data.failures ?? []).map(({ family, class: name, count }) => ({
    ...head,
    family,
    failure_class: name,
    count,
    evaluation: event.id,
  }));
}
