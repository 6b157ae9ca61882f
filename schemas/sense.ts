// What checks across fields have in common.
import type { Issue } from './errors.ts';

/** The places where a name stands a second time. */
export function namedTwice(listed: Iterable<{ field: string; name: string }>, allowed: string): Issue[] {
  const seen = new Set<string>();
  const issues: Issue[] = [];
  for (const { field, name } of listed) {
    if (seen.has(name)) issues.push({ field, found: `"${name}" again`, allowed });
    seen.add(name);
  }
  return issues;
}
