// What is wrong with a configuration of the lake: what the descriptor can tell, and the number of agents.
import type { Issue } from '../../../schemas/errors.ts';
import { found } from '../../../schemas/phrase.ts';
import { checkConfiguration } from '../environments/configuration.ts';
import { BadConfiguration } from '../environments/environment.ts';
import { type LakeConfiguration, startConfiguration } from './configuration.ts';
import { descriptor } from './descriptor.ts';

/** With more, small lakes are full: hardly any is solvable, and telling so takes long. */
const mostAgents = 6;

/** `described`: with what knobs. */
export function checkLake(configuration: unknown, described = descriptor): Issue[] {
  const issues = checkConfiguration(described, configuration, { ...startConfiguration });
  const isAgentsKnob = described.knobs.some(({ name }) => name === 'agents');
  return isAgentsKnob ? issues : [...issues, ...wrongAgents(configuration)];
}

/** Throws BadConfiguration. */
export function checkedLake(configuration: unknown, described = descriptor): LakeConfiguration {
  const issues = checkLake(configuration, described);
  if (issues.length > 0) throw new BadConfiguration(descriptor.environment, issues);
  return configuration as LakeConfiguration;
}

function wrongAgents(configuration: unknown): Issue[] {
  if (typeof configuration !== 'object' || configuration === null || Array.isArray(configuration)) return [];
  const { agents } = configuration as { readonly agents?: unknown };
  if (Number.isInteger(agents) && (agents as number) >= 1 && (agents as number) <= mostAgents) return [];
  return [{ field: 'agents', found: found(agents), allowed: `a whole number from 1 to ${mostAgents}` }];
}
