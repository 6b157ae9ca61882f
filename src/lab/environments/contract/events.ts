// Whether data made from what an environment yields may be written as an event.
import { checkEvent, type TypeName, versionOf } from '../../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../../schemas/environment.ts';
import { describeIssue } from '../../../../schemas/errors.ts';
import { isSpoilt, type Split, type Try, type Verdict } from '../environment.ts';
import { failureClassOf, failureData, familyOf, isFailed, rolloutData } from '../recorded.ts';

const id = '98f69b8a-88e8-875f-8002-140000001003';

/** What the catalogue has against data of a type. */
export function issuesOf(type: TypeName, data: object): string[] {
  const inRun = type === 'RunStarted' || type === 'ConfigAdopted';
  const stage = type === 'RunStarted' ? null : 1;
  const envelope = { id, type, version: versionOf(type), at: '2026-07-01T12:00:00Z', actor: 'producer/contract' };
  const event = { ...envelope, run: 'any', stage, causes: [], data };
  return checkEvent(inRun ? 'run-any' : 'evidence-any-1-0-0', event).map(describeIssue);
}

/** What is wrong with a judged try as evidence: with its events, and with how the descriptor reads them. */
export function evidenceIssues(descriptor: Descriptor, split: Split, tried: Try, verdict: Verdict): string[] {
  const trial = { split, policy: 'any' };
  const rollout = rolloutData(descriptor, trial, tried, verdict);
  const failure = failureData(descriptor, trial, id, tried.task, verdict);
  const issues = [
    ...issuesOf('RolloutRecorded', rollout),
    ...(failure === null ? [] : issuesOf('FailureRecorded', failure)),
  ];
  const family = familyOf(descriptor, rollout);
  if (family !== tried.task.family)
    issues.push(`the descriptor reads the family ${family}, which is ${tried.task.family}`);
  const failed = isFailed(descriptor, rollout);
  if (isSpoilt(verdict)) return failed ? [...issues, 'the descriptor reads a spoilt rollout as a failed one'] : issues;
  const [first] = verdict.failures;
  if (verdict.success === (first !== undefined)) issues.push('a success has no failure, and all else has at least one');
  if (failed !== (first !== undefined))
    issues.push(`the descriptor reads failed: ${failed}, the verdict says otherwise`);
  const read = failureClassOf(descriptor, rollout);
  if (failed && read !== first?.class) issues.push(`the descriptor reads the class ${read}, which is ${first?.class}`);
  return issues;
}
