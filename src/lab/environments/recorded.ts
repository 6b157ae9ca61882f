// A task, the answer to it and its verdict as the events that record them, for any environment.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Condition, Descriptor, Pick as FieldPick } from '../../../schemas/environment.ts';
import { isSpoilt, type Judged, type Split, type Task, type Try, taskDigest, type Verdict } from './environment.ts';
import { memberOf } from './knobs.ts';

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

// How a descriptor reads a rollout: whether it failed, how, and to which family it belongs. Tables ask the same in SQL, so
// the rules are plain: a field that is absent is null; texts, numbers and truth values are equal when they are the same
// JSON; only numbers are compared by size; objects and lists are equal to nothing.

type Data = Readonly<Record<string, unknown>>;

type Test = Extract<Condition, { all: unknown }>['all'][number];

export function isFailed({ failed }: Descriptor, data: Data): boolean {
  return meets(failed, data);
}

/** The word for how it failed; null where the rollout has none. Asked of one that did not fail, it says nothing. */
export function failureClassOf({ failureClass }: Descriptor, data: Data): string | null {
  return picked(failureClass, data);
}

export function familyOf({ family }: Descriptor, data: Data): string | null {
  return picked(family, data);
}

export function meets(condition: Condition, data: Data): boolean {
  if ('any' in condition) return condition.any.some((test) => passes(test, data));
  return condition.all.every((test) => passes(test, data));
}

function passes(test: Test, data: Data): boolean {
  const value = fieldOf(data, test.field);
  if ('equals' in test) return value === test.equals;
  if ('differs' in test) return value !== test.differs;
  if ('below' in test) return typeof value === 'number' && value < test.below;
  if ('atLeast' in test) return typeof value === 'number' && value >= test.atLeast;
  return (value !== null) === test.present;
}

/** Numbers and truth values are words too: the family 8 is called "8". An empty text is none. */
export function picked({ field, otherwise }: FieldPick, data: Data): string | null {
  const value = fieldOf(data, field);
  const word = value === null || typeof value === 'object' ? '' : String(value);
  return word === '' ? (otherwise ?? null) : word;
}

function fieldOf(data: Data, path: readonly string[]): unknown {
  let at: unknown = data;
  for (const step of path) at = memberOf(at, step);
  return at ?? null;
}
