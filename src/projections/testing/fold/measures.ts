// Measures folded: evaluations, trainings, what there was to learn.

import { canonicalJson } from '../../../../schemas/canonical.ts';
import type { EventData } from '../../../../schemas/catalogue.ts';
import { json, momentOf, whole } from './cells.ts';
import { armOf, difference } from './decisions.ts';
import { counted, historyOf, isOfRun, type Stage, toldOf } from './history.ts';
import { checkpointIn, type Log, numberIn, numbersIn, type Of, type Row, reasonIn, textIn } from './log.ts';

type Evaluated = Of<'EvaluationRecorded' | 'ArmEvaluated'>;
type Trained = Of<'TrainingRecorded' | 'ArmTrained'>;

/** What one event takes the place of another by; of those that agree in it the last counts. */
function isLast<Event extends Evaluated | Trained>(events: readonly Event[], place: (event: Event) => unknown) {
  const last = new Map<string, Event>();
  for (const event of events) {
    const key = canonicalJson([
      event.run,
      event.stage,
      Object.values(armOf(event)).map((one) => one ?? null),
      place(event),
    ]);
    if ((last.get(key)?.revision ?? -1) < event.revision) last.set(key, event);
  }
  const counting = new Set(last.values());
  return (event: Event) => counting.has(event);
}

export function evaluations(log: Log): Row[] {
  const events = log.of('EvaluationRecorded', 'ArmEvaluated');
  const counts = isLast(events, ({ stage, data }) => [
    data.suite.name,
    data.split,
    // Outside of stages nothing says that one replaces another but that it is of the same policy.
    ...(stage === null ? [data.policy?.name ?? null, checkpointIn(data.checkpoint)] : []),
  ]);
  return events.flatMap((event) => {
    const { id, run, stage, at, data } = event;
    const pooled = data.results.map((one) => ({ ...one, rollouts: data.rollouts, conditions: null }));
    const cells = (data.cells ?? []).flatMap(({ results, family, rollouts, conditions = {} }) =>
      results.map((one) => ({ ...one, family, rollouts, conditions: json(conditions) })),
    );
    return [...pooled, ...cells].map((one) => ({
      run: log.name(run),
      stage,
      suite: data.suite.name,
      split: data.split,
      family: one.family,
      conditions: one.conditions,
      measure: one.measure,
      value: numberIn(one.value),
      value_reason: reasonIn(one.value),
      count: one.count,
      out_of: one.of,
      ...boundsOf(one),
      counts: counts(event),
      rollouts: one.rollouts,
      policy: data.policy?.name,
      checkpoint: checkpointIn(data.checkpoint),
      samples: data.samples,
      suite_digest: data.suite.digest,
      interval_method: data.interval?.method,
      interval_level: data.interval?.level,
      ...armOf(event),
      arm_run: 'armRun' in data ? data.armRun : null,
      happened_at: momentOf(at),
      id,
      run_id: run,
    }));
  });
}

type Measured = Pick<EventData['EvaluationRecorded']['results'][number], 'count' | 'of' | 'low' | 'high'>;

/** Both ends as they were recorded, or else both as the count has them; where there is no count, what there is. */
function boundsOf({ count, of, low, high }: Measured) {
  if (low !== undefined && high !== undefined) return { low, high };
  const reckoned = counted(count, of);
  return reckoned.low === null ? { low, high } : reckoned;
}

function trainingsThatCount(log: Log): (event: Trained) => boolean {
  return isLast(log.of('TrainingRecorded', 'ArmTrained'), ({ data }) => data.part ?? 0);
}

export function trainings(log: Log): Row[] {
  const counts = trainingsThatCount(log);
  return log.of('TrainingRecorded', 'ArmTrained').map((event) => {
    const { id, run, stage, at, data } = event;
    const seconds = data.measured?.['seconds'];
    return {
      run: log.name(run),
      stage,
      trainer: data.trainer?.name,
      policy: data.policy?.name,
      from_checkpoint: checkpointIn(data.from),
      checkpoint: checkpointIn(data.checkpoint),
      checkpoint_step: data.checkpoint?.step,
      agent_steps: whole(data.spent?.['agent-steps']),
      updates: whole(data.spent?.['updates']),
      spent: data.spent,
      budget: data.budget,
      seconds: typeof seconds === 'number' ? seconds : null,
      results: numbersIn(data.results),
      points: data.curve?.length ?? 0,
      counts: counts(event),
      part: data.part,
      seed: data.seed?.toString(),
      configuration: data.configuration,
      parameters: json(data.trainer?.parameters),
      exit_code: data.exit?.code,
      exit_signal: data.exit?.signal,
      log: textIn(data.log),
      source: data.source?.tool,
      ...armOf(event),
      arm_run: 'armRun' in data ? data.armRun : null,
      happened_at: momentOf(at),
      id,
      run_id: run,
    };
  });
}

export function trainingSignal(log: Log): Row[] {
  const counts = trainingsThatCount(log);
  return log
    .of('TrainingRecorded', 'ArmTrained')
    .filter(counts)
    .flatMap((event) => {
      const { learningSignal: signal = [], sampled = [] } = event.data;
      const families = new Set([...signal, ...sampled].map(({ family }) => family));
      return [...families].map((family) => {
        const learnt = signal.find((one) => one.family === family);
        const drawn = sampled.find((one) => one.family === family);
        return {
          run: log.name(event.run),
          stage: event.stage,
          family,
          sample_groups: learnt?.sampleGroups,
          with_variance: learnt?.withVariance,
          share: numberIn(learnt?.share),
          share_reason: reasonIn(learnt?.share),
          entropy: numberIn(learnt?.entropy),
          entropy_reason: reasonIn(learnt?.entropy),
          kl: numberIn(learnt?.kl),
          kl_reason: reasonIn(learnt?.kl),
          tasks: drawn?.tasks,
          sampled_share: drawn?.share,
          ...armOf(event),
          training: event.id,
          run_id: event.run,
        };
      });
    });
}

interface Learnt {
  readonly sampleGroups: number | null;
  readonly varied: number | null;
  readonly share: number | null;
  readonly entropy: number | null;
  readonly kl: number | null;
  readonly drawn: number | null;
}

/** By family; over all families, where only single families were recorded, their sum. */
export function learntIn(data: EventData['TrainingRecorded']): ReadonlyMap<string | null, Learnt> {
  const { learningSignal: signal = [], sampled = [] } = data;
  const learnt = new Map<string | null, Learnt>();
  for (const family of new Set([...signal, ...sampled].map((one) => one.family))) {
    const one = signal.find((signal) => signal.family === family);
    learnt.set(family, {
      sampleGroups: one?.sampleGroups ?? null,
      varied: one?.withVariance ?? null,
      share: numberIn(one?.share),
      entropy: numberIn(one?.entropy),
      kl: numberIn(one?.kl),
      drawn: sampled.find((sampled) => sampled.family === family)?.share ?? null,
    });
  }
  if (signal.length === 0 || learnt.has(null)) return learnt;
  const sampleGroups = signal.reduce((sum, one) => sum + one.sampleGroups, 0);
  const varied = signal.reduce((sum, one) => sum + one.withVariance, 0);
  const share = sampleGroups === 0 ? null : varied / sampleGroups;
  return learnt.set(null, { sampleGroups, varied, share, entropy: null, kl: null, drawn: null });
}

export function learningSignal(log: Log): Row[] {
  return log.runs.flatMap((run) => {
    let soFar: number | null = null;
    const history = historyOf(log, run).flatMap((stage) => {
      const training = toldOf(log, stage, 'TrainingRecorded').at(-1);
      if (training === undefined) return [];
      const agentSteps = whole(training.data.spent?.['agent-steps']);
      if (agentSteps !== null) soFar = (soFar ?? 0) + agentSteps;
      return [{ stage, training, agentSteps, soFar, learnt: learntIn(training.data) }];
    });
    return history.flatMap(({ stage, training, agentSteps, soFar, learnt }) =>
      Array.from(learnt, ([family, one]) => {
        const before = history.find((other) => other.stage.stage === stage.stage - 1)?.learnt.get(family);
        const { low, high } = counted(one.varied, one.sampleGroups);
        return {
          run: log.name(run),
          stage: stage.stage,
          family,
          sample_groups: one.sampleGroups,
          with_variance: one.varied,
          learning_signal: one.share,
          signal_low: low,
          signal_high: high,
          signal_before: before?.share,
          change: difference(one.share, before?.share),
          collapsed: hasCollapsed(log, stage, family),
          entropy: one.entropy,
          entropy_change: difference(one.entropy, before?.entropy),
          kl: one.kl,
          sampled_share: one.drawn,
          agent_steps: agentSteps,
          agent_steps_so_far: soFar,
          recorded_by: log.name(stage.recorder),
          training: training.id,
          run_id: run,
        };
      }),
    );
  });
}

function hasCollapsed(log: Log, stage: Stage, family: string | null): boolean {
  const raising = [
    ...toldOf(log, stage, 'TrainingRecorded').slice(-1),
    ...toldOf(log, stage, 'EvaluationRecorded'),
    ...toldOf(log, stage, 'SummaryRecorded'),
    ...toldOf(log, stage, 'StageCompleted'),
  ];
  const raised = raising.filter(isOfRun).flatMap(({ data }) => data.alerts ?? []);
  return raised.some((one) => one.kind === 'signal-collapse' && one.family === family);
}
