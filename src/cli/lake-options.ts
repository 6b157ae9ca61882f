// Options that several commands of the lake have.

import { flag, option } from '../library/plugins/command.ts';
import { choice, filledText, integer, path } from '../library/plugins/values.ts';
import { suite } from './lab-values.ts';
import { jobsOption, spendingCapOption } from './options.ts';

export const splits = ['train', 'validation', 'probe', 'probe-holdout', 'test'] as const;

export const lakeSeed = option('--seed <text>', 'random seed: any text', filledText, { otherwise: 'icecore' });

export const lakeConfig = option('--config <file>', 'the configuration, as JSON', path);

export const lakeAgents = option('--agents <n>', 'number of agents, whatever the configuration says', integer(1, 26));

export const effortOption = option('--effort <steps>', 'maximum search steps per line', integer(1), {
  otherwise: '20_000_000',
});

/** For evaluating one policy and for comparing several. */
export const evaluatingOptions = {
  suite: option(
    '--suite <name>',
    'a benchmark suite, or a smaller edition: agents-2-wait-50-of-10; repeatable',
    suite,
    {
      again: true,
    },
  ),
  config: { ...lakeConfig, describe: 'fresh lakes from this configuration, as JSON' },
  agents: { ...lakeAgents, describe: 'fresh lakes with this number of agents' },
  count: option('--count <n>', 'number of fresh lakes', integer(0, 100_000_000), { otherwise: '100' }),
  split: option('--split <split>', 'split that fresh lakes belong to', choice(splits), { otherwise: 'validation' }),
  lakes: option('--lakes <file>', 'your own lakes, one per line; - is standard input', path),
  samples: option('--samples <n>', 'attempts per lake', integer(1, 10_000), { default: '1' }),
  sampled: flag('--sampled', 'sample answers instead of taking the most likely one'),
  seed: { ...lakeSeed, describe: 'random seed of samples and fresh lakes: any text' },
  spendingCap: spendingCapOption,
  jobs: jobsOption,
};
