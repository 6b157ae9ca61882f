// Rows about trainings: one for each, and the learning signal of those that count. Their curves are long, so SQL fills
// them.
import { numberIn } from '../../producers/history/figures.ts';
import { type Event, lastOf, placeOf, reasonIn, type StreamEvents, textIn } from './events.ts';
import { checkpointIn, type Row, type Rows, wholeNumber } from './rows.ts';

type Trained = Event<'TrainingRecorded' | 'ArmTrained'>;

/** The last one of a stage or of an arm, for each part. */
export function countingTrainings(events: StreamEvents): ReadonlySet<Trained> {
  return lastOf(events.of('TrainingRecorded', 'ArmTrained'), (event) => {
    const { arm, unit, stage } = placeOf(event, events);
    return [arm, unit, stage, event.data.part ?? 0];
  });
}

export function trainingRows(events: StreamEvents): Rows {
  const counting = countingTrainings(events);
  return {
    training: events
      .of('TrainingRecorded', 'ArmTrained')
      .map((event) => trainingRow(event, events, counting.has(event))),
    training_signal: [...counting].flatMap((event) => signalRows(event, events)),
  };
}

function trainingRow(event: Trained, events: StreamEvents, counts: boolean): Row {
  const { type, id, envelope, data } = event;
  const seconds = data.measured?.['seconds'];
  return {
    ...placeOf(event, events),
    trainer: data.trainer?.name,
    policy: data.policy?.name,
    from_checkpoint: checkpointIn(data.from),
    checkpoint: checkpointIn(data.checkpoint),
    checkpoint_step: data.checkpoint?.step,
    agent_steps: wholeNumber(data.spent?.['agent-steps']),
    updates: wholeNumber(data.spent?.['updates']),
    spent: data.spent,
    budget: data.budget,
    seconds: typeof seconds === 'number' ? seconds : null,
    results:
      data.results && Object.fromEntries(Object.entries(data.results).map(([name, score]) => [name, numberIn(score)])),
    points: data.curve?.length ?? 0,
    counts,
    part: data.part,
    seed: data.seed?.toString(),
    configuration: data.configuration,
    parameters: data.trainer?.parameters,
    exit_code: data.exit?.code,
    exit_signal: data.exit?.signal,
    log: textIn(data.log),
    source: data.source?.tool,
    reproduced: type === 'ArmTrained' ? data.reproduces?.equal : null,
    happened_at: envelope.at,
    id,
  };
}

function familiesOf({ data: { learningSignal = [], sampled = [] } }: Trained): readonly (string | null)[] {
  return [...new Set([...learningSignal, ...sampled].map(({ family }) => family))];
}

function signalRows(event: Trained, events: StreamEvents): readonly Row[] {
  const { id, data } = event;
  return familiesOf(event).map((family) => {
    const signal = data.learningSignal?.find((one) => one.family === family);
    const sampled = data.sampled?.find((one) => one.family === family);
    return {
      ...placeOf(event, events),
      family,
      sample_groups: signal?.sampleGroups,
      with_variance: signal?.withVariance,
      share: numberIn(signal?.share),
      share_reason: reasonIn(signal?.share),
      entropy: numberIn(signal?.entropy),
      entropy_reason: reasonIn(signal?.entropy),
      kl: numberIn(signal?.kl),
      kl_reason: reasonIn(signal?.kl),
      tasks: sampled?.tasks,
      sampled_share: sampled?.share,
      training: id,
    };
  });
}
