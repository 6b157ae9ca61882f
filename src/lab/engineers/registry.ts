// Engineers that need no model, program or checkpoint. To add one: a file, and a line here; all code that names,
// completes, opens or compares engineers uses this list.
import { fixed, random, schedule, staticSmall, uniform } from './blind.ts';
import { type Engineer, humanName } from './engineer.ts';
import { rules } from './rules.ts';

/** Each with a short description. */
const described: readonly (readonly [engineer: Engineer, does: string])[] = [
  [fixed, 'keeps the configuration of stage 1'],
  [uniform, 'gives every task family the same share of the data'],
  [random, 'draws a configuration at random'],
  [staticSmall, 'trains on small tasks throughout'],
  [schedule, 'goes from easy to hard'],
  [rules, 'follows fixed rules on the recorded results'],
];

const ruleEngineers = described.map(([engineer]) => engineer);

/** Descriptions by name. */
export const rulesDescribed: readonly (readonly [name: string, does: string])[] = described.map(
  ([{ identity }, does]) => [identity.name, does],
);

/** Descriptions of all built-in engineers by name. Plugins may not use these names. */
export const engineers: Readonly<Record<string, string>> = {
  ...Object.fromEntries(rulesDescribed),
  base: 'asks the untrained policy',
  checkpoint: 'asks the current checkpoint of the policy; checkpoint@K asks the one after stage K',
  [humanName]: 'waits for icecore adopt',
};

/** Those that see no context: the default baselines of an ablation. */
export const blindNames: readonly string[] = ruleEngineers
  .filter(({ reads }) => reads.length === 0)
  .map(({ identity }) => identity.name);

/** Null if there is no such engineer. */
export function ruleEngineer(name: string): Engineer | null {
  return ruleEngineers.find(({ identity }) => identity.name === name) ?? null;
}
