// Engineers that need nothing but what they are asked. To add one: a file, and a line here; what names, completes, opens and
// compares engineers goes by this list.
import { fixed, random, schedule, staticSmall, uniform } from './blind.ts';
import type { Engineer } from './engineer.ts';
import { rules } from './rules.ts';

/** Each with what it does, in a few words. */
const described: readonly (readonly [engineer: Engineer, does: string])[] = [
  [fixed, 'keeps the configuration of stage 1'],
  [uniform, 'gives every task family the same share of the data'],
  [random, 'draws a configuration at random'],
  [staticSmall, 'trains on small tasks throughout'],
  [schedule, 'goes from easy to hard'],
  [rules, 'follows fixed rules on the recorded results'],
];

const ruleEngineers = described.map(([engineer]) => engineer);

/** By name, what each does. */
export const rulesDescribed: readonly (readonly [name: string, does: string])[] = described.map(
  ([{ identity }, does]) => [identity.name, does],
);

/** Those that look at nothing: an ablation has them beside its arms unless somebody chooses. */
export const blindNames: readonly string[] = ruleEngineers
  .filter(({ reads }) => reads.length === 0)
  .map(({ identity }) => identity.name);

/** Null where there is none of the name. */
export function ruleEngineer(name: string): Engineer | null {
  return ruleEngineers.find(({ identity }) => identity.name === name) ?? null;
}
