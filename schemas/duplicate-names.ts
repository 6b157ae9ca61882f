// A helper for checks that compare several fields.
import type { Issue } from './errors.ts';

/** The fields with a name that occurred before. */
export function duplicateNames(listed: Iterable<{ field: string; name: string }>, allowed: string): Issue[] {
  const seen = new Set<string>();
  const issues: Issue[] = [];
  for (const { field, name } of listed) {
    if (seen.has(name)) issues.push({ field, found: `"${name}" again`, allowed });
    seen.add(name);
  }
  return issues;
}
