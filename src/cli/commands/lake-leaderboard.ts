import { path, text } from '../../library/plugins/values.ts';
import { argument, defineCommand, option } from '../command.ts';
import { evaluatingOptions } from '../lake-options.ts';
import { formatOption } from '../options.ts';

export const command = defineCommand({
  notes: `
POLICY is what icecore lake evaluate accepts: random, greedy, optimal, a checkpoint, or a model of icecore.config.json. Without any, the
three rules are compared, which are the floor and the ceiling for all others.

All policies plan for the same lakes, one policy after the other. Rows are sorted by the share of valid plans over all lakes, with
Wilson intervals in brackets. Do not judge a difference by whether these overlap, but by the paired difference from the best policy, or
from --baseline: +better and -worse say on how many lakes a policy had more or fewer valid plans than the baseline. A difference is
beyond chance if its interval leaves out zero. The more policies are compared, the more often that happens by chance.

Answers of models are recorded in the ledger before they are judged. Stopped at any time, the same command continues and repeats no
question that was answered.
`,
  examples: [
    ['icecore lake leaderboard', 'The rules on all suites'],
    ['icecore lake leaderboard gpt gemini qwen runs/first --spending-cap 20', 'Models and a checkpoint'],
    [
      'icecore lake leaderboard runs/first runs/second --baseline runs/first --samples 8 --sampled',
      'Two trainings, with eight sampled answers per lake',
    ],
    ['icecore lake leaderboard greedy optimal --suite agents-2-wait-50-of-10 --format md', 'A Markdown table'],
  ],
  args: { policies: argument('[policy...]', 'rules, checkpoints and models', path) },
  options: {
    ...evaluatingOptions,
    baseline: option('--baseline <policy>', 'the policy that others are compared with', text, {
      otherwise: 'the best',
    }),
    format: formatOption,
  },
  run: async (context, { policies }, options) =>
    (await import('../lake/leaderboard.ts')).leaderboard(context, policies, options),
});
