// Rows about trainings: one for each, and of those that count the curve and the learning signal.
import { numberIn } from '../../producers/history/figures.ts';
import { type Event, lastOf, placeOf, reasonIn, type StreamEvents, textIn } from './events.ts';
import { checkpointIn, type Row, type Rows, wholeNumber } from './rows.ts';

type Trained = Event<'TrainingRecorded' | 'ArmTrained'>;

/** The last of a stage, or of an arm, and of each part. */
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
    training_curve: [...counting].flatMap((event) => curveRows(event, events)),
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

function curveRows(event: Trained, events: StreamEvents): readonly Row[] {
  const place = placeOf(event, events);
  const families = new Set(familiesOf(event));
  return (event.data.curve ?? []).flatMap(({ step, spent, values }) =>
    Object.entries(values).map(([name, value]) => {
      // The text after the first slash names a family only if the training has a family of that name.
      const slash = name.indexOf('/');
      const family = slash >= 0 && families.has(name.slice(slash + 1)) ? name.slice(slash + 1) : null;
      return {
        ...place,
        training_step: step,
        agent_steps: wholeNumber(spent?.['agent-steps']),
        spent,
        measure: family === null ? name : name.slice(0, slash),
        family,
        value: numberIn(value),
        value_reason: reasonIn(value),
        training: event.id,
      };
    }),
  );
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
