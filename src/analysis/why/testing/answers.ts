// What `why` tells, row by row as the questions of docs/why.md are answered, under the same titles.
import type { Why, WhyChange, WhyEffect, WhyEvidence, WhyFigure } from '../../../../schemas/why-output.ts';
import { type Cells, type Row, sameRows } from './rows.ts';

export function rowsByWhy(why: Why): Readonly<Record<string, Cells>> {
  const { changes, alerts, rejections } = why;
  const cited = new Map(changes.flatMap(({ evidence }) => evidence.map((one) => [one.evidenceId, one] as const)));
  const result: Readonly<Record<string, readonly Row[]>> = {
    'Who decided': why.decision.adopted === null ? [] : [decisionRow(why.decision)],
    'What changed, on which evidence, and with what effect': changes.map((one) => changeRow(one, why.effects)),
    'What each evidence id refers to': changes.flatMap(({ knob, evidence }) =>
      evidence.map(({ evidenceId, module, family }) => ({ knob, evidence_id: evidenceId, module, family })),
    ),
    'The figures behind evidence ids, at the decision and after the stage': [...cited.values()].flatMap(figureRow),
    'The figures behind evidence ids of the history': [...cited.values()].flatMap(resultRow),
    'The example rollouts of the families that changed': why.exemplars.map(exemplarRow),
    'The learning signal of each family, before and after': why.effects.flatMap((one) => signalRows(one, why.stage)),
    'All families together': togetherRows(why),
    Alerts: alerts.map((one) => ({
      stage: one.stage,
      kind: one.kind,
      family: one.family,
      measure: one.measure,
      before_value: typeof one.before === 'number' ? one.before : null,
      now_value: typeof one.now === 'number' ? one.now : null,
    })),
    'Rejected answers': rejections.map(({ event, engineer, reason }) => ({
      id: event,
      engineer,
      reason,
    })),
  };
  return Object.fromEntries(Object.entries(result).map(([title, rows]) => [title, sameRows(rows)]));
}

function decisionRow({
  by,
  who,
  context,
  says,
  actor,
  adopted,
  proposal,
  citation,
  preservation,
}: Why['decision']): Row {
  return {
    decided_by: by,
    engineer: who,
    context_form: context?.form,
    context: context?.digest,
    rationale: says,
    actor,
    decision: adopted?.event,
    proposal: proposal?.event,
    citation,
    preservation,
  };
}

function changeRow(change: WhyChange, effects: readonly WhyEffect[]): Row {
  const effect = effects.find(({ family }) => family === change.family);
  return {
    knob: change.knob,
    family: change.family,
    from_value: change.from,
    to_value: change.to,
    steps: change.steps,
    direction: change.direction,
    harder: change.harder,
    clamped: change.clamps.length > 0,
    proposed: change.clamps[0]?.proposed,
    reason: change.says,
    cites: change.cites,
    rests_on: change.restsOn,
    valid_before: effect?.validation.before.value,
    before_low: effect?.validation.before.low,
    before_high: effect?.validation.before.high,
    valid_after: effect?.validation.after.value,
    after_low: effect?.validation.after.low,
    after_high: effect?.validation.after.high,
    gain: effect?.validation.gain,
    probe_before: effect?.probe.before.value,
    probe_before_low: effect?.probe.before.low,
    probe_before_high: effect?.probe.before.high,
    probe_after: effect?.probe.after.value,
    probe_after_low: effect?.probe.after.low,
    probe_after_high: effect?.probe.after.high,
    probe_gain: effect?.probe.gain,
  };
}

const numberIn = (value: WhyFigure['value'] | undefined): number | null => (typeof value === 'number' ? value : null);

/** Of figures in a summary. */
function figureRow({ evidenceId, module, figure, since, events: [summary] }: WhyEvidence): readonly Row[] {
  if (figure === null || module === 'history' || module === 'objective') return [];
  const { measure, about, value, count, of, low, high } = figure;
  return [
    {
      ...{
        evidence_id: evidenceId,
        summary: summary?.event,
        measure,
        about,
        value: numberIn(value),
        count,
        out_of: of,
        low,
        high,
      },
      ...{ since: numberIn(since?.value), since_count: since?.count, since_of: since?.of },
      ...{ since_low: since?.low, since_high: since?.high },
    },
  ];
}

function resultRow({ evidenceId, module, figure }: WhyEvidence): readonly Row[] {
  if (module !== 'history' || figure === null || figure.measure !== 'valid') return [];
  const { measure, value, count, of } = figure;
  return [{ evidence_id: evidenceId, measure, value: numberIn(value), count, out_of: of }];
}

function exemplarRow(one: Why['exemplars'][number]): Row {
  return {
    evidence_id: one.evidenceId,
    family: one.family,
    failure_class: one.class,
    description: one.says,
    drawing: one.drawing,
    rollout: one.rollout.event,
    failure: one.failure?.event,
    stage: one.stage,
    split: one.split,
    outcome: one.outcome,
    stream: one.rollout.stream,
    revision: one.rollout.revision,
    failures: one.failures.map(({ class: failureClass, step, says }) => ({
      failure_class: failureClass,
      step,
      message: says,
    })),
  };
}

function signalRows({ family, signal }: WhyEffect, stage: number): readonly Row[] {
  const both = [
    { at: stage - 1, rate: signal.before },
    { at: stage, rate: signal.after },
  ];
  return both.flatMap(({ at, rate }) => {
    if (rate.of === null) return [];
    const { value, count, of, low, high } = rate;
    return [
      {
        stage: at,
        family,
        learning_signal: value,
        with_variance: count,
        sample_groups: of,
        signal_low: low,
        signal_high: high,
      },
    ];
  });
}

function togetherRows({ effects, stage }: Why): readonly Row[] {
  const all = effects.find(({ family }) => family === null);
  const both = [
    { stage: stage - 1, valid: all?.validation.before, probe: all?.probe.before },
    { stage, valid: all?.validation.after, probe: all?.probe.after },
  ];
  return both.map(({ stage: at, valid, probe }) => ({
    stage: at,
    valid: valid?.value,
    valid_low: valid?.low,
    valid_high: valid?.high,
    probe: probe?.value,
  }));
}
