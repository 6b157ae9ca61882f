// Rows about runs, the stages of their histories, and the knobs of their environments.

import { configurationOf, wordOf } from '../../producers/history/configurations.ts';
import { alertsOf, numberIn, ownOf, validationOf } from '../../producers/history/figures.ts';
import type { RunRead } from '../../producers/history/reading.ts';
import type { StageHistory } from '../../producers/history/run-history.ts';
import { type CourseStage, courseOf, engineerOf, validationRate } from './history.ts';
import { checkpointIn, type Row, type Rows, wholeNumber } from './rows.ts';

export function runRows(read: RunRead): Rows {
  return {
    runs: [runRow(read)],
    lineage: read.stages.map(({ stage, recorder, upto }) => ({
      stage,
      recorder_id: recorder,
      upto,
      run_id: read.run,
    })),
    stages: courseOf(read).flatMap((one) =>
      one.history !== null && one.isOwn ? [stageRow(read, one, one.history)] : [],
    ),
    ...descriptorRows(read),
  };
}

function runRow(read: RunRead): Row {
  const { run, at, parent, started, stages, completed, failed } = read;
  const asked = started?.data;
  const validated = stages.findLast((stage) => validationOf(stage) !== null)?.stage ?? null;
  const valid = validated === null ? null : validationRate(read, validated, 'valid', null);
  return {
    name: asked?.name,
    environment: asked?.environment.name,
    engineer: asked?.engineer?.name,
    model: asked?.engineer?.model,
    context_form: asked?.contextForm && (asked.contextForm.name ?? asked.contextForm.modules.join('+')),
    policy: asked?.policy?.name,
    trainer: asked?.trainer?.name,
    seed: asked?.seed?.toString(),
    planned: asked?.stages,
    done: stages.filter((stage) => ownOf(stage, [stage.completed]).length > 0).length,
    budget: wholeNumber(asked?.budget?.['agent-steps']),
    valid: valid?.value,
    valid_low: valid?.low,
    valid_high: valid?.high,
    optimal: validated === null ? null : validationRate(read, validated, 'optimal', null).value,
    validated,
    parent: asked?.parent?.run,
    parent_stage: asked?.parent?.stage,
    parent_revision: parent === null ? null : asked?.parent?.revision,
    ablation: asked?.arm?.ablation,
    arm: asked?.arm?.arm,
    tags: asked?.tags,
    completed: completed !== null,
    failed_in: failed?.envelope.stage,
    failure: failed?.data.reason,
    failure_message: failed?.data.message,
    started_at: at,
    ended_at: completed?.envelope.at ?? failed?.envelope.at,
    notes: asked?.notes,
    modules: asked?.contextForm?.modules,
    reads: asked?.engineer?.reads,
    budgets: asked?.budget,
    code: asked?.code?.version,
    code_commit: asked?.code?.commit,
    source: asked?.source?.tool,
    options: asked?.options,
    run_id: run,
  };
}

function stageRow(read: RunRead, { stage, adoption }: CourseStage, history: StageHistory): Row {
  const { began, started } = history;
  const start = began ? started : null;
  const [training] = ownOf(history, [history.training]);
  const [end] = ownOf(history, [history.completed]);
  const valid = validationRate(read, stage, 'valid', null);
  // StageCompleted repeats what the training spent; an incomplete or imported stage has it only in the training.
  const spent = end?.data.spent ?? training?.data.spent;
  const [from, to] = [start, end].map((one) =>
    one === null || one === undefined ? null : Date.parse(one.envelope.at),
  );
  return {
    stage,
    completed: end !== undefined,
    configuration: configurationOf(read, stage)?.digest,
    decided_by: adoption?.data.by,
    engineer: engineerOf(read, adoption),
    valid: valid.value,
    valid_low: valid.low,
    valid_high: valid.high,
    optimal: validationRate(read, stage, 'optimal', null).value,
    agent_steps: wholeNumber(spent?.['agent-steps']),
    updates: wholeNumber(spent?.['updates']),
    started_at: start?.envelope.at,
    completed_at: end?.envelope.at,
    seconds: typeof from === 'number' && typeof to === 'number' ? (to - from) / 1000 : null,
    alerts: alertsOf(history).map(({ kind, family, measure, before, now }) => ({
      kind,
      family,
      measure,
      before_value: numberIn(before),
      now_value: numberIn(now),
    })),
    checkpoint_from: checkpointIn(start?.data.checkpoint) ?? checkpointIn(training?.data.from),
    checkpoint_to: checkpointIn(end?.data.checkpoint) ?? checkpointIn(training?.data.checkpoint),
    budgets: start?.data.budget,
    spent,
    seed: start?.data.seed?.toString(),
    shards: start?.data.shards,
    adoption: adoption?.id,
    id: start?.id,
    run_id: read.run,
  };
}

function descriptorRows({ run, descriptor }: RunRead): Rows {
  if (descriptor === null) return { knobs: [], families: [] };
  const { environment, knobs, families, sharesSum = [] } = descriptor;
  return {
    knobs: knobs.map(({ name, family, meaning, range, step, integer = false, harder, provokes, teaches }, index) => ({
      environment,
      position: index + 1,
      knob: name,
      family,
      short_name: wordOf({ knob: name, family }),
      meaning,
      lowest: range.min,
      highest: range.max,
      step,
      integer,
      harder,
      provokes,
      teaches,
      share_of: sharesSum.find((whole) => whole.knobs.includes(name))?.total,
      run_id: run,
    })),
    families: families.map(({ family, meaning }, index) => ({
      environment,
      position: index + 1,
      family,
      meaning,
      knobs: knobs.filter((knob) => knob.family === family).map(({ name }) => name),
      run_id: run,
    })),
  };
}
