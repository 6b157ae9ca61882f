// A plan and its verdict as the data of the events that record them, for any environment and any policy.
import type { EventData } from '../../../schemas/catalogue.ts';
import { isSpoilt, type Judged, type Score, type Split, taskDigest } from '../environments/environment.ts';
import type { Planned, Policy } from '../policies/policy.ts';
import type { Evaluated } from './judged.ts';

type RolloutData = EventData['RolloutRecorded'];
type FailureData = EventData['FailureRecorded'];

/** Who tried a task, and what the task was for. */
export interface Trial {
  readonly environment: string;
  readonly split: Split;
  readonly policy: Pick<Policy, 'component' | 'checkpoint'>;
}

/** The data of RolloutRecorded. A rollout that nothing can be said about has no success, and it failed in no way. */
export function rolloutData({ environment, split, policy }: Trial, evaluated: Evaluated): RolloutData {
  const { planned, verdict } = evaluated;
  const { task, sample, truncated, agentSteps, spoken, told, measured } = planned;
  const { checkpoint } = policy;
  return {
    environment,
    task: recordedTask(evaluated),
    split,
    family: task.family,
    sample,
    policy: policy.component.name,
    ...(checkpoint === null ? {} : { checkpoint: checkpoint.digest ?? checkpoint.reference }),
    ...(isSpoilt(verdict) ? { outcome: 'fault', error: { ...verdict.spoilt } } : judgedFields(planned, verdict)),
    ...(truncated === undefined ? {} : { truncated }),
    ...(agentSteps === undefined ? {} : { agentSteps }),
    ...(spoken === undefined ? {} : spokenFields(spoken)),
    ...(told === undefined ? {} : toldFields(told)),
    ...(measured === undefined ? {} : { measured }),
  };
}

function recordedTask({ planned: { task }, conditions = {} }: Evaluated): NonNullable<RolloutData['task']> {
  const { id, symmetryDigest, facts, instance } = task;
  return {
    id,
    digest: taskDigest(task),
    ...(symmetryDigest === undefined ? {} : { symmetryDigest }),
    facts: { ...facts },
    ...(Object.keys(conditions).length === 0 ? {} : { conditions }),
    inline: { ...instance },
  };
}

/** The answer as it was understood; what could not be is told as it came. */
function judgedFields(
  { answer, sureness }: Planned,
  judged: Judged,
): Partial<RolloutData> & Pick<RolloutData, 'outcome'> {
  const { outcome, success, understood, reward, metrics } = judged;
  const [first] = judged.failures;
  return {
    answer: (understood ?? answer ?? null) as NonNullable<RolloutData['answer']> | null,
    outcome,
    success,
    ...(first === undefined ? {} : { failureClass: first.class }),
    ...(reward === undefined ? {} : { reward }),
    metrics: { ...metrics, ...surenessMetrics(sureness) },
  };
}

function surenessMetrics(sureness: Planned['sureness']): Record<string, Score> {
  if (sureness === undefined) return {};
  const { logProbability, entropy, value } = sureness;
  return { logProbability, entropy, ...(value === undefined ? {} : { value }) };
}

function spokenFields({ key, finishReason, usage, cost }: NonNullable<Planned['spoken']>): Partial<RolloutData> {
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
function toldFields({ prompt, completion, ...counted }: NonNullable<Planned['told']>): Partial<RolloutData> {
  return {
    ...(prompt === undefined ? {} : { prompt: { text: prompt } }),
    ...(completion === undefined ? {} : { completion: { text: completion } }),
    ...counted,
  };
}

/** The data of FailureRecorded for a rollout recorded under an id; null where it did not fail. */
export function failureData(
  { environment, split, policy }: Trial,
  rollout: string,
  { planned: { task }, verdict }: Evaluated,
): FailureData | null {
  if (isSpoilt(verdict) || verdict.failures.length === 0) return null;
  return {
    rollout,
    environment,
    task: taskDigest(task),
    split,
    family: task.family,
    policy: policy.component.name,
    failures: verdict.failures.map((failure) => ({ ...failure })) as FailureData['failures'],
  };
}
