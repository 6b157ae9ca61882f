// Converts a plan and its verdict to event data, for any environment and any policy.
import type { EventData } from '../../../schemas/catalogue.ts';
import { isSpoilt, type Judged, type Score, type Split, taskDigest } from '../environments/environment.ts';
import type { Planned, Policy } from '../policies/policy.ts';
import type { Evaluated } from './judged.ts';

type RolloutData = EventData['RolloutRecorded'];
type FailureData = EventData['FailureRecorded'];

/** The policy, the environment and the purpose of a try. */
export interface Trial {
  readonly environment: string;
  readonly split: Split;
  readonly policy: Pick<Policy, 'component' | 'checkpoint'>;
}

/** The data of RolloutRecorded. A rollout without a verdict has no success and no failures. */
export function rolloutData({ environment, split, policy }: Trial, evaluated: Evaluated): RolloutData {
  const { planned, verdict } = evaluated;
  const { task, sample, truncated, agentSteps, spoken, report, measured } = planned;
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
    ...(report === undefined ? {} : reportFields(report)),
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

/** The parsed answer, or the original one if it could not be parsed. */
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

/** No recorded model answer exists for these, so the rollout itself contains the text. */
function reportFields({ prompt, completion, ...counted }: NonNullable<Planned['report']>): Partial<RolloutData> {
  return {
    ...(prompt === undefined ? {} : { prompt: { text: prompt } }),
    ...(completion === undefined ? {} : { completion: { text: completion } }),
    ...counted,
  };
}

/** The data of FailureRecorded for a rollout with this id; null if it did not fail. */
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
