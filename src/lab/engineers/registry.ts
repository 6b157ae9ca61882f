// Engineers that need nothing but what they are asked. To add one: a file, and a line here; what names, completes, opens and
// compares engineers goes by this list.
import { fixed, random, schedule, staticSmall, uniform } from './blind.ts';
import type { Engineer } from './engineer.ts';
import { rules } from './rules.ts';

const ruleEngineers: readonly Engineer[] = [fixed, uniform, random, staticSmall, schedule, rules];

export const ruleNames: readonly string[] = ruleEngineers.map(({ identity }) => identity.name);

/** Those that look at nothing: an ablation has them beside its arms unless somebody chooses. */
export const blindNames: readonly string[] = ruleEngineers
  .filter(({ reads }) => reads.length === 0)
  .map(({ identity }) => identity.name);

/** Null where there is none of the name. */
export function ruleEngineer(name: string): Engineer | null {
  return ruleEngineers.find(({ identity }) => identity.name === name) ?? null;
}
