// icecore lake train: from a configuration to a checkpoint.
import type { CommandModule } from '../../command.ts';

const notes = `
Trains on lakes as a configuration says (see icecore lake generate --help) until so many agent steps are taken, each
a move of one agent, and leaves checkpoints in a folder of its own. The same configuration, budget, seed and start
give the same checkpoint on every machine, with any number of jobs. While it goes on, the curve grows on a terminal;
elsewhere there is a line now and then.

Stopped by Ctrl-C or by anything else, the same command goes on from what was saved last. Trained to its end, the same
command shows what came of it. A folder that holds anything else is refused.

Behind -- stands a program that trains instead: it is told about the stage as JSON and tells how far it is, line by line.
docs/trainers.md is for who writes one. Its budget may have other units: --budget updates=200.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore lake train', 'All sizes alike, two agents, 1,200,000 agent steps: some ten seconds on two cores'],
    ['icecore lake train --config config.json --budget 2_500_000 --out small', 'From a configuration, into a folder'],
    ['icecore lake train --config harder.json --from small --out harder', 'Further, from what another training left'],
    ['icecore lake train --budget updates=50 -- python3 trl_grpo.py --model Qwen/Qwen3-4B', 'With a program'],
    ['icecore lake train --json | jq -c \'select(.kind == "point") | .point.values\'', 'The curve, for a program'],
  ],
  declare: (command) =>
    command
      .argument('[program...]', 'behind --: a program that trains, and its arguments')
      .option('--config <file>', 'the configuration, as JSON')
      .option('--agents <n>', 'the number of agents, whatever the configuration says')
      .option('--budget <n>', 'agent steps to take (default: 1_200_000)')
      .option('--seed <text>', 'where chance comes from (default: icecore)')
      .option('--from <start>', 'a checkpoint, the folder of a training, or base: a snapshot that knows a little')
      .option('--out <folder>', 'where it is trained (default: one named after all that is asked for)')
      .option('--jobs <n>', 'threads (default: as many as there are cores)'),
  run: async (context, command) => {
    const { train } = await import('../../lake/training/train.ts');
    return await train(context, command.opts(), command.args);
  },
};
