// Rows about alerts: one for each alert, with the values of the last event of the stage that raised it.
import type { EventData } from '../../../schemas/catalogue.ts';
import { numberIn } from '../../producers/history/figures.ts';
import { type Event, placeOf, type StreamEvents } from './events.ts';
import { byBytes, type Row, type Rows } from './rows.ts';
import { countingTrainings } from './trainings.ts';

export function alertRows(events: StreamEvents): Rows {
  const raising = [
    ...countingTrainings(events),
    ...events.of('EvaluationRecorded', 'StageCompleted', 'ArmEvaluated', 'SummaryRecorded'),
  ].sort((a, b) => a.revision - b.revision);
  const raised = raising.flatMap((event): readonly Raised[] => {
    const { stage, arm_run: _, ...place } = placeOf(event, events);
    // A summary belongs to the next stage but describes the one before.
    const about = event.type === 'SummaryRecorded' ? Number(stage) - 1 : stage;
    return (event.data.alerts ?? []).map((alert) => ({
      place: { ...place, stage: about, kind: alert.kind, family: alert.family, measure: alert.measure },
      alert,
      event,
    }));
  });
  const groups = Map.groupBy(raised, ({ place }) => JSON.stringify(place));
  return { alerts: [...groups.values()].map(alertRow) };
}

function alertRow(raised: readonly Raised[]): Row {
  const [first, last] = [raised[0], raised.at(-1)];
  return {
    ...last?.place,
    before_value: numberIn(last?.alert.before),
    now_value: numberIn(last?.alert.now),
    message: raised.findLast(({ alert }) => alert.message !== undefined)?.alert.message,
    raised_in: [...new Set(raised.map(({ event }) => event.type))].sort(byBytes),
    happened_at: first?.event.envelope.at,
    id: last?.event.id,
  };
}

interface Raised {
  readonly place: Row;
  readonly alert: NonNullable<EventData['TrainingRecorded']['alerts']>[number];
  readonly event: Event<
    'TrainingRecorded' | 'EvaluationRecorded' | 'StageCompleted' | 'SummaryRecorded' | 'ArmTrained' | 'ArmEvaluated'
  >;
}
