// What is wrong with the figures that an update of a plugin's trainer reports.
import { found, type Issue } from '../../../schemas/errors.ts';
import { isObject } from '../../../schemas/json-text.ts';
import { nearestNames, suggestion } from '../../../schemas/nearest.ts';

/** `families`: those of the environment, if they are known. */
export function updateIssues(agentSteps: unknown, groups: unknown, families: readonly string[] | undefined): Issue[] {
  const ofSteps = isCount(agentSteps) ? [] : [issue('agentSteps', agentSteps, 'a whole number from 0')];
  if (!Array.isArray(groups)) return [...ofSteps, issue('groups', groups, 'a list')];
  return [...ofSteps, ...Array.from(groups).flatMap((group, i) => groupIssues(group, `groups[${i}]`, families))];
}

function groupIssues(group: unknown, at: string, families: readonly string[] | undefined): Issue[] {
  if (!isObject(group)) return [issue(at, group, 'an object with family, rewards and valid')];
  const { family, rewards, valid } = group;
  return [
    ...familyIssues(family, `${at}.family`, families),
    ...rewardIssues(rewards, `${at}.rewards`),
    ...validIssues(valid, rewards, `${at}.valid`),
  ];
}

function familyIssues(family: unknown, field: string, families: readonly string[] | undefined): Issue[] {
  if (typeof family !== 'string') return [issue(field, family, 'a text')];
  if (families === undefined || families.includes(family)) return [];
  const near = nearestNames(family, families);
  const which = near.length > 0 ? `, ${suggestion(near)}` : `: ${families.join(', ')}`;
  return [issue(field, family, `a family of the environment${which}`)];
}

function rewardIssues(rewards: unknown, field: string): Issue[] {
  if (!Array.isArray(rewards) || rewards.length === 0) return [issue(field, rewards, 'a list of at least one number')];
  return Array.from(rewards).flatMap((reward, i) =>
    Number.isFinite(reward) ? [] : [issue(`${field}[${i}]`, reward, 'a finite number')],
  );
}

function validIssues(valid: unknown, rewards: unknown, field: string): Issue[] {
  if (!Array.isArray(rewards)) return isCount(valid) ? [] : [issue(field, valid, 'a whole number from 0')];
  const most = rewards.length;
  if (isCount(valid) && valid <= most) return [];
  return [issue(field, valid, `a whole number from 0 to ${most}, the number of its rewards`)];
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function issue(field: string, value: unknown, allowed: string): Issue {
  return { field, found: found(value), allowed };
}
