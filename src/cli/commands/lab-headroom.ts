import { budget, integer, path } from '../../library/plugins/values.ts';
import { argument, defineCommand, option } from '../command.ts';
import { configuration, environment, seeds } from '../lab-values.ts';
import { formatOption, jobsOption, programOptions } from '../options.ts';

export const command = defineCommand({
  config: 'run',
  notes: `
Measure how much a good decision could gain in an environment, before an ablation is paid for. Runs of two stages are started, one
for each seed; then every engineer that reads nothing, and every one that is declared as an upper bound because it knows what the
environment hides, decides the second stage and trains it. The answer says what they gain over uniform, how much seeds differ,
which differences 6 to 20 seeds can find, and how many seeds would find the gain.

The runs and the ablation stay in the ledger, and icecore ablate --plan uses them. The same command continues where it was stopped,
or shows the result again. More: docs/controls.md.
`,
  examples: [
    ['icecore lab headroom dungeon', 'Eight seeds of the positive control'],
    ['icecore lab headroom lake --budget 200k --seed 1-10', 'The lake, with a smaller budget'],
  ],
  args: { environment: argument('<environment>', 'an environment, or a program with its arguments', environment) },
  options: {
    seeds: option('--seed <seeds>', 'training seeds: 1,4,9 or 1-10', seeds, { otherwise: '1-8' }),
    budget: option('--budget <amount>', 'budget of a stage, as 400k', budget, { otherwise: 'that of the environment' }),
    configuration: option('--config <file>', 'configuration of the first stage, as JSON', configuration, {
      otherwise: 'that of the environment',
    }),
    validation: option('--validation-tasks <n>', 'number of validation tasks', integer(1), { otherwise: '400' }),
    file: option('--file <file>', 'run file: other settings as JSON', path),
    jobs: jobsOption,
    format: formatOption,
    ...programOptions,
  },
  run: async (context, { environment: which }, options) =>
    (await import('../ablate/headroom.ts')).headroom(context, which, options),
});
