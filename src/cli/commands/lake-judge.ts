import { path } from '../../library/plugins/values.ts';
import { argument, defineCommand } from '../command.ts';
import { effortOption } from '../lake-options.ts';
import { jobsOption } from '../options.ts';

export const command = defineCommand({
  notes: `
Reads one instance with a "plan" per line, in the format of icecore lake solve; blank lines are ignored. A plan is one text of U, D, L,
R, W per agent, or for each agent the cells it visits, its start first. "truncated": true says that the text of the plan was cut.

Instead of a plan, a line can have an "answer": the text of a model. The plan is found in it as icecore lake evaluate does it, without
what stands between <think> and </think>.

Answers each line at once, in order: {"id", "outcome", "cost", "optimal", "failures": [{class, step, agents, cell}]}. The outcome is
valid, or the class of the first failure: parse-error, missing-agent, off-grid, hole, vertex-conflict, swap-conflict, goal-missed,
horizon, truncated. optimal is null if the plan is not valid or the effort was not enough to find the optimum. The optima of recent
lakes are remembered.

A plan that cannot be read is a parse-error, with "words" that say why. A line that is no instance is answered with {"id", "error"}, and
the exit code is then 1.

A program can keep the command running and wait for each answer. It should write at most some hundred lines before it reads the
answers, as examples/lake_reward.py does: a pipe has limited space.
`,
  examples: [
    ['icecore lake judge answers.ndjson | jq -r .outcome | sort | uniq -c', 'Count the ways in which plans fail'],
    [
      `echo '{"size":3,"holes":[],"agents":[{"start":[0,0],"goal":[0,2]}],"plan":["RR"]}' | icecore lake judge`,
      'One plan',
    ],
  ],
  args: { file: argument('[file]', 'file to read; - is standard input', path, { default: '-' }) },
  options: { effort: effortOption, jobs: jobsOption },
  run: async (context, { file }, options) => (await import('../lake/lines.ts')).filter(context, 'judge', file, options),
});
