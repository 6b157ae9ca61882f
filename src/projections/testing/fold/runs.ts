// Runs, their lineage and their stages, folded.
import type { EventData } from '../../../../schemas/catalogue.ts';
import { streamOf } from '../../../../schemas/streams.ts';
import { byCode, inAnyOrder, json, momentOf, whole } from './cells.ts';
import { configurationFor, decisionsFor, engineerOf } from './decisions.ts';
import { historyOf, rateIn, type Stage, toldOf, validationOf } from './history.ts';
import { checkpointIn, type Log, numberIn, type Recorded, type Row } from './log.ts';

export function runs(log: Log): Row[] {
  return log.runs.map((run) => {
    const started = log.told(run, 'RunStarted').at(-1);
    const asked = log.started(run);
    const history = historyOf(log, run);
    const over = history.filter((stage) => toldOf(log, stage, 'StageCompleted').length > 0);
    const last = history.findLast((stage) => validationOf(log, stage) !== null);
    const valid = rateIn(validationOf(log, last), 'valid', null);
    const failed = failureOf(log, run);
    const completed = log.told(run, 'RunCompleted').map(({ at }) => at);
    const heard = log.events.filter((event) => event.run === run && !isEvidence(event));
    return {
      run: log.name(run),
      state: stateOf(log, run),
      environment: asked?.environment.name,
      engineer: asked?.engineer?.name,
      model: asked?.engineer?.model,
      context_form: asked?.contextForm && (asked.contextForm.name ?? asked.contextForm.modules.join('+')),
      policy: asked?.policy?.name,
      trainer: asked?.trainer?.name,
      seed: asked?.seed?.toString(),
      planned: asked?.stages,
      done: over.length,
      budget: asked?.budget?.['agent-steps'],
      valid: valid.value,
      valid_low: valid.low,
      valid_high: valid.high,
      optimal: rateIn(validationOf(log, last), 'optimal', null).value,
      validated: last?.stage,
      parent: asked?.parent && (log.name(asked.parent.run) ?? asked.parent.run),
      parent_stage: asked?.parent?.stage,
      ablation: asked?.arm?.ablation,
      arm: asked?.arm?.arm,
      tags: [...new Set([...(asked?.tags ?? []), ...notedTags(log, run)])].sort(byCode),
      failed_in: failed?.stage,
      failure: failed?.data.reason,
      failure_message: failed?.data.message,
      started_at: momentOf(started?.at),
      ended_at: latest(completed) ?? momentOf(failed?.at),
      last_event_at: latest(heard.map(({ at }) => at)),
      notes: asked?.notes,
      modules: asked?.contextForm?.modules,
      reads: asked?.engineer?.reads,
      budgets: asked?.budget,
      code: asked?.code?.version,
      code_commit: asked?.code?.commit,
      source: asked?.source?.tool,
      options: json(asked?.options),
      run_id: run,
      parent_id: asked?.parent?.run,
    };
  });
}

/** Of these there are too many for a moment to be kept of each. */
function isEvidence({ type }: Recorded): boolean {
  return ['RolloutRecorded', 'FailureRecorded', 'ModelAnswered'].includes(type);
}

/** One that anything follows is past. */
function failureOf(log: Log, run: string) {
  const last = log.streams.get(streamOf.run(run))?.at(-1);
  return last?.type === 'RunFailed' ? last : undefined;
}

function stateOf(log: Log, run: string): string {
  if (log.told(run, 'RunCompleted').length > 0) return 'completed';
  let claim: EventData['RunClaimed'] | null = null;
  for (const event of log.streams.get(streamOf.work(run)) ?? [])
    if (event.type === 'RunClaimed' && event.data.fencingToken >= (claim?.fencingToken ?? 0)) claim = event.data;
  if (claim !== null && claim.leaseSeconds > 0) return 'running';
  const failed = failureOf(log, run);
  if (failed !== undefined) return failed.data.reason === 'interrupted' ? 'stopped' : 'failed';
  return claim === null ? 'recorded' : 'stopped';
}

function notedTags(log: Log, run: string): readonly string[] {
  return log
    .of('RunAnnotated')
    .flatMap((note) => (note.run === run && note.stage === null ? (note.data.tags ?? []) : []));
}

export function lineage(log: Log): Row[] {
  return log.runs.flatMap((run) =>
    historyOf(log, run).map(({ stage, recorder, upto }) => ({
      run: log.name(run),
      stage,
      recorded_by: log.name(recorder),
      shared: recorder !== run,
      upto,
      run_id: run,
      recorder_id: recorder,
    })),
  );
}

export function stages(log: Log): Row[] {
  return log.runs.flatMap((run) =>
    historyOf(log, run)
      .filter(({ recorder }) => recorder === run)
      .map((stage) => stageRow(log, run, stage)),
  );
}

function stageRow(log: Log, run: string, stage: Stage): Row {
  const start = toldOf(log, stage, 'StageStarted')[0];
  const end = toldOf(log, stage, 'StageCompleted').at(-1);
  const training = toldOf(log, stage, 'TrainingRecorded').at(-1)?.data;
  const validation = validationOf(log, stage);
  const valid = rateIn(validation, 'valid', null);
  const decision = decisionsFor(log, run).get(stage.stage);
  const spent = end?.data.spent ?? training?.spent;
  const state = stateOf(log, run);
  return {
    run: log.name(run),
    stage: stage.stage,
    state: end !== undefined ? 'completed' : state === 'completed' ? 'recorded' : state,
    configuration: configurationFor(log, run, stage.stage)?.configuration.digest,
    decided_by: decision?.data.by,
    engineer: decision && engineerOf(log, decision),
    valid: valid.value,
    valid_low: valid.low,
    valid_high: valid.high,
    optimal: rateIn(validation, 'optimal', null).value,
    agent_steps: whole(spent?.['agent-steps']),
    updates: whole(spent?.['updates']),
    started_at: momentOf(start?.at),
    completed_at: momentOf(end?.at),
    seconds: start && end && (Date.parse(end.at) - Date.parse(start.at)) / 1000,
    alerts: inAnyOrder(alertsOf(log, stage)),
    checkpoint_from: checkpointIn(start?.data.checkpoint) ?? checkpointIn(training?.from),
    checkpoint_to: checkpointIn(end?.data.checkpoint) ?? checkpointIn(training?.checkpoint),
    budgets: start?.data.budget,
    spent,
    seed: start?.data.seed?.toString(),
    shards: start?.data.shards,
    adoption: decision?.id,
    id: start?.id,
    run_id: run,
  };
}

/** Each once, whoever raised it, as it was said last. */
function alertsOf(log: Log, stage: Stage): readonly Row[] {
  const raised = [
    ...toldOf(log, stage, 'TrainingRecorded').slice(-1),
    ...toldOf(log, stage, 'EvaluationRecorded'),
    ...toldOf(log, stage, 'SummaryRecorded'),
    ...toldOf(log, stage, 'StageCompleted').slice(-1),
  ];
  const known = new Map<string, Row>();
  for (const event of raised.toSorted((a, b) => a.revision - b.revision))
    for (const { kind, family, measure, before, now } of event.data.alerts ?? [])
      known.set(JSON.stringify([kind, family, measure]), {
        kind,
        family,
        measure,
        before_value: numberIn(before),
        now_value: numberIn(now),
      });
  return [...known.values()];
}

function latest(moments: readonly string[]): string | null {
  return moments.length === 0 ? null : new Date(Math.max(...moments.map((at) => Date.parse(at)))).toISOString();
}
