// icecore lake leaderboard: which policies are better.
import type { CommandModule } from '../../command.ts';
import { evaluatingOptions } from './evaluating-options.ts';

const notes = `
Each POLICY is named as for icecore lake evaluate: random, greedy, optimal, a checkpoint, or a model of icecore.config.json.
Without any, it is the three rules, which are the floor and the ceiling for everybody else.

All policies plan for the same lakes, one policy after the other. Rows are sorted by the share of valid plans over all lakes
together; brackets hold Wilson intervals. Whether two policies differ is not to be read from whether these overlap, but from
the paired difference from the best, or from --baseline: +better and -worse say on how many lakes a policy had more valid
plans than the baseline, and on how many fewer. A difference is beyond chance where its interval leaves out zero. The more
policies are compared, the more often that happens by chance alone.

Answers of models are recorded in the ledger before they are judged. Stopped at any moment, the same command goes on where
it was: what was answered is not asked again.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore lake leaderboard', 'The rules on all suites'],
    ['icecore lake leaderboard gpt gemini qwen runs/first --spending-cap 20', 'Models and a checkpoint'],
    [
      'icecore lake leaderboard runs/first runs/second --baseline runs/first --samples 8 --sampled',
      'Two trainings, eight answers drawn for each lake',
    ],
    ['icecore lake leaderboard greedy optimal --suite agents-2-wait-50-of-10 --markdown', 'A table for a page'],
  ],
  declare: (command) =>
    evaluatingOptions(command.argument('[policy...]', 'rules, checkpoints and models'))
      .option('--baseline <policy>', 'hold the others against this one (default: the best)')
      .option('--markdown', 'a table in Markdown'),
  run: async (context, command) => {
    const { leaderboard } = await import('../../lake/leaderboard.ts');
    return await leaderboard(context, command.args, command.opts());
  },
};
