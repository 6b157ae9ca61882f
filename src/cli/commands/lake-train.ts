import { budget, path, text } from '../../library/plugins/values.ts';
import { argument, defineCommand, option } from '../command.ts';
import { lakeAgents, lakeConfig, lakeSeed } from '../lake-options.ts';
import { jobsOption } from '../options.ts';

export const command = defineCommand({
  notes: `
Trains on lakes of a configuration (icecore lake generate --help) for a number of agent steps, each a move of one agent, and leaves
checkpoints in a folder. The same configuration, budget, seed and start give the same checkpoint on every machine, with any number of
jobs. The learning curve grows on a terminal; elsewhere a line appears from time to time.

After Ctrl-C or a crash, the same command continues from the last saved checkpoint. When training is complete, it shows the result
again. A folder with anything else in it is refused.

After --, a program trains instead: it reads the stage as JSON and reports progress line by line. docs/trainers.md explains how to
write one. Its budget can have other units: --budget updates=200.
`,
  examples: [
    ['icecore lake train', 'All sizes, two agents, 1.2 million agent steps: about ten seconds on two cores'],
    ['icecore lake train --config config.json --budget 2.5M --output small', 'From a configuration, in a folder'],
    ['icecore lake train --config harder.json --from small --output harder', 'Continue from another training'],
    ['icecore lake train --budget updates=50 -- python3 trl_grpo.py --model Qwen/Qwen3-4B', 'With a program'],
    ['icecore lake train --json | jq -c \'select(.kind == "point") | .point.values\'', 'The curve, for a program'],
  ],
  args: { program: argument('[program...]', 'after --: a program that trains, and its arguments', text) },
  options: {
    config: lakeConfig,
    agents: lakeAgents,
    budget: option('--budget <amount>', 'agent steps, as 400k', budget, { default: '1_200_000' }),
    seed: lakeSeed,
    from: option(
      '--from <start>',
      'a checkpoint, the folder of a training, or base: a checkpoint with little training',
      path,
    ),
    output: option('--output <folder>', 'where to train', path, { otherwise: 'a folder named after the settings' }),
    jobs: jobsOption,
  },
  run: async (context, { program }, options) =>
    (await import('../lake/training/train.ts')).train(context, options, program),
});
