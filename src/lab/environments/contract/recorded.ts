// A task, the answer to it and its verdict as the data of events, to hold what an environment yields to the catalogue.
import type { EventData } from '../../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../../schemas/environment.ts';
import { isSpoilt, type Judged, type Split, type Task, type Try, taskDigest, type Verdict } from '../environment.ts';

type RolloutData = EventData['RolloutRecorded'];
type FailureData = EventData['FailureRecorded'];

/** Who tried a task, and what the task was for. */
interface Trial {
  readonly split: Split;
  readonly policy: string;
}

/** How a rollout that nothing can be said about came out: it has no success, and it failed in no way. */
const spoiltOutcome = 'error';

/**
 * The data of RolloutRecorded, as far as environment, task, answer and verdict have it; who let the policy play adds the
 * rest. The text of an answer is kept as its completion, what the environment read out of it as the answer.
 */
export function rolloutData(
  descriptor: Descriptor,
  { split, policy }: Trial,
  tried: Try,
  verdict: Verdict,
): RolloutData {
  const { task, truncated } = tried;
  return {
    environment: descriptor.environment,
    task: recordedTask(task),
    split,
    family: task.family,
    policy,
    ...answerFields(tried, verdict),
    ...(truncated === undefined ? {} : { truncated }),
    ...(isSpoilt(verdict) ? { outcome: spoiltOutcome, error: verdict.spoilt } : judgedFields(verdict)),
  };
}

function recordedTask(task: Task): NonNullable<RolloutData['task']> {
  const { id, symmetryDigest, facts, instance } = task;
  return {
    id,
    digest: taskDigest(task),
    ...(symmetryDigest === undefined ? {} : { symmetryDigest }),
    ...(Object.keys(facts).length === 0 ? {} : { facts }),
    inline: instance,
  };
}

function answerFields({ answer }: Try, verdict: Verdict): Pick<RolloutData, 'answer' | 'completion'> {
  const understood = isSpoilt(verdict) ? undefined : verdict.understood;
  if (typeof answer !== 'string') {
    const judged = understood ?? answer;
    return judged === undefined ? {} : { answer: judged };
  }
  return { completion: { text: answer }, ...(understood === undefined ? {} : { answer: understood }) };
}

function judgedFields({ outcome, success, failures: [first], metrics, reward }: Judged) {
  return {
    outcome,
    success,
    ...(first === undefined ? {} : { failureClass: first.class }),
    ...(Object.keys(metrics).length === 0 ? {} : { metrics }),
    ...(reward === undefined ? {} : { reward }),
  };
}

/** The data of FailureRecorded for a rollout recorded under an id; null where it did not fail. */
export function failureData(
  descriptor: Descriptor,
  { split, policy }: Trial,
  rollout: string,
  task: Task,
  verdict: Verdict,
): FailureData | null {
  if (isSpoilt(verdict) || verdict.failures.length === 0) return null;
  return {
    rollout,
    environment: descriptor.environment,
    task: taskDigest(task),
    split,
    family: task.family,
    policy,
    failures: verdict.failures,
    classifier: classifierOf(descriptor),
  };
}

/** What told the classes apart: the judge of the environment, with its version where it has one. */
function classifierOf({ environment, version }: Descriptor): string {
  return version === undefined ? `${environment}/judge` : `${environment}/judge@${version}`;
}
