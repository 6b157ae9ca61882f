// Evidence folded: which attempts count and up to where, their rollouts and failures, and sums over them.
import { canonicalJson } from '../../../../schemas/canonical.ts';
import { streamOf } from '../../../../schemas/streams.ts';
import { wilson } from '../../../lab/statistics/distributions.ts';
import { json, momentOf } from './cells.ts';
import { type Log, nameOf, numberIn, numbersIn, type Of, type Recorded, type Row, reasonIn, textIn } from './log.ts';

interface Attempt {
  readonly run: string;
  readonly stage: number;
  readonly part: string;
  readonly shard: number | null;
  readonly attempt: number;
  readonly stream: string;
  readonly events: readonly Recorded[];
  /** How many of them count, from the first. */
  readonly counting: number;
  readonly isSealed: boolean;
}

function evidenceOf(log: Log, run: string) {
  return [...log.streams.keys()].flatMap((stream) => {
    const name = nameOf(stream);
    return name.category === 'evidence' && name.run === run ? [{ stream, ...name }] : [];
  });
}

function attemptsOf(log: Log): readonly Attempt[] {
  return log.runs.flatMap((run) => {
    const found = evidenceOf(log, run);
    return found.map(({ stream, stage, part, shard, attempt }) => {
      const events = log.streams.get(stream) ?? [];
      const seals = log.eventsOf(run, 'EvidenceSealed').filter((seal) => seal.stage === stage);
      const sealedCount = seals[0]?.data.attempts.find((one) => one.stream === stream)?.count ?? 0;
      const rivals = found.filter((one) => one.stage === stage && one.part === part);
      const isNewest = rivals.every((one) => one.attempt <= attempt);
      const unsealed = reportedOf(log, { run, stage, part, attempt }) ?? (isNewest ? events.length : 0);
      const counting = Math.min(seals.length > 0 ? sealedCount : unsealed, events.length);
      return { run, stage, part, shard, attempt, stream, events, counting, isSealed: seals.length > 0 && counting > 0 };
    });
  });
}

/** How many events of a reported attempt count; null if it was not reported. */
function reportedOf(log: Log, of: Pick<Attempt, 'run' | 'stage' | 'part' | 'attempt'>): number | null {
  const reports = log.of('AttemptFinished').flatMap(({ run, stage, data }) => {
    const { part, attempt, begin, count } = data;
    return begin !== undefined && run === of.run && stage === of.stage && part === of.part
      ? [{ attempt, begin, count }]
      : [];
  });
  const at = reports.findIndex(({ attempt }) => attempt === of.attempt);
  const own = reports[at];
  if (own === undefined) return null;
  const next = Math.min(...reports.slice(at + 1).map(({ begin }) => begin));
  return Math.max(0, Math.min(own.count, next - own.begin));
}

export function attempts(log: Log): Row[] {
  return attemptsOf(log).map(({ run, stage, part, shard, attempt, stream, events, counting, isSealed }) => ({
    run: log.name(run),
    stage,
    part,
    shard,
    attempt,
    counts: counting > 0,
    sealed: isSealed,
    finished: isFinished(log, stream),
    events: events.length,
    events_counted: counting,
    stream,
    run_id: run,
  }));
}

function isFinished(log: Log, stream: string): boolean {
  return log.of('AttemptFinished', 'ShardCompleted').some(({ run, stage, data }) => {
    const [part, all] = 'part' in data ? [data.part, [data]] : [data.shard, data.attempts];
    return all.some(({ attempt }) => streamOf.evidence(run ?? '', stage ?? 0, part, attempt) === stream);
  });
}

interface InAttempt<Event> {
  readonly event: Event;
  readonly part: string;
  readonly shard: number | null;
  readonly isSealed: boolean;
}

function countingOf<Type extends 'RolloutRecorded' | 'FailureRecorded'>(
  log: Log,
  type: Type,
): readonly InAttempt<Of<Type>>[] {
  return attemptsOf(log).flatMap(({ events, part, shard, counting, isSealed }) =>
    events
      .slice(0, counting)
      .flatMap((event) => (event.type === type ? [{ event: event as Of<Type>, part, shard, isSealed }] : [])),
  );
}

export function rollouts(log: Log): Row[] {
  return countingOf(log, 'RolloutRecorded').map(({ event, part, isSealed }) => {
    const { data, stage, at, id, run, stream, revision } = event;
    return {
      run: log.name(run),
      stage,
      split: data.split,
      part,
      family: data.family,
      task: data.task?.id,
      sample: data.sample,
      training_step: data.trainingStep,
      policy: data.policy,
      checkpoint: data.checkpoint,
      outcome: data.outcome,
      success: data.success,
      failure_class: data.failureClass ?? data.failures?.[0]?.class,
      stop_reason: data.stopReason,
      truncated: data.truncated,
      reward: numberIn(data.reward),
      reward_reason: reasonIn(data.reward),
      rewards: numbersIn(data.rewards),
      metrics: numbersIn(data.metrics),
      facts: data.task?.facts && Object.fromEntries(Object.entries(data.task.facts).map(([k, v]) => [k, +v])),
      agent_steps: data.agentSteps,
      input_tokens: data.tokens?.input,
      output_tokens: data.tokens?.output,
      reasoning_tokens: data.tokens?.reasoning,
      cached_tokens: data.tokens?.cached,
      cost: data.cost?.total,
      currency: data.cost?.currency,
      prompt: textIn(data.prompt),
      completion: textIn(data.completion),
      reasoning: textIn(data.reasoning),
      answer: json(data.answer ?? undefined),
      expected: json(data.expected ?? undefined),
      details: json(data.details?.content),
      measured: json(data.measured),
      error_kind: data.error?.kind,
      error_message: data.error?.message,
      environment: data.environment,
      task_digest: data.task?.digest,
      task_seed: data.task?.seed?.toString(),
      seed: data.seed?.toString(),
      happened_at: momentOf(at),
      id,
      run_id: run,
      stream,
      revision,
      sealed: isSealed,
    };
  });
}

interface Failing {
  readonly event: Of<'RolloutRecorded'> | Of<'FailureRecorded'>;
  readonly part: string;
  readonly failures: readonly { class: string; step?: number; message?: string; details?: object }[];
  readonly own: Row;
}

export function failures(log: Log): Row[] {
  const apart = countingOf(log, 'FailureRecorded').map(({ event, part }): Failing => {
    const { classifier, task: instance, rollout, failures } = event.data;
    return { event, part, failures, own: { classifier, task_digest: instance, rollout } } as Failing;
  });
  const within = countingOf(log, 'RolloutRecorded').map(({ event, part }): Failing => {
    const { task: instance, failures = [] } = event.data;
    return {
      event,
      part,
      failures,
      own: { classifier: null, task_digest: instance?.digest, rollout: event.id },
    } as Failing;
  });
  return [...apart, ...within].flatMap(({ event: { data, run, stage, at, id }, part, failures, own }) =>
    failures.map((failure, index) => ({
      run: log.name(run),
      stage,
      split: data.split,
      part,
      family: data.family,
      failure_class: failure.class,
      position: index + 1,
      step: failure.step,
      message: failure.message,
      details: json(failure.details),
      policy: data.policy,
      environment: data.environment,
      ...own,
      happened_at: momentOf(at),
      id,
      run_id: run,
    })),
  );
}

type Rollout = Of<'RolloutRecorded'>;

interface Cell {
  readonly place: { readonly run: string | null; readonly run_id: string | null; readonly stage: number | null };
  readonly split: string;
  readonly family: string | null;
  readonly rollouts: readonly Rollout[];
}

/** By split and group, and by split over all groups. */
function cellsOf(log: Log): readonly Cell[] {
  // Evidence of trainings and evaluations is summed by their own events.
  const all = countingOf(log, 'RolloutRecorded').flatMap(({ event, shard }) => (shard === null ? [] : [event]));
  const keys = all.flatMap(({ run, stage, data }) =>
    [data.family ?? null, null].map((family) => canonicalJson([run, stage, data.split, family])),
  );
  return [...new Set(keys)].map((key) => {
    const [run, stage, split, family] = JSON.parse(key) as [string, number, string, string | null];
    const rollouts = all.filter(
      (one) =>
        one.run === run &&
        one.stage === stage &&
        one.data.split === split &&
        (family === null || one.data.family === family),
    );
    return { place: { run: log.name(run), run_id: run, stage }, split, family, rollouts };
  });
}

export function stageStats(log: Log): Row[] {
  return cellsOf(log).map(({ place, split, family, rollouts }) => {
    const fair = rollouts.filter(({ data }) => data.error === undefined);
    const judged = fair.filter(({ data }) => data.success !== undefined).length;
    const solved = fair.filter(({ data }) => data.success === true).length;
    const tasks = rollouts.filter(({ data }) => (data.sample ?? 0) === 0).length;
    // Tries of one task are correlated: the number of independent ones is that of the tasks.
    const alike = tasks === 0 ? judged : (judged / rollouts.length) * tasks;
    const { low, high } = judged === 0 ? { low: null, high: null } : counted((solved / judged) * alike, alike);
    return {
      ...place,
      split,
      family,
      rollouts: rollouts.length,
      tasks,
      errored: rollouts.length - fair.length,
      judged,
      solved,
      valid: judged === 0 ? null : solved / judged,
      valid_low: low,
      valid_high: high,
      reward: mean(rollouts.map(({ data }) => numberIn(data.reward))),
      agent_steps: mean(rollouts.map(({ data }) => data.agentSteps ?? null)),
      truncated: mean(rollouts.map(({ data }) => (data.truncated === undefined ? null : Number(data.truncated)))),
    };
  });
}

function counted(count: number, of: number) {
  return of <= 0 || count < 0 || count > of ? { low: null, high: null } : wilson(count, of);
}

function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
