// The arms of the study: engineers that continue from the same first stage with a random configuration, and a mixture of small sizes from the
// start. Equal budgets and seeds, all in one ledger.
import type { RunSettings } from '../../schemas/run-file.ts';
import { random, staticSmall } from '../../src/lab/engineers/blind.ts';
import type { Engineer } from '../../src/lab/engineers/engineer.ts';
import type { Configuration } from '../../src/lab/environments/environment.ts';
import { descriptor, startConfiguration } from '../../testbed/lake/configuration.ts';

const engineers = ['fixed', 'uniform', 'random', 'static-small', 'schedule', 'rules', 'base', 'checkpoint'] as const;

/** From the first stage on, instead of the random configuration. */
export const smallFromTheStart = 'small from the start';

export const arms: readonly string[] = [...engineers, smallFromTheStart];

const stages = 5;
const decisionsAStage = 240_000;
const context = 'training+stats+behaviour+failures+history';

export const nameOf = (arm: string, seed: number): string => `${arm.replaceAll(' ', '-')}-${seed}`;

export async function settingsOf(arm: string, seed: number): Promise<RunSettings> {
  const isSmall = arm === smallFromTheStart;
  return {
    environment: 'lake',
    configuration: await configurationBy(isSmall ? staticSmall : random, seed),
    stages,
    budget: { 'agent-steps': decisionsAStage },
    seed,
    policy: 'neural',
    trainer: 'grpo',
    engineer: isSmall ? 'fixed' : arm,
    context,
    suites: ['agents-2-wait-25', 'agents-2-wait-50', 'agents-2-wait-75'],
    validation: 400,
    perCell: 2,
    samples: 2,
    trained: 100,
    exemplars: 4,
    contextTokens: 0,
    name: nameOf(arm, seed),
    tags: ['study'],
  };
}

/** At random for each seed, as the research starts with an arbitrary configuration. */
async function configurationBy(engineer: Engineer, seed: number): Promise<Configuration> {
  const start = { ...startConfiguration } as unknown as Configuration;
  const answer = await engineer.propose({
    descriptor,
    stage: 1,
    stages,
    current: start,
    first: start,
    context: null,
    checkpoint: null,
    sample: 0,
    seed: `first configuration ${seed}`,
  });
  if ('rejected' in answer) throw new Error('no configuration was sampled');
  return answer.proposal.configuration as Configuration;
}
