// A judged plan as the events that record it: the rollout, and how it failed where it did. Of a shard, which engineers are
// shown evidence of, the failure is an event of its own; all others hold their failures, and are one event each.
import { codeOf, type EventData, type NewEventOf, versionOf } from '../../../schemas/catalogue.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { isSpoilt, type Judged, type Score, type Task, taskDigest } from '../../lab/environments/environment.ts';
import type { Evaluated } from '../../lab/evaluation/judged.ts';
import type { Planned, Policy } from '../../lab/policies/policy.ts';
import { eventIds } from '../../ledger/identity/ids.ts';
import { idsOfAnAttempt, idsOwner } from './parts.ts';

type Rollout = EventData['RolloutRecorded'];

export interface Provenance {
  readonly run: string;
  readonly stage: number;
  /** What they are of, which their ids follow from; a shard by default. */
  readonly part?: string;
  readonly environment: string;
  readonly split: Rollout['split'];
  readonly policy: Pick<Policy, 'component' | 'checkpoint'>;
  readonly actor: string;
  /** When it happened. */
  readonly now: () => string;
}

/** Makes events of one part, one rollout after the other: their ids follow from their places in it. */
export class RolloutEvents {
  readonly #provenance: Provenance;
  readonly #rolloutId: (index: number) => string;
  readonly #failureId: (index: number) => string;
  #next: number;

  /** Places go on from `begin`, so that several splits of a stage have ids of their own. */
  constructor(provenance: Provenance, begin: number) {
    const { stage, part = 0 } = provenance;
    const run = idsOwner({ ...provenance, part });
    this.#provenance = provenance;
    this.#rolloutId = eventIds({ run, stage, kind: codeOf('RolloutRecorded') });
    this.#failureId = eventIds({ run, stage, kind: codeOf('FailureRecorded') });
    this.#next = begin;
  }

  get next(): number {
    return this.#next;
  }

  /** The events of the next rollout, by series: ids of one series are apart from those of another. */
  of(evaluated: Evaluated): (series: number) => NewEvent[] {
    const place = this.#next++;
    const at = this.#provenance.now();
    return (series) => this.#made(place + series * idsOfAnAttempt, at, evaluated);
  }

  #made(index: number, at: string, { planned, verdict, conditions }: Evaluated): NewEvent[] {
    const id = this.#rolloutId(index);
    const judged = isSpoilt(verdict) ? null : verdict;
    const fault = isSpoilt(verdict) ? verdict.spoilt : null;
    const failures = judged?.failures ?? [];
    const isWhole = this.#provenance.part !== undefined;
    const rollout: NewEventOf<'RolloutRecorded'> = {
      ...this.#envelope('RolloutRecorded', id, at),
      data: {
        ...rolloutOf(this.#provenance, planned, judged, fault),
        task: instanceOf(planned.task, isWhole ? conditions : undefined),
        ...(isWhole && failures.length > 0 ? { failures: recordedFailures(failures) } : {}),
      },
    };
    if (isWhole || judged === null || failures.length === 0) return [rollout];
    const failure: NewEventOf<'FailureRecorded'> = {
      ...this.#envelope('FailureRecorded', this.#failureId(index), at),
      causes: [{ event: id }],
      data: failureOf(this.#provenance, id, planned.task, judged),
    };
    return [rollout, failure];
  }

  #envelope<Type extends 'RolloutRecorded' | 'FailureRecorded'>(type: Type, id: string, at: string) {
    const { run, stage, actor } = this.#provenance;
    return { id, type, version: versionOf(type), at, actor, run, stage, causes: [] } as const;
  }
}

function rolloutOf(
  { environment, split, policy }: Provenance,
  planned: Planned,
  judged: Judged | null,
  fault: NonNullable<Rollout['error']> | null,
): Omit<Rollout, 'instance'> {
  const { task, sample, truncated, agentSteps, spoken, told, measured } = planned;
  const { checkpoint } = policy;
  return {
    environment,
    split,
    family: task.family,
    sample,
    policy: policy.component.name,
    ...(checkpoint === null ? {} : { checkpoint: checkpoint.digest ?? checkpoint.reference }),
    ...(judged === null ? {} : { answer: answerOf(planned, judged) }),
    ...(judged === null ? { outcome: 'fault' } : outcomeOf(judged)),
    ...(fault === null ? {} : { error: { kind: fault.kind, message: fault.message } }),
    ...(truncated === undefined ? {} : { truncated }),
    ...(judged === null ? {} : { metrics: metricsOf(planned, judged) }),
    ...(agentSteps === undefined ? {} : { agentSteps }),
    ...(spoken === undefined ? {} : saidOf(spoken)),
    ...(told === undefined ? {} : toldOf(told)),
    ...(measured === undefined ? {} : { measured }),
  };
}

function instanceOf(task: Task, conditions: Task['conditions'] = {}): NonNullable<Rollout['task']> {
  return {
    id: task.id,
    digest: taskDigest(task),
    ...(task.symmetryDigest === undefined ? {} : { symmetryDigest: task.symmetryDigest }),
    facts: { ...task.facts },
    ...(Object.keys(conditions).length === 0 ? {} : { conditions }),
    inline: { ...task.instance },
  };
}

/** As it was understood; what could not be is told as it came. */
function answerOf({ answer }: Planned, { understood }: Judged): NonNullable<Rollout['answer']> | null {
  return (understood ?? answer ?? null) as NonNullable<Rollout['answer']> | null;
}

function outcomeOf({ outcome, success, failures, reward }: Judged): Partial<Rollout> & Pick<Rollout, 'outcome'> {
  const [first] = failures;
  return {
    outcome,
    success,
    ...(first === undefined ? {} : { failureClass: first.class }),
    ...(reward === undefined ? {} : { reward }),
  };
}

/** What the environment measured, and how sure the policy was. */
function metricsOf({ sureness }: Planned, { metrics }: Judged): Record<string, Score> {
  if (sureness === undefined) return { ...metrics };
  const { logProbability, entropy, value } = sureness;
  return { ...metrics, logProbability, entropy, ...(value === undefined ? {} : { value }) };
}

function saidOf({ key, finishReason, usage, cost }: NonNullable<Planned['spoken']>): Partial<Rollout> {
  const { input, output, reasoning, cached } = usage ?? {};
  const tokens = Object.fromEntries(
    Object.entries({ input, output, reasoning, cached }).filter(([, n]) => n !== undefined),
  );
  return {
    modelAnswer: key,
    ...(finishReason === undefined ? {} : { stopReason: finishReason }),
    ...(Object.keys(tokens).length === 0 ? {} : { tokens }),
    ...(cost === undefined ? {} : { cost }),
  };
}

/** There is no recorded answer of a model to look it up in: what was said stands here. */
function toldOf({ prompt, completion, ...counted }: NonNullable<Planned['told']>): Partial<Rollout> {
  return {
    ...(prompt === undefined ? {} : { prompt: { text: prompt } }),
    ...(completion === undefined ? {} : { completion: { text: completion } }),
    ...counted,
  };
}

function failureOf(
  { environment, split, policy }: Provenance,
  rollout: string,
  task: Task,
  { failures }: Judged,
): EventData['FailureRecorded'] {
  return {
    rollout,
    environment,
    task: taskDigest(task),
    split,
    family: task.family,
    policy: policy.component.name,
    failures: recordedFailures(failures),
  };
}

function recordedFailures(failures: Judged['failures']): EventData['FailureRecorded']['failures'] {
  return failures.map((failure) => ({ ...failure })) as EventData['FailureRecorded']['failures'];
}
