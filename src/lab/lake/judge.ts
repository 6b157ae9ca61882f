// Judges what was answered to an instance: the plan is carried out step by step, and all that goes wrong is listed. Any
// answer gets a judgement; nothing is thrown.
import type { Instance } from './instance.ts';
import { carryOut } from './judge-course.ts';
import { type Failure, failureClasses, type Judgement } from './judgement.ts';
import { planOf, Unreadable } from './plan-reading.ts';

/** `truncated`: the text that the answer was read from had been cut. That alone is no failure: a valid plan is valid. */
export function judge(instance: Instance, answer: unknown, truncated = false): Judgement {
  const plan = planOf(answer, instance);
  if (plan instanceof Unreadable) return unread(plan, truncated);
  const failures: Failure[] = [];
  const missing = missingFrom(plan, instance);
  if (missing.length > 0) failures.push({ class: 'missing-agent', step: 0, agents: missing, cell: null });
  const { steps, cost } = carryOut(instance, plan, failures);
  if (failures.length === 0) return { outcome: 'valid', cost, steps, failures };
  failures.sort(byStepThenClass);
  // Where moves are left at the horizon, the cut lies behind it: being cut is never what a plan failed for first.
  const last = Math.max(steps, (failures.at(-1) as Failure).step);
  if (truncated) failures.push({ class: 'truncated', step: last, agents: [], cell: null });
  return failed(steps, failures);
}

/** A cut text that cannot be read says nothing about who wrote it but that it was cut. */
function unread({ agents, words }: Unreadable, truncated: boolean): Judgement {
  if (truncated) return failed(0, [{ class: 'truncated', step: 0, agents: [], cell: null }]);
  return failed(0, [{ class: 'parse-error', step: 0, agents, cell: null, words }]);
}

/** The agents without moves stand still while the others are judged. */
function missingFrom(plan: readonly unknown[], { agents }: Instance): number[] {
  return Array.from({ length: agents.length - plan.length }, (_, i) => plan.length + i);
}

function failed(steps: number, failures: readonly Failure[]): Judgement {
  return { outcome: (failures[0] as Failure).class, cost: null, steps, failures };
}

/** Failures of one class at one step stay in the order of their agents, in which they are found. */
function byStepThenClass(one: Failure, other: Failure): number {
  return one.step - other.step || failureClasses.indexOf(one.class) - failureClasses.indexOf(other.class);
}
