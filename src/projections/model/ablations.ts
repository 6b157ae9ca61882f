// Rows about an ablation: its design, its arms with their errors and evidence, and its results.
import type { EventData } from '../../../schemas/catalogue.ts';
import { numberIn } from '../../producers/history/figures.ts';
import { type Event, placeOf, reasonIn, type StreamEvents } from './events.ts';
import { checkpointIn, type Row, type Rows } from './rows.ts';

export function ablationRows(events: StreamEvents): Rows {
  const [begun, ended] = [events.of('AblationStarted').at(-1), events.of('AblationCompleted').at(-1)];
  const errors = errorsIn(events);
  return {
    ablations: begun === undefined ? [] : [ablationRow(begun, ended, events)],
    arms: (begun?.data.arms ?? []).map((arm, index) => ({
      ablation: events.ablation,
      ...armPart(arm),
      ...errorOf(arm.arm, errors, ended),
      position: index + 1,
    })),
    arm_errors: errors.map(({ event, counts }) => errorRow(event, counts, events)),
    arm_evidence: events.of('ArmTrained', 'ArmEvaluated').flatMap((event) => evidenceRows(event, events)),
    arm_results: (ended?.data.results ?? []).map(({ value, ...result }) => ({
      ablation: events.ablation,
      ...result,
      value: numberIn(value),
      value_reason: reasonIn(value),
    })),
    contrasts: (ended?.data.contrasts ?? []).map((contrast) => ({
      ablation: events.ablation,
      ...contrastPart(contrast),
    })),
  };
}

function ablationRow(
  { id, envelope, data }: Event<'AblationStarted'>,
  ended: Event<'AblationCompleted'> | undefined,
  { ablation }: StreamEvents,
): Row {
  const decisions = new Set(data.histories.flatMap((history) => history.decisions));
  return {
    ablation,
    name: data.name ?? ablation,
    depth: data.depth,
    completed: ended !== undefined,
    arms: data.arms.length,
    runs: data.histories.map(({ run }) => run),
    decisions: [...decisions].sort((a, b) => a - b),
    seeds: data.seeds.map(String),
    primary_arm: data.primary?.arm,
    primary_reference: data.primary?.reference,
    primary_measure: data.primary?.measure,
    primary_better: data.primary?.better,
    level: data.level,
    margin: data.margin,
    preset: data.preset,
    notes: data.notes,
    conclusions: ended?.data.conclusions,
    unfinished: ended?.data.unfinished,
    spent: ended?.data.spent,
    cost: ended?.data.cost?.total,
    currency: ended?.data.cost?.currency,
    tags: data.tags,
    options: data.options,
    started_at: envelope.at,
    completed_at: ended?.envelope.at,
    id,
  };
}

function armPart(arm: EventData['AblationStarted']['arms'][number]): Row {
  const { engineer, contextForm, without, baseline = false, notApplicable } = arm;
  return {
    arm: arm.arm,
    engineer: engineer.name,
    model: engineer.model,
    context_form: contextForm?.name ?? contextForm?.modules.join('+'),
    modules: contextForm?.modules,
    without,
    not_applicable: notApplicable,
    baseline,
    reads: engineer.reads,
    engineer_checkpoint: checkpointIn(engineer.checkpoint),
  };
}

interface ArmError {
  readonly event: Event<'ArmErrored'>;
  /** Whether it still holds: it is the last one there, and the task was not done since. */
  readonly counts: boolean;
}

function errorsIn(events: StreamEvents): readonly ArmError[] {
  const errors = events.of('ArmErrored');
  const decided = events.of('ArmProposed', 'ArmRejected');
  const measured = events.of('ArmTrained', 'ArmEvaluated');
  return errors.map((event) => {
    const { during } = event.data;
    const done = [
      ...(during === 'propose' ? [] : measured),
      ...(during === 'propose' || during === 'run' ? decided : []),
    ];
    const isAfter = (
      one: Event<'ArmProposed' | 'ArmRejected' | 'ArmTrained' | 'ArmEvaluated' | 'ArmErrored'>,
    ): boolean =>
      one.revision > event.revision &&
      one.data.arm === event.data.arm &&
      one.data.unit === event.data.unit &&
      one.envelope.stage === event.envelope.stage;
    return { event, counts: !done.some(isAfter) && !errors.some(isAfter) };
  });
}

/** The first of several errors counts. The end may name an arm that has no error of its own. */
function errorOf(arm: string, errors: readonly ArmError[], ended: Event<'AblationCompleted'> | undefined): Row {
  const own = errors.find(({ event, counts }) => counts && event.data.arm === arm)?.event.data.error.message;
  const error = own ?? ended?.data.unfinished.find((one) => one.arm === arm)?.reason;
  return { errored: error !== undefined, error };
}

function errorRow(event: Event<'ArmErrored'>, counts: boolean, events: StreamEvents): Row {
  const { during, error, resumable } = event.data;
  return {
    ...placeOf(event, events),
    during,
    kind: error.kind,
    error: error.message,
    counts,
    resumable,
    happened_at: event.envelope.at,
    id: event.id,
  };
}

function evidenceRows(event: Event<'ArmTrained' | 'ArmEvaluated'>, events: StreamEvents): readonly Row[] {
  return (event.rollouts ?? []).map(({ stream, from, to }) => ({
    ...placeOf(event, events),
    suite: event.type === 'ArmEvaluated' ? event.data.suite.name : null,
    stream,
    first_revision: from,
    last_revision: to,
    id: event.id,
  }));
}

function contrastPart(contrast: EventData['AblationCompleted']['contrasts'][number]): Row {
  const { arm, reference, factor, measure, declared, difference, low, high, effect, p, adjusted } = contrast;
  return {
    arm,
    reference,
    factor,
    measure,
    declared,
    difference: numberIn(difference),
    difference_reason: reasonIn(difference),
    low,
    high,
    effect: numberIn(effect),
    p: numberIn(p),
    adjusted: numberIn(adjusted),
    verdict: contrast.verdict,
    method: contrast.method,
    units: contrast.units,
    units_needed: contrast.unitsNeeded,
  };
}
