// What is wrong with an answer, short enough to be recorded: whoever has thousands of faults learns nothing from the last
// of them, and an event can hold only so much.
import type { Issue } from '../../../schemas/errors.ts';

/** Of more than this the number is told. */
export const mostIssues = 20;

/** So many characters of each part, which may quote what was written. */
const longestPart = 1000;

export function toldIssues(issues: readonly Issue[]): Issue[] {
  const more = issues.length - mostIssues;
  const told = issues
    .slice(0, mostIssues)
    .map(({ field, found, allowed }) => ({ field: short(field), found: short(found), allowed: short(allowed) }));
  if (more <= 0) return told;
  return [...told, { field: 'answer', found: `${more} more that ${more === 1 ? 'is' : 'are'} wrong`, allowed: 'none' }];
}

function short(text: string): string {
  return (text.length > longestPart ? `${text.slice(0, longestPart)}…` : text).toWellFormed();
}
